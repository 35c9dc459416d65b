package system

import (
	"context"
	"sync"
	"time"
)

// Need is a dependency without which some requests fail.
type Need struct {
	// Name identifies the part. It is public.
	Name string
	// Required means that the process should get no requests without the part. Without any other
	// part it still serves the requests that do not need it.
	Required bool
	// Run returns why the part is not ready. Public answers leave the error out.
	Run func(ctx context.Context) error
}

// Condition is whether a part is ready.
type Condition struct {
	Name     string
	Ready    bool
	Required bool
	Err      error // why it is not ready; it may name addresses
}

const (
	// fresh is how long results are reused. /readyz is public, and must not pass each request on to
	// the database.
	fresh = time.Second
	// optionalLimit is how long a part may take that is not required: a probe must not time out
	// because of Redis.
	optionalLimit = 300 * time.Millisecond
)

// Readiness reports whether a process can serve. Needs is required. It is safe for concurrent use.
type Readiness struct {
	Needs []Need

	mu      sync.Mutex
	at      time.Time // of last
	last    []Condition
	hanging map[string]bool // parts whose check has not returned yet
}

// Conditions returns the state of all parts, in the order of Needs, as it was within the last
// second. A part that does not answer in time is not ready.
func (r *Readiness) Conditions(ctx context.Context) []Condition {
	r.mu.Lock()
	defer r.mu.Unlock() // concurrent requests share one check
	if r.last == nil || time.Since(r.at) >= fresh {
		// Other requests get this result, so it must not depend on this request's context.
		r.last, r.at = r.look(context.WithoutCancel(ctx)), time.Now()
	}
	return r.last
}

func (r *Readiness) look(ctx context.Context) []Condition {
	results := make([]chan error, len(r.Needs))
	for i, n := range r.Needs {
		results[i] = r.run(ctx, n)
	}
	all := make([]Condition, len(r.Needs))
	for i, n := range r.Needs {
		err := <-results[i]
		all[i] = Condition{Name: n.Name, Ready: err == nil, Required: n.Required, Err: err}
	}
	return all
}

// run checks a part. The channel gets one result, after the part's limit at the latest.
func (r *Readiness) run(ctx context.Context, n Need) chan error {
	result := make(chan error, 1)
	if r.hanging[n.Name] { // another check would hang, too
		result <- context.DeadlineExceeded
		return result
	}
	limit := optionalLimit
	if n.Required {
		limit = checkTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	go func() {
		defer cancel()
		select {
		case err := <-done:
			result <- err
			return
		case <-ctx.Done():
		}
		// It may have ended with the limit, as it should: then it does not hang.
		grace := time.NewTimer(optionalLimit / 10)
		defer grace.Stop()
		select {
		case err := <-done:
			result <- err
			return
		case <-grace.C:
		}
		r.hang(n.Name, done, result)
	}()
	return result
}

// hang waits for a check that ignores its limit.
func (r *Readiness) hang(name string, done, result chan error) {
	// look holds mu until it has this result: hanging is changed by one goroutine at a time.
	result <- context.DeadlineExceeded
	r.mu.Lock()
	if r.hanging == nil {
		r.hanging = make(map[string]bool)
	}
	r.hanging[name] = true
	r.mu.Unlock()
	<-done //nolint:errcheck // its late result is of no use
	r.mu.Lock()
	delete(r.hanging, name)
	r.mu.Unlock()
}
