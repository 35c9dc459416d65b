package gateway

import (
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"stoa/internal/errs"
	"stoa/internal/runtime"
)

// When an instance is not called for a while (CONTRACT 5, Protection).
const (
	breakerWindow = time.Minute      // in which calls count
	breakerBucket = 5 * time.Second  // they leave the window in steps
	breakerCalls  = 10               // at least so many, at least half of which failed
	breakerPause  = 30 * time.Second // then one call tries again
)

// ErrOpen is returned for calls of an instance whose last calls failed. It has a
// Retry-After.
var ErrOpen = errs.New(errs.Busy, "PLUGIN_CIRCUIT_OPEN",
	"The plugin failed too often and is not called for a moment. Try again later.")

// breaker keeps calls from an instance that does not answer: they would only wait for
// the same failure. What the plugin itself answers is never a failure, whatever its
// status. It is safe for concurrent use.
type breaker struct {
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	opened  atomic.Pointer[time.Time] // nil: it is not open
}

var (
	errFailed    = errors.New("the plugin gave no answer")
	errNoVerdict = errors.New("the client left, or was at fault")
)

// newBreaker returns a closed breaker. It calls changed when it opens and when it closes.
func newBreaker(changed func(open bool)) *breaker {
	b := new(breaker)
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1, Interval: breakerWindow, BucketPeriod: breakerBucket, Timeout: breakerPause,
		IsExcluded: func(err error) bool { return errors.Is(err, errNoVerdict) },
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.TotalSuccesses+c.TotalFailures >= breakerCalls && c.TotalFailures >= c.TotalSuccesses
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			switch to {
			case gobreaker.StateOpen:
				now := time.Now()
				b.opened.Store(&now)
				if from == gobreaker.StateClosed {
					changed(true)
				}
			case gobreaker.StateClosed:
				b.opened.Store(nil)
				changed(false)
			case gobreaker.StateHalfOpen: // still open to all but one
			}
		},
	})
	return b
}

// refusal returns ErrOpen while the instance is not called, without counting.
func (b *breaker) refusal() error {
	if b.opened.Load() != nil && b.circuit.State() == gobreaker.StateOpen {
		return b.open()
	}
	return nil
}

func (b *breaker) open() error {
	wait := time.Second
	if at := b.opened.Load(); at != nil {
		wait = max(wait, time.Until(at.Add(breakerPause)))
	}
	return ErrOpen.After(wait)
}

// verdict is how one call of an instance turns out. It is for one goroutine. The zero verdict
// is of a call that does not count.
type verdict struct{ tell func(error) }

// begin counts a call, whose verdict the caller settles. The error is ErrOpen.
func (b *breaker) begin() (verdict, error) {
	tell, err := b.circuit.Allow()
	if err != nil {
		return verdict{}, b.open()
	}
	return verdict{tell}, nil
}

// settle tells how the call turned out. Only the first time counts.
func (v *verdict) settle(err error) {
	if v.tell != nil {
		v.tell(err)
		v.tell = nil
	}
}

// settleBy settles a call that has ended with err. If an answer had begun, it is settled.
func (v *verdict) settleBy(r *http.Request, err error) {
	switch {
	case r.Context().Err() != nil: // whatever came of it, the client did not wait for it
	case errors.Is(err, runtime.ErrUnreachable), errors.Is(err, runtime.ErrTimeout):
		v.settle(errFailed)
		return
	}
	v.settle(errNoVerdict)
}
