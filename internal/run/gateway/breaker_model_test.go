package gateway

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sony/gobreaker/v2"
)

// reference returns a breaker of the most used library, configured like ours.
func reference() *gobreaker.TwoStepCircuitBreaker[struct{}] {
	return gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1, Interval: breakerWindow, BucketPeriod: breakerBucket, Timeout: breakerPause,
		IsExcluded: func(err error) bool { return errors.Is(err, errNoVerdict) },
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.TotalSuccesses+c.TotalFailures >= breakerCalls && c.TotalFailures >= c.TotalSuccesses
		},
	})
}

// Whatever the order in which calls begin and end, both breakers decide alike. No time passes
// while calls run: gobreaker counts a call when it begins, ours when it ends.
func TestTheBreakerDecidesLikeGobreaker(t *testing.T) {
	t.Parallel()
	type call struct {
		ours   verdict
		theirs func(error)
	}
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			bad := random.IntN(100) // of a hundred calls
			ours, theirs := newBreaker(func(bool) {}), reference()
			for round := range 200 {
				var running []call
				for range random.IntN(8) {
					done, theirErr := theirs.Allow()
					v, ourErr := ours.begin()
					if (theirErr == nil) != (ourErr == nil) {
						t.Fatalf("seed %d, round %d: ours says %v, gobreaker %v", seed, round, ourErr, theirErr)
					}
					if ourErr == nil {
						running = append(running, call{v, done})
					}
				}
				for _, i := range random.Perm(len(running)) {
					var err error
					if random.IntN(100) < bad {
						err = []error{errFailed, errNoVerdict}[random.IntN(2)]
					}
					running[i].ours.settle(err)
					running[i].theirs(err)
				}
				pause := 9 * time.Second
				if random.IntN(20) == 0 {
					pause = 2 * breakerWindow
				}
				time.Sleep(time.Duration(random.Int64N(int64(pause))))
			}
		})
	}
}
