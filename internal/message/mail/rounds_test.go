package mail

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Where nothing is due, the database is not asked by all workers at once.
func TestRoundsLookOneAfterAnother(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var r Rounds
		begin := time.Now()
		var looks []time.Duration
		r.Start(t.Context(), func(context.Context) bool {
			looks = append(looks, time.Since(begin))
			return false
		})
		time.Sleep(2*roundPoll + time.Millisecond)
		r.Close()
		const apart = roundPoll / roundWorkers
		want := []time.Duration{0, apart, 2 * apart, 3 * apart, 4 * apart, 5 * apart, 6 * apart, 7 * apart, 8 * apart}
		if !slices.Equal(looks, want) {
			t.Errorf("looks at %v, want %v", looks, want)
		}
	})
}

// After all of them were busy at once, too.
func TestRoundsThatWereBusyTakeTurnsAgain(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var r Rounds
		begin := time.Now()
		var busy sync.WaitGroup
		busy.Add(roundWorkers)
		var one sync.Mutex // for looks
		var looks []time.Duration
		r.Start(t.Context(), func(context.Context) bool {
			at := time.Since(begin)
			if at <= roundPoll { // until after the turn of each
				time.Sleep(2*roundPoll - at)
				busy.Done()
				return false
			}
			one.Lock()
			defer one.Unlock()
			looks = append(looks, at)
			return false
		})
		busy.Wait()
		time.Sleep(time.Second) // what they missed meanwhile, they look for at once
		one.Lock()
		looks = nil
		one.Unlock()
		time.Sleep(roundPoll)
		r.Close()
		slices.Sort(looks)
		for i := range looks[1:] {
			if apart := looks[i+1] - looks[i]; apart != roundPoll/roundWorkers {
				t.Errorf("looks %v apart: %v", apart, looks)
			}
		}
		if len(looks) < roundWorkers {
			t.Errorf("looks at %v", looks)
		}
	})
}

// Whoever waits until nothing is left does not wait for workers that have ended.
func TestRoundsAreIdleOnceClosed(t *testing.T) {
	t.Parallel()

	for range 20 { // workers choose at random between what was announced and the end
		synctest.Test(t, func(t *testing.T) {
			var r Rounds
			ctx, stop := context.WithCancel(t.Context())
			release := make(chan struct{})
			r.Start(ctx, func(context.Context) bool {
				<-release
				return false
			})
			for range roundWorkers - 1 {
				r.Wake()
			}
			synctest.Wait() // every worker is busy
			for range roundWorkers {
				r.Wake()
			}
			stop()
			close(release)
			r.Close()
			waiting, cancel := context.WithTimeout(t.Context(), roundPoll)
			defer cancel()
			if err := r.Idle(waiting); err != nil {
				t.Errorf("%d pieces of work are left: %v", r.busy.Count(), err)
			}
		})
	}
}
