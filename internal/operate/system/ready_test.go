package system_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/operate/system"
)

// A check that hangs is a part that is not ready. It is not started again while it hangs, it
// keeps the others waiting for no longer than its limit, and it is asked again afterwards.
func TestReadinessOutlastsAPartThatHangs(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var runs, asked atomic.Int32
		release := make(chan struct{})
		r := &system.Readiness{Needs: []system.Need{
			{Name: "quick", Required: true, Run: func(context.Context) error { asked.Add(1); return nil }},
			{Name: "stuck", Run: func(context.Context) error { runs.Add(1); <-release; return nil }},
			{Name: "broken", Run: func(context.Context) error { return errors.New("out of order") }},
		}}
		started := time.Now()
		for range 5 {
			got := r.Conditions(t.Context())
			if !got[0].Ready || !got[0].Required || got[1].Ready || got[2].Ready || got[2].Err == nil {
				t.Fatalf("%+v", got)
			}
			time.Sleep(2 * time.Second)
		}
		if took := time.Since(started); took > 11*time.Second {
			t.Errorf("five looks took %v", took-10*time.Second)
		}
		if runs.Load() != 1 || asked.Load() != 5 {
			t.Errorf("the part that hangs was asked %d times, the others %d; want 1 and 5", runs.Load(), asked.Load())
		}
		close(release)
		time.Sleep(2 * time.Second)
		if got := r.Conditions(t.Context()); !got[1].Ready {
			t.Errorf("after it has answered: %+v", got[1])
		}
	})
}

// Frequent probes get the result of the last second.
func TestReadinessAsksOnceASecond(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var asked int
		r := &system.Readiness{Needs: []system.Need{{Name: "a", Run: func(context.Context) error { asked++; return nil }}}}
		for range 100 {
			r.Conditions(t.Context())
		}
		if asked != 1 {
			t.Errorf("asked %d times, want once", asked)
		}
		time.Sleep(time.Second)
		if r.Conditions(t.Context()); asked != 2 {
			t.Errorf("a second later asked %d times, want twice", asked)
		}
	})
}
