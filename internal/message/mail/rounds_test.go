package mail

import (
	"context"
	"testing"
	"testing/synctest"
)

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
