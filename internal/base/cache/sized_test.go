package cache_test

import (
	"testing"

	"stoa/internal/base/cache"
)

func TestASizedCacheEvictsTheLeastRecentlyUsedValues(t *testing.T) {
	t.Parallel()
	c := cache.NewSized[string, int](10)
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	if _, ok := c.Get("a"); !ok {
		t.Error("a is gone although everything fits")
	}
	c.Put("c", 3, 4) // 12: b was not used since
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("has %s = %t, want %t", key, ok, want)
		}
	}
	c.Put("d", 4, 10)
	if got := c.Len(); got != 1 {
		t.Errorf("%d values besides one of the whole size", got-1)
	}
}

func TestASizedCacheCountsAReplacedValueOnce(t *testing.T) {
	t.Parallel()
	c := cache.NewSized[string, int](10)
	c.Put("kept", 0, 2)
	for i := range 100 {
		c.Put("a", i, 8)
	}
	if _, ok := c.Get("kept"); !ok {
		t.Error("replacing a value pushed another out")
	}
	if v, ok := c.Get("a"); !ok || v != 99 {
		t.Errorf("Get = %d, %t", v, ok)
	}
}

func TestASizedCacheRefusesValuesLargerThanItsLimit(t *testing.T) {
	t.Parallel()
	c := cache.NewSized[string, int](10)
	c.Put("small", 1, 10)
	c.Put("large", 1, 11)
	if _, ok := c.Get("large"); ok {
		t.Error("it took the large one")
	}
	if _, ok := c.Get("small"); !ok {
		t.Error("the large one pushed the small one out")
	}
}
