package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// withDeadline bounds the time a request may take: reading its body, the work,
// and writing the answer.
func withDeadline(limit time.Duration, h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		end := time.Now().Add(limit)
		ctx := &deadlineContext{Context: r.Context(), at: end}
		defer ctx.end()
		rc := http.NewResponseController(w)
		// Both fail only on writers that have no connection (tests). The write
		// deadline outlives the request unless it is taken back.
		if r.Body != http.NoBody { // else there is nothing to wait for
			_ = rc.SetReadDeadline(end)
		}
		_ = rc.SetWriteDeadline(end)
		defer func() { _ = rc.SetWriteDeadline(time.Time{}) }()
		return h(w, r.WithContext(ctx)) //nolint:contextcheck // its parent is the request's
	}
}

// deadlineContext is what context.WithDeadline returns, but made only when
// somebody waits for it: a timer and a place in the parent's list cost more than
// the whole routing of a request, and one that takes microseconds asks Err at most.
type deadlineContext struct {
	context.Context // of the request

	at time.Time

	mu     sync.Mutex
	real   context.Context // nil until somebody waits, or asks when it is over
	cancel context.CancelFunc
	ended  bool
}

// end releases what waits for the context: the request is over.
func (c *deadlineContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
}

// Deadline implements context.Context.
func (c *deadlineContext) Deadline() (time.Time, bool) {
	if at, ok := c.Context.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

// Done implements context.Context.
func (c *deadlineContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.arm().Done()
}

// Err implements context.Context. Once there is a reason it stays the same one: the
// real context keeps it.
func (c *deadlineContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real == nil && !c.ended && c.Context.Err() == nil && time.Now().Before(c.at) {
		return nil
	}
	return c.arm().Err()
}

// arm returns the real context. The caller holds mu.
func (c *deadlineContext) arm() context.Context {
	if c.real == nil {
		c.real, c.cancel = context.WithDeadline(c.Context, c.at)
		if c.ended {
			c.cancel()
		}
	}
	return c.real
}

// Value implements context.Context. Package context asks for a key of its own by
// which it recognises its kind, after Done: children then need no goroutine.
func (c *deadlineContext) Value(key any) any {
	c.mu.Lock()
	from := c.real
	c.mu.Unlock()
	if from == nil {
		from = c.Context
	}
	return from.Value(key)
}
