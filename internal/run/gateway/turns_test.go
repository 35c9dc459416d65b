package gateway

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
)

func TestTurnsBoundTheCallsOfEachInstallation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all turns
		var running, most, refused atomic.Int64
		var wg sync.WaitGroup
		for range 7 { // three run, three wait, one is refused
			wg.Go(func() {
				leave, err := all.take(t.Context(), "a", 3)
				if err != nil {
					refused.Add(1)
					if !errors.Is(err, ErrBusy) {
						t.Errorf("got %v, want ErrBusy", err)
					}
					return
				}
				defer leave()
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(turnWait / 2)
				running.Add(-1)
			})
		}
		synctest.Wait()
		leave, err := all.take(t.Context(), "b", 1) // another installation's
		if err != nil {
			t.Fatal(err)
		}
		leave()
		wg.Wait()
		if most.Load() != 3 || refused.Load() != 1 {
			t.Errorf("%d ran at once, %d were refused; want 3 and 1", most.Load(), refused.Load())
		}
		if len(all.busy) != 0 {
			t.Errorf("%d installations are remembered", len(all.busy))
		}
	})
}

func TestTurnsComeInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const waiting = 5
		var all turns
		var leaves []func()
		for range waiting {
			leave, err := all.take(t.Context(), "a", waiting)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		got := make(chan int, waiting)
		for i := range waiting {
			go func() {
				if _, err := all.take(t.Context(), "a", waiting); err == nil {
					got <- i
				}
			}()
			synctest.Wait() // it is in line
		}
		for i, leave := range leaves {
			leave()
			if next := <-got; next != i {
				t.Errorf("turn %d is that of call %d", i, next)
			}
		}
	})
}

func TestACallWaitsForItsTurnForALimitedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all turns
		leave, err := all.take(t.Context(), "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		if _, err := all.take(t.Context(), "a", 1); !errors.Is(err, ErrBusy) || time.Since(started) != turnWait {
			t.Errorf("got %v after %s", err, time.Since(started))
		}
		ctx, cancel := context.WithTimeout(t.Context(), turnWait/2)
		defer cancel()
		if _, err := all.take(ctx, "a", 1); !errors.Is(err, ErrBusy) || time.Since(started) != turnWait*3/2 {
			t.Errorf("got %v after %s, want the caller's own end", err, time.Since(started))
		}
		// A call that gave up takes no turn.
		next := make(chan func())
		go func() {
			leave, _ := all.take(t.Context(), "a", 1)
			next <- leave
		}()
		synctest.Wait()
		leave()
		(<-next)()
		if len(all.busy) != 0 {
			t.Errorf("%d installations are remembered", len(all.busy))
		}
	})
}

func TestARaisedBoundHoldsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all turns
		leave, _ := all.take(t.Context(), "a", 1)
		waited := make(chan error)
		go func() {
			leave, err := all.take(t.Context(), "a", 1)
			waited <- err
			leave()
		}()
		synctest.Wait()
		second, err := all.take(t.Context(), "a", 3)
		if err != nil || <-waited != nil {
			t.Errorf("got %v", err)
		}
		second()
		leave()
		synctest.Wait()
		if len(all.busy) != 0 {
			t.Errorf("%d installations are remembered", len(all.busy))
		}
	})
}

func TestAdministratorsSeeThatAnInstanceIsBusy(t *testing.T) {
	t.Parallel()

	for role, want := range map[reqctx.Role]any{reqctx.RoleAdmin: "busy", reqctx.RoleUser: nil} {
		who := reqctx.Caller{UserID: "ada", Role: role, Rights: permission.OfRole(string(role), "")}
		err := explain(ErrBusy.After(busyRetry).Because(t.Context().Err()), "pay", who)
		if e, ok := errors.AsType[*errs.Error](err); !ok || e.Details["reason"] != want || e.Details["slug"] != "pay" {
			t.Errorf("%s gets %v, want the reason %v", role, err, want)
		}
	}
}
