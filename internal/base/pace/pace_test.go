package pace

import (
	"testing"
	"time"
)

func TestABucketLetsPassItsRateAndNoMore(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := NewBucket(10, 20, now)
	for range 20 {
		if wait := b.Take(1, now); wait != 0 {
			t.Fatalf("what is there takes %s", wait)
		}
	}
	if wait := b.Take(5, now); wait != time.Second/2 {
		t.Errorf("five beyond it take %s, want 0.5 s", wait)
	}
	now = now.Add(time.Second / 2)
	if b.Has(now) {
		t.Error("it has what was taken ahead of time")
	}
	now = now.Add(time.Second / 10)
	if !b.Has(now) || b.Has(now) {
		t.Error("after a tenth of a second it has not one")
	}
	now = now.Add(time.Hour)
	if b.Take(20, now) != 0 || b.Has(now) {
		t.Error("it holds more than its most")
	}
}
