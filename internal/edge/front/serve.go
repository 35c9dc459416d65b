package front

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// lingerTime is how long a client that is still sending has to read an early answer: closing at once
// resets the connection, and clients lose what they have not read. net/http uses the same number.
const lingerTime = 500 * time.Millisecond

// serve answers a call. It returns false if the connection ends with it.
func (c *conn) serve(h *head) (again bool) {
	if !c.begin() {
		return false
	}
	defer func() { again = c.end() && again }()
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	a := newAnswer(c, h)
	given := ctx
	if c.front.Begin != nil {
		given = c.front.Begin(ctx, &a.request)
	}
	r := a.request.WithContext(given)
	if a.body != nil && !a.body.buffered { // the current deadline is that of the head
		_ = c.SetReadDeadline(time.Now().Add(BodyTimeout))
	}
	c.watch.begin(ctx, cancel, a.body != nil)
	if c.handle(a, r) {
		a.finish()
	} else {
		a.abandon()
	}
	c.watch.end()
	if again, early := a.close(); again || !early {
		a.release()
		return again
	}
	_ = c.CloseWrite()
	time.Sleep(lingerTime)
	return false
}

// handle calls the handler. It returns false if the handler panicked.
func (c *conn) handle(a *answer, r *http.Request) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // panics carry the value itself
			c.front.Log.DebugContext(r.Context(), "http: panic serving "+c.remote,
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
		}
	}()
	c.front.Handler.ServeHTTP(a, r)
	return true
}
