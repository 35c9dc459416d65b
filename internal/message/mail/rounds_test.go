package mail

import (
	"context"
	"slices"
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
