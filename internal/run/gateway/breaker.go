package gateway

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/edge/http1"
	"stoa/internal/run"
	"stoa/internal/run/relay"
)

// When the circuit breaker of an instance opens, and for how long (contract 5.11).
const (
	breakerWindow = time.Minute      // in which calls count
	breakerBucket = 5 * time.Second  // the step in which the window moves
	breakerCalls  = 10               // the least number of calls; half of them must have failed
	breakerPause  = 30 * time.Second // after which one call probes the instance
)

// ErrOpen is returned while the breaker of an instance is open. It has a Retry-After.
var ErrOpen = errs.New(errs.Busy, "PLUGIN_CIRCUIT_OPEN",
	"The plugin failed too often and is not called for a moment. Try again later.")

// breaker stops calls to an instance that does not answer: they would only wait for the same
// failure. An answer of the plugin is never a failure, whatever its status. A breaker is safe
// for concurrent use.
//
// It is our own and not gobreaker, with which a test compares it, because stoa calls many
// instances in turn: an instance that was not called recently has left the processor's caches,
// and this breaker takes two or three cache lines instead of seven (ADR 23).
type breaker struct {
	opened atomic.Pointer[time.Time] // nil: closed
	epoch  atomic.Uint32             // raised when it opens or closes: earlier verdicts do not count

	mu      sync.Mutex
	probing bool      // open, and one call probes
	bucket  int64     // the current one
	sum     tally     // of all buckets
	since   time.Time // when bucket 0 began
	changed func(open bool)
	buckets [breakerWindow / breakerBucket]tally
}

// tally counts calls with a verdict.
type tally struct{ all, failed uint32 }

var (
	errFailed    = errors.New("the plugin gave no answer")
	errNoVerdict = errors.New("the client left, or was at fault")
)

// newBreaker returns a closed breaker that calls changed whenever it opens or closes.
func newBreaker(changed func(open bool)) *breaker {
	return &breaker{since: time.Now(), changed: changed}
}

// refusal returns ErrOpen while the breaker is open. It counts nothing.
func (b *breaker) refusal() error {
	if at := b.opened.Load(); at != nil && time.Since(*at) < breakerPause {
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

// verdict reports how one call of an instance ended. It belongs to one goroutine. The zero
// verdict is that of a call that does not count.
type verdict struct {
	of    *breaker // nil once settled
	epoch uint32
	tries bool // this call probes an open breaker
}

// begin starts a call. The caller settles its verdict. The error is ErrOpen.
func (b *breaker) begin() (verdict, error) {
	if b.opened.Load() == nil {
		return verdict{of: b, epoch: b.epoch.Load()}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.opened.Load(); at != nil {
		if b.probing || time.Since(*at) < breakerPause {
			return verdict{}, b.open()
		}
		b.probing = true
		return verdict{of: b, epoch: b.epoch.Load(), tries: true}, nil
	}
	return verdict{of: b, epoch: b.epoch.Load()}, nil
}

// settle records how the call ended. Only the first settle counts.
func (v *verdict) settle(err error) {
	b := v.of
	if b == nil {
		return
	}
	v.of = nil
	switch {
	case v.tries:
		b.tried(err)
	case !errors.Is(err, errNoVerdict):
		b.count(v.epoch, err != nil)
	}
}

// tried ends a probe: the breaker closes if it succeeded, and stays open if it failed.
func (b *breaker) tried(err error) {
	b.mu.Lock()
	b.probing = false
	switch {
	case errors.Is(err, errNoVerdict): // the next call probes
	case err != nil:
		b.turn(true)
	default:
		b.turn(false)
	}
	closed := b.opened.Load() == nil
	b.mu.Unlock()
	if closed {
		b.changed(false)
	}
}

// count counts a call that began in epoch.
func (b *breaker) count(epoch uint32, failed bool) {
	b.mu.Lock()
	if epoch != b.epoch.Load() || b.opened.Load() != nil { // it may have opened after the call began
		b.mu.Unlock()
		return
	}
	b.move(int64(time.Since(b.since) / breakerBucket))
	t := &b.buckets[b.bucket%int64(len(b.buckets))]
	t.all++
	b.sum.all++
	if failed {
		t.failed++
		b.sum.failed++
	}
	opens := failed && b.sum.all >= breakerCalls && 2*b.sum.failed >= b.sum.all
	if opens {
		b.turn(true)
	}
	b.mu.Unlock()
	if opens {
		b.changed(true)
	}
}

// move makes bucket to the current one, and empties the buckets that leave the window. The
// caller holds mu.
func (b *breaker) move(to int64) {
	n := int64(len(b.buckets))
	for b.bucket = max(b.bucket, to-n); b.bucket < to; {
		b.bucket++
		old := &b.buckets[b.bucket%n]
		b.sum.all -= old.all
		b.sum.failed -= old.failed
		*old = tally{}
	}
}

// turn opens or closes the breaker and resets its counts. The caller holds mu.
func (b *breaker) turn(open bool) {
	b.epoch.Add(1)
	now := time.Now()
	b.since, b.bucket, b.sum, b.buckets = now, 0, tally{}, [len(b.buckets)]tally{}
	if open {
		b.opened.Store(&now)
	} else {
		b.opened.Store(nil)
	}
}

// settleBy settles the verdict of a call that has ended with err, unless it was settled when
// the answer began.
func (v *verdict) settleBy(r *http.Request, err error) {
	switch {
	case r.Context().Err() != nil: // the client left: no verdict
	case errors.Is(err, relay.ErrType): // else visitors could stop a plugin that keeps their files
		v.settle(nil)
		return
	case errors.Is(err, run.ErrPaced): // no verdict: the runtime waits before it tries again
	case errors.Is(err, http1.ErrUnsendable): // no verdict: the plugin was not asked
	case errors.Is(err, run.ErrUnreachable), errors.Is(err, run.ErrTimeout):
		v.settle(errFailed)
		return
	}
	v.settle(errNoVerdict)
}
