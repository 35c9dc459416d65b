package cache

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Sized is a Cache limited by the sum of sizes instead of the number of values. NewSized makes one.
// It is safe for concurrent use.
type Sized[K comparable, V any] struct {
	limit int

	mu     sync.Mutex
	used   int // sum of the sizes of values
	values *simplelru.LRU[K, sized[V]]
}

type sized[V any] struct {
	value V
	size  int
}

// NewSized returns an empty cache for values whose sizes together do not exceed limit,
// in the unit of Put.
func NewSized[K comparable, V any](limit int) *Sized[K, V] {
	c := &Sized[K, V]{limit: limit}
	// The number of values is bounded by their sizes, each of which is at least 1.
	values, err := simplelru.NewLRU(limit, func(_ K, v sized[V]) { c.used -= v.size })
	if err != nil {
		panic(err)
	}
	c.values = values
	return c
}

// Get returns the value of a key, if the cache has it.
func (c *Sized[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used <= c.limit/2 {
		// Nothing will be evicted soon. Recording the use would write to the value's neighbors in
		// the list, which are not in the processor's caches if there are many.
		v, ok := c.values.Peek(key)
		return v.value, ok
	}
	v, ok := c.values.Get(key)
	return v.value, ok
}

// Put stores a value of the given size in place of any earlier one. A full cache evicts the least
// recently used values; uses count once it is half full. It does not store a value that is larger
// than its limit.
func (c *Sized[K, V]) Put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values.Remove(key) // an eviction, unlike a replacement, updates used
	size = max(size, 1)
	if size > c.limit {
		return
	}
	c.values.Add(key, sized[V]{value, size})
	for c.used += size; c.used > c.limit; {
		c.values.RemoveOldest()
	}
}

// Len returns the number of values in the cache.
func (c *Sized[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Len()
}
