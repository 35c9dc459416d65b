// Package relay passes a request on to a plugin and the plugin's answer back to
// the client, streamed both ways: bodies, early answers, trailers, events and
// WebSocket. Both runtimes use it, so a plugin behaves alike wherever it runs. A
// runtime only says how the plugin is reached (Upstream) and what a failure means
// (Failure).
//
// What a plugin gets to see is decided before, by package gateway. This package
// adds no header to a request and follows no redirect.
package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"stoa/internal/run"
)

// Upstream says how a plugin is reached. All fields but Host are required.
type Upstream struct {
	Transport http.RoundTripper // a *Transport, except in tests
	Scheme    string            // "http" or "https"
	Addr      string            // the host, and port, that Transport connects to

	Host   string // for the Host header; the client's own if empty
	Target string // for the request line; see run.Target

	// FirstByte is how long the plugin may take until its answer begins. Waiting
	// for the client's upload does not count.
	FirstByte time.Duration

	Log *slog.Logger // gets what fails after an upgrade, at level debug
}

// Call is one request to a plugin on its way there and back. Make it with NewCall,
// and call End when it is over.
type Call struct {
	w      http.ResponseWriter
	r      *http.Request
	upload *upload // nil without a body

	lent bool // a goroutine got the request, and may still have it

	sent atomic.Bool // the whole request was written to a connection once
}

// NewCall returns a Call that answers r to w. r is as described by
// run.Runtime, and belongs to the Call from now on.
func NewCall(w http.ResponseWriter, r *http.Request) *Call {
	c := &Call{w: w, r: r}
	if r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0 {
		c.upload = &upload{body: r.Body}
		// A plugin may answer while it still reads. Without this net/http reads the
		// rest of the request before it sends the answer.
		_ = http.NewResponseController(w).EnableFullDuplex() // not every w has a connection
	}
	return c
}

// SetHeader sets a header of the request for the next Pass, in place of every other
// spelling. name is as it is to be sent.
func (c *Call) SetHeader(name, value string) {
	for other := range c.r.Header {
		if len(other) == len(name) && other != name && strings.EqualFold(other, name) {
			delete(c.r.Header, other)
		}
	}
	c.r.Header[name] = []string{value}
}

// End ends the use of the request's body: a transport may read on after it has
// returned an answer, when the body belongs to the server again.
func (c *Call) End() {
	if c.upload != nil {
		c.upload.end()
	}
}

// errSlow cancels a call whose answer did not begin in time.
var errSlow = errors.New("no answer in time")

// Pass sends the request to a plugin and copies its answer to the client. It
// returns nil when that is done, or when the client went away while it was waiting.
//
// With any error, nothing was written. It is run.ErrTimeout, run.ErrCutShort, an
// error that wraps the *http.MaxBytesError of the request's body, or a *Failure. After a
// Failure that is Repeatable, Pass may be called again.
//
// If the answer breaks off after it began, Pass panics with http.ErrAbortHandler,
// lest the client take a part for the whole.
func (c *Call) Pass(up Upstream) error {
	cleanRequest(c.r.Header)
	if pool := c.plainPool(up); pool != nil {
		return c.plain(pool, up)
	}
	return c.roundTrip(up)
}

// roundTrip is Pass with a transport of net/http.
func (c *Call) roundTrip(up Upstream) error {
	c.lent = true
	c.tellSpent(false)
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	watch := newWatch(up.FirstByte, func() { cancel(errSlow) })
	defer watch.stop()

	early := &earlyAnswers{w: c.w}
	var answered atomic.Bool
	out := c.outgoing(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
		Got1xxResponse:       early.pass,
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				c.sent.Store(true)
			}
		},
	}), up, watch)

	res, err := up.Transport.RoundTrip(out)
	early.end()
	watch.stop()
	if err == nil {
		defer res.Body.Close()
		err = c.answer(out, res, up.Log)
	}
	if err != nil {
		return c.explain(err, errors.Is(context.Cause(ctx), errSlow), answered.Load())
	}
	return nil
}

// answer passes the plugin's answer to out on. An error means that nothing was
// written.
func (c *Call) answer(out *http.Request, res *http.Response, log *slog.Logger) error {
	if res.StatusCode == http.StatusSwitchingProtocols {
		return switchProtocols(c.w, out, res, log)
	}
	c.pass(res)
	return nil
}

// explain turns what ended a call into what Pass returns. slow says that the answer did
// not begin in time.
func (c *Call) explain(failed error, slow, answered bool) error {
	client, uploadErr := c.r.Context().Err(), c.upload.failure()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(uploadErr, &tooLarge):
		return fmt.Errorf("relay: request body: %w", tooLarge)
	case slow, errors.Is(client, context.DeadlineExceeded):
		return run.ErrTimeout.Because(failed)
	case uploadErr != nil, client != nil && c.upload != nil && !c.sent.Load():
		// The client may be there: net/http takes one that has closed its half for gone.
		return run.ErrCutShort.Because(cmp.Or(uploadErr, failed))
	case client != nil:
		return nil //nolint:nilerr // the client went away: there is nobody to tell
	}
	f := &Failure{Cause: failed, Answered: answered, NoConnection: isDialError(failed)}
	// A transport repeats by itself what failed on an old connection: that there is
	// no connection now does not mean that there was none before.
	f.Repeatable = f.NoConnection && !c.sent.Load() &&
		(c.upload == nil || !c.upload.read.Load() || c.upload.small != nil) // which the next Pass has
	return f
}

// Failure is why a plugin gave no usable answer. The client got nothing yet.
type Failure struct {
	Cause error

	Answered     bool // an answer began to arrive
	NoConnection bool // the plugin could not be connected to

	// Repeatable says that the request may be sent again, to another process: the
	// plugin has seen nothing of it. Not even a GET is sent twice: it may be what
	// ended the process.
	Repeatable bool
}

// Error implements error.
func (f *Failure) Error() string { return f.Cause.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

func isDialError(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
