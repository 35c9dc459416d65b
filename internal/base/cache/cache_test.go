package cache_test

import (
	"sync"
	"testing"

	"stoa/internal/base/cache"
)

func TestANewCacheIsEmpty(t *testing.T) {
	t.Parallel()

	c := cache.New[string, int](1)
	c.Remove("a")
	if v, ok := c.Get("a"); ok || v != 0 || c.Len() != 0 {
		t.Errorf("Get = %d, %t with %d values; want none", v, ok, c.Len())
	}
}

func TestTheLeastRecentlyUsedValueIsEvicted(t *testing.T) {
	t.Parallel()

	const limit = 3
	c := cache.New[string, int](limit)
	c.Put("a", 1)
	c.Put("b", 2)
	c.Put("c", 3) // at the limit
	c.Get("a")
	c.Put("b", 4)
	c.Put("d", 5) // one beyond
	for key, want := range map[string]int{"a": 1, "b": 4, "c": 0, "d": 5} {
		if got, ok := c.Get(key); got != want || ok != (want != 0) {
			t.Errorf("%s = %d, %t; want %d", key, got, ok, want)
		}
	}
	c.Remove("a")
	if _, ok := c.Get("a"); ok || c.Len() != limit-1 {
		t.Errorf("after Remove: found %t, %d values; want %d without it", ok, c.Len(), limit-1)
	}
}

func TestConcurrentUseStaysWithinTheLimit(t *testing.T) {
	t.Parallel()

	const limit = 100
	c := cache.New[int, int](limit)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 10 * limit {
				n := i * (w + 1)
				c.Put(n, n)
				if v, ok := c.Get(n); ok && v != n {
					t.Errorf("value of %d = %d", n, v)
				}
				if i%7 == 0 {
					c.Remove(n)
				}
			}
		})
	}
	wg.Wait()
	if n := c.Len(); n > limit {
		t.Errorf("%d values, want %d at most", n, limit)
	}
}
