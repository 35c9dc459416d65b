package gateway

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"stoa/internal/extension/plugin"
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

// What a Memory keeps of an instance outlives many snapshots, each of which has the instance anew.
// It keeps none of them, with its config and its manifest.
func TestAMemoryDoesNotKeepTheStateThatItDerivedFrom(t *testing.T) {
	t.Parallel()
	g := &Gateway{Memory: NewMemory(), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	first := func() weak.Pointer[plugin.Installed] {
		in := &plugin.Installed{Instance: plugin.Instance{ID: "i"}, Notes: new(atomic.Value)}
		if _, err := g.derive(in); err != nil {
			t.Fatal(err)
		}
		return weak.Make(in)
	}()
	runtime.GC()
	if first.Value() != nil {
		t.Error("the instance of the first snapshot is still in memory")
	}
	runtime.KeepAlive(g)
}

// A call of before a change may open the breaker of before. It does not take the place of what
// follows from the change.
func TestABreakerOfBeforeDoesNotReplaceThePresentOne(t *testing.T) {
	t.Parallel()
	g := &Gateway{Memory: NewMemory(), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	derive := func(version int64) *derived {
		d, err := g.derive(&plugin.Installed{Instance: plugin.Instance{ID: "i", Version: version}, Notes: new(atomic.Value)})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before, now := derive(1), derive(2)
	calls(t, before.breaker, breakerCalls, errFailed)
	if _, open := g.OpenSince("i"); open {
		t.Error("the present state is said not to be called")
	}
	if derive(2) != now {
		t.Error("the present state was derived twice, with a breaker for each")
	}
}
