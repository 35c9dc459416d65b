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

// Concurrent calls that see a new state of an instance, each in its own copy, share what is
// derived from it: above all the breaker, which OpenSince reports.
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
				t.Fatal("one state was derived twice")
			}
		}
	}
}

// The Memory may evict an instance whose calls need not look there. When its breaker opens,
// administrators see it all the same.
func TestAnOpenBreakerIsReportedAfterItsInstanceWasEvicted(t *testing.T) {
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
		t.Fatal("it was not evicted")
	}
	calls(t, d.breaker, breakerCalls, errFailed)
	if _, open := g.OpenSince("i"); !open {
		t.Error("OpenSince does not report it")
	}
}

// What a Memory derives from an instance outlives many snapshots, each with a new copy of the
// instance. The Memory must hold none of these copies, with their config and manifest.
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

// A call that began before a change may still open the old breaker. The old state must not
// replace the new one in the Memory.
func TestAnOldBreakerDoesNotReplaceTheCurrentOne(t *testing.T) {
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
		t.Error("the current state is reported as open")
	}
	if derive(2) != now {
		t.Error("the current state was derived twice, with a breaker for each")
	}
}
