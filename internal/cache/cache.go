// Package cache keeps values in memory that can be made again. Every cache of the
// process is one of these, so that none grows without a bound. ARCHITECTURE.md
// lists them all.
//
// A cache knows nothing about the age or the truth of its values: its owner stores
// what it needs to check that with the value, and checks.
package cache

import (
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Cache remembers the values that were used last. The zero value is empty and
// ready for use. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	// values is nil until the first Put, which knows the limit.
	values atomic.Pointer[lru.Cache[K, V]]
}

// Get returns the value of a key, if it is remembered.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	values := c.values.Load()
	if values == nil {
		var none V
		return none, false
	}
	return values.Get(key)
}

// Put remembers a value in place of any before it. Of more than limit values, the
// one that was not used for the longest time is forgotten. limit is positive, and
// the same in every call.
func (c *Cache[K, V]) Put(key K, value V, limit int) {
	c.make(limit).Add(key, value)
}

// Remove forgets the value of a key.
func (c *Cache[K, V]) Remove(key K) {
	if values := c.values.Load(); values != nil {
		values.Remove(key)
	}
}

// Len returns how many values are remembered.
func (c *Cache[K, V]) Len() int {
	if values := c.values.Load(); values != nil {
		return values.Len()
	}
	return 0
}

func (c *Cache[K, V]) make(limit int) *lru.Cache[K, V] {
	if values := c.values.Load(); values != nil {
		return values
	}
	values, err := lru.New[K, V](limit)
	if err != nil {
		panic(err) // the limit is a constant of ours, and it is not positive
	}
	if !c.values.CompareAndSwap(nil, values) {
		return c.values.Load() // another first Put won
	}
	return values
}
