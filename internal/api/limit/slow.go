package limit

import (
	"context"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/edge/ratelimit"
)

const (
	// slowStep is how much longer each attempt waits than the one of its key before it, and slowest
	// is the longest wait: well below a request's time limit.
	slowStep = time.Second
	slowest  = 10 * time.Second
	// slowMax is how many attempts may wait at once: each holds a connection.
	slowMax = 5_000
)

var errTooManyWait = errs.New(errs.Busy, "BUSY", "Too many sign-ins are waiting. Try again.").After(time.Second)

// Delays lets attempts on one key wait. It is safe for concurrent use.
type Delays struct {
	mu      sync.Mutex
	waiting map[string]int // by key
	total   int
}

// NewDelays returns an empty Delays.
func NewDelays() *Delays { return &Delays{waiting: make(map[string]int)} }

// Slow counts an attempt of key against rule. Beyond the limit it delays the attempt, the longer the more
// attempts of the key are waiting. It never refuses an attempt because of its key: knowing an account's
// name must not be enough to lock its owner out.
//
// An attempt for which passes answers true is not delayed; it is asked beyond the limit only, and may be nil.
//
// It returns BUSY while thousands are waiting, and the error of a ctx that ends.
func (c Counter) Slow(ctx context.Context, rule ratelimit.Rule, key string, passes func() (bool, error)) error {
	if c.Limiter == nil || c.Limiter.Take(ctx, rule, key).Allowed {
		return nil
	}
	if passes != nil {
		if ok, err := passes(); ok || err != nil {
			return err
		}
	}
	return c.Delays.wait(ctx, key)
}

func (l *Delays) wait(ctx context.Context, key string) error {
	ahead, ok := l.enter(key)
	if !ok {
		return errTooManyWait
	}
	defer l.leave(key)
	delay := time.NewTimer(min(time.Duration(ahead+1)*slowStep, slowest))
	defer delay.Stop()
	select {
	case <-delay.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter returns how many attempts of key are waiting already.
func (l *Delays) enter(key string) (ahead int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= slowMax {
		return 0, false
	}
	ahead = l.waiting[key]
	l.waiting[key]++
	l.total++
	return ahead, true
}

func (l *Delays) leave(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.waiting[key]--; l.waiting[key] == 0 {
		delete(l.waiting, key)
	}
}
