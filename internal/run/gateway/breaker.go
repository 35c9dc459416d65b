package gateway

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/run"
)

// When an instance is not called for a while (contract 5.11).
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
//
// It is ours and not gobreaker, with which a test compares it, for the sake of many
// instances in turn: one that was not called for a while is not in the processor's caches,
// and this takes two or three lines of them instead of seven (ADR 23).
type breaker struct {
	opened atomic.Pointer[time.Time] // nil: it is not open
	epoch  atomic.Uint32             // raised when it opens or closes: verdicts of before do not count

	mu      sync.Mutex
	probing bool      // open, and one call tries
	bucket  int64     // the present one
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

// newBreaker returns a closed breaker. It calls changed when it opens and when it closes.
func newBreaker(changed func(open bool)) *breaker {
	return &breaker{since: time.Now(), changed: changed}
}

// refusal returns ErrOpen while the instance is not called, without counting.
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

// verdict is how one call of an instance turns out. It is for one goroutine. The zero verdict
// is of a call that does not count.
type verdict struct {
	of    *breaker // nil: it is settled
	epoch uint32
	tries bool // whether a breaker that is open may close
}

// begin counts a call, whose verdict the caller settles. The error is ErrOpen.
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

// settle tells how the call turned out. Only the first time counts.
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

// tried ends the call by which an open breaker found out whether it may close.
func (b *breaker) tried(err error) {
	b.mu.Lock()
	b.probing = false
	switch {
	case errors.Is(err, errNoVerdict): // the next one tries
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

// count counts a call that began in an epoch.
func (b *breaker) count(epoch uint32, failed bool) {
	b.mu.Lock()
	if epoch != b.epoch.Load() || b.opened.Load() != nil { // it may have opened while the call began
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

// move makes a bucket the present one, and empties those that leave the window. The caller
// holds mu.
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

// turn opens or closes, and begins to count anew. The caller holds mu.
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

// settleBy settles a call that has ended with err. If an answer had begun, it is settled.
func (v *verdict) settleBy(r *http.Request, err error) {
	switch {
	case r.Context().Err() != nil: // whatever came of it, the client did not wait for it
	case errors.Is(err, run.ErrUnreachable), errors.Is(err, run.ErrTimeout):
		v.settle(errFailed)
		return
	}
	v.settle(errNoVerdict)
}
