package gateway

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/plugin"
)

// Calls that find a new state of an instance at once, in copies of their own, share what follows
// from it: its breaker above all, which OpenSince tells of.
func TestAStateIsDerivedOnce(t *testing.T) {
	t.Parallel()
	for range 500 {
		g := &Gateway{Memory: NewMemory(), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		all := make([]*derived, 8)
		var calls sync.WaitGroup
		for i := range all {
			calls.Go(func() {
				in := &plugin.Installed{Instance: plugin.Instance{ID: "i"}, Notes: new(atomic.Value)}
				all[i], _ = g.derive(in)
			})
		}
		calls.Wait()
		for _, d := range all {
			if d != all[0] {
				t.Fatal("two were made of one state")
			}
		}
	}
}

// An instance whose calls need not ask the Memory may be forgotten there. When its breaker opens,
// administrators see it all the same.
func TestAnOpenBreakerIsSeenAfterItsInstanceWasForgotten(t *testing.T) {
	t.Parallel()
	g := &Gateway{Memory: NewMemory(), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	d, err := g.derive(&plugin.Installed{Instance: plugin.Instance{ID: "i"}, Notes: new(atomic.Value)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxDerived / 512 {
		g.Memory.derived.Put(time.Duration(i).String(), d, 512)
	}
	if _, ok := g.Memory.derived.Get("i"); ok {
		t.Fatal("it was not forgotten")
	}
	calls(t, d.breaker, breakerCalls, errFailed)
	if _, open := g.OpenSince("i"); !open {
		t.Error("nobody sees that it is not called")
	}
}
