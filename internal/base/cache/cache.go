// Package cache keeps values in memory that can be computed again. Every cache of the process is
// one of these, so that all are bounded. docs/memory.md lists them all.
//
// A cache does not know how old a value is or whether it is still valid: its owner stores what it
// needs to check that along with the value, and checks.
package cache

import lru "github.com/hashicorp/golang-lru/v2"

// Cache keeps the most recently used values. New makes one. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	values *lru.Cache[K, V]
}

// New returns an empty cache of at most limit values. Limits are constants: New
// panics if limit is not positive.
func New[K comparable, V any](limit int) *Cache[K, V] {
	values, err := lru.New[K, V](limit)
	if err != nil {
		panic(err)
	}
	return &Cache[K, V]{values: values}
}

// Get returns the value of a key, if the cache has it.
func (c *Cache[K, V]) Get(key K) (V, bool) { return c.values.Get(key) }

// Put stores a value in place of any earlier one. A full cache evicts the least recently used
// value.
func (c *Cache[K, V]) Put(key K, value V) { c.values.Add(key, value) }

// Remove forgets the value of a key.
func (c *Cache[K, V]) Remove(key K) { c.values.Remove(key) }

// Len returns the number of values in the cache.
func (c *Cache[K, V]) Len() int { return c.values.Len() }
