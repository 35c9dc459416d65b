package limit

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/edge/ratelimit"
)

func counter(tb testing.TB) Counter {
	tb.Helper()
	l, err := ratelimit.New(ratelimit.Options{Rules: Rules(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	return Counter{Limiter: l, Delays: NewDelays()}
}

// However many attempts are made on one account, at once or one after another,
// each has its turn: within the limit at once, then after one to ten seconds.
func TestAttemptsOnAnAccountAreSlowedAndNeverRefused(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		c := counter(t)
		took := func(key string) time.Duration {
			start := time.Now()
			if err := c.Slow(t.Context(), LoginAccount, key, nil); err != nil {
				t.Error(err)
			}
			return time.Since(start)
		}
		for i := range LoginAccount.Limit {
			if d := took("ada"); d != 0 {
				t.Fatalf("attempt %d waited %s, want none", i, d)
			}
		}
		if d := took("ada"); d != time.Second {
			t.Errorf("the first beyond the limit waited %s, want 1s", d)
		}
		known := func() (bool, error) { return true, nil }
		if start := time.Now(); c.Slow(t.Context(), LoginAccount, "ada", known) != nil || time.Since(start) != 0 {
			t.Errorf("one that passes waited %s", time.Since(start))
		}
		if d := took("bob"); d != 0 {
			t.Errorf("another account waited %s", d)
		}
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			waits []time.Duration
		)
		for range 100 {
			wg.Go(func() {
				d := took("ada")
				mu.Lock()
				defer mu.Unlock()
				waits = append(waits, d)
			})
		}
		wg.Wait()
		slices.Sort(waits)
		if waits[0] != time.Second || waits[4] != 5*time.Second || waits[9] != 10*time.Second || waits[99] != 10*time.Second {
			t.Errorf("100 at once waited %v, want 1s, 2s, … and 10s at most", waits)
		}
		time.Sleep(LoginAccount.Window)
		if d := took("ada"); d != 0 {
			t.Errorf("after a quiet window it waited %s", d)
		}
		if len(c.Delays.waiting) != 0 || c.Delays.total != 0 {
			t.Errorf("the delays remember %v", c.Delays.waiting)
		}
	})
}

func TestWaitingAttemptsAreBoundedAndEndWithTheirRequest(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		delays := NewDelays()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range slowMax {
			wg.Go(func() {
				if err := delays.wait(ctx, "ada"); !errors.Is(err, context.Canceled) {
					t.Errorf("wait = %v, want the context's error", err)
				}
			})
		}
		synctest.Wait()
		if err := delays.wait(ctx, "bob"); errs.KindOf(err) != errs.Busy {
			t.Errorf("one more = %v, want BUSY", err)
		}
		cancel()
		wg.Wait()
		if delays.total != 0 {
			t.Errorf("%d still wait", delays.total)
		}
	})
}
