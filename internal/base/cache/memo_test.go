package cache_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"stoa/internal/base/cache"
)

func TestAMemoCallsItsFunctionOnceAndStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	m := cache.NewMemo(10, func(text string) int {
		asked.Add(1)
		return len(text)
	})
	long := strings.Repeat("x", 1000)
	for range 2 {
		for i := range 5 {
			if got, text := m.Of(strconv.Itoa(i)), strconv.Itoa(i); got != len(text) {
				t.Errorf("Of(%s) = %d", text, got)
			}
		}
		_ = m.Of(long)
	}
	if n := asked.Load(); n != 5+2 {
		t.Errorf("asked %d times for 5 short texts and a long one, want 7", n)
	}
	for i := range 1000 {
		_ = m.Of(strconv.Itoa(i))
	}
	before := asked.Load()
	for i := range 1000 {
		_ = m.Of(strconv.Itoa(i))
	}
	if n := asked.Load() - before; n != 990 {
		t.Errorf("of 1000 texts %d were asked for again, want 990", n)
	}
}
