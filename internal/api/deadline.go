package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"stoa/internal/api/web"
)

// withDeadline limits the time of a request: for reading its body and for the work. Writing the answer
// may take as long as the client makes progress (package stall).
func withDeadline(limit time.Duration, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		end := time.Now().Add(limit)
		ctx := &deadlineContext{Context: r.Context(), at: end}
		defer ctx.end()
		if r.Body != http.NoBody { // else there is nothing to wait for
			_ = http.NewResponseController(w).SetReadDeadline(end) // fails only without a connection (tests)
		}
		return h(w, r.WithContext(ctx))
	}
}

// deadlineContext behaves like the context of context.WithDeadline, but creates that context only when
// Done is called: a timer and an entry in the parent's list cost more than the whole routing of a
// request, and a request that takes microseconds calls Err at most.
type deadlineContext struct {
	context.Context // of the request

	at time.Time

	mu     sync.Mutex
	real   context.Context // nil until Done, or Err after the end, is called
	cancel context.CancelFunc
	ended  bool
}

// end cancels the context: the request is over.
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

// Err implements context.Context. The real context keeps the first reason.
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

// Value implements context.Context. After Done, package context asks for a private
// key by which it recognizes its own contexts: children of one need no goroutine.
func (c *deadlineContext) Value(key any) any {
	c.mu.Lock()
	from := c.real
	c.mu.Unlock()
	if from == nil {
		from = c.Context
	}
	return from.Value(key)
}
