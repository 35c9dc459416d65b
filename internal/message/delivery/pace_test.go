package delivery

import (
	"runtime"
	"testing"
	"time"
)

func TestSendsAreSpreadOverTime(t *testing.T) {
	t.Parallel()

	var p pace
	now := time.Now()
	for i := range paceAhead {
		if wait := p.reserve(now); wait > 0 {
			t.Fatalf("send %d waits %v", i+1, wait)
		}
	}
	perSecond := maxPerSecond * runtime.GOMAXPROCS(0)
	every := time.Second / time.Duration(perSecond)
	for i := range perSecond {
		if got, want := p.reserve(now), time.Duration(i+1)*every; got != want {
			t.Fatalf("send %d waits %v, want %v", paceAhead+i+1, got, want)
		}
	}
	// Later, as many may be sent again, and what was not sent is not saved up.
	for range paceAhead {
		if wait := p.reserve(now.Add(2 * time.Second)); wait > 0 {
			t.Fatalf("later, a send waits %v", wait)
		}
	}
	if wait := p.reserve(now.Add(2 * time.Second)); wait <= 0 {
		t.Error("more than paceAhead come at once")
	}
}
