// Package relay passes a request on to a plugin and the plugin's answer back to the client,
// streamed both ways: bodies, early answers, trailers, events and WebSocket. Both runtimes use it,
// so a plugin behaves alike wherever it runs. A runtime only decides how to reach the plugin
// (Upstream) and what a failure means (Failure).
//
// Package gateway has already decided what the plugin gets to see. This package adds no header to
// a request and follows no redirect.
package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"stoa/internal/run"
)

// Upstream describes how to reach a plugin. All fields but Host are required.
type Upstream struct {
	Transport http.RoundTripper // a *Transport, except in tests
	Scheme    string            // "http" or "https"
	Addr      string            // the host, and port, that Transport connects to

	Host   string // for the Host header; the client's own if empty
	Target string // for the request line; see run.Target

	// FirstByte is how long the plugin may take until its answer begins. Waiting
	// for the client's upload does not count.
	FirstByte time.Duration
	// UploadEnds is how long the end of an upload is waited for after the plugin has answered; 0: 50 ms. Tests set it.
	UploadEnds time.Duration

	Log *slog.Logger // for failures after an upgrade, at level debug
}

// Call is one request to a plugin and its answer. Make it with NewCall, and call End when it is
// over.
type Call struct {
	w      http.ResponseWriter
	r      *http.Request
	upload *upload // nil without a body

	lent bool // another goroutine got the request, and may still use it

	sent  atomic.Bool // the whole request was written to a connection once
	wrote atomic.Bool // its head was, by net/http
	seen  bool        // the plugin may have read some of it, in an attempt on this goroutine
}

// NewCall returns a Call that writes the answer to r to w. r is as run.Runtime describes it, and
// belongs to the Call from now on.
func NewCall(w http.ResponseWriter, r *http.Request) *Call {
	c := &Call{w: w, r: r}
	if r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0 {
		c.upload = &upload{body: r.Body}
		// A plugin may answer while it still reads. Without full duplex, net/http reads the rest
		// of the request before it sends the answer.
		_ = http.NewResponseController(w).EnableFullDuplex() // not every w has a connection
	}
	return c
}

// SetHeader sets a header of the request for the next Pass, and removes every other spelling of
// it. name is sent as it is.
func (c *Call) SetHeader(name, value string) {
	for other := range c.r.Header {
		if len(other) == len(name) && other != name && strings.EqualFold(other, name) {
			delete(c.r.Header, other)
		}
	}
	c.r.Header[name] = []string{value}
}

// End ends all use of the request's body. Without it, a transport could go on reading after it has
// returned an answer, when the body belongs to the server again.
func (c *Call) End() {
	if c.upload != nil {
		c.upload.end()
	}
}

// errSlow cancels a call whose answer did not begin in time.
var errSlow = errors.New("no answer in time")

// Pass sends the request to a plugin and copies its answer to the client. It returns nil when that
// is done, or when the client went away in the meantime.
//
// If Pass returns an error, nothing was written. The error is run.ErrTimeout, run.ErrCutShort, one
// that wraps the *http.MaxBytesError of the request's body, or a *Failure. After a Failure that is
// Repeatable, Pass may be called again.
//
// If the answer breaks off after it began, Pass panics with http.ErrAbortHandler, so that the
// client does not take a part for the whole.
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
	c.reportSpent(false)
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	watch := newWatch(up.FirstByte, func() { cancel(errSlow) })
	defer watch.stop()

	early := &earlyAnswers{w: c.w}
	var answered atomic.Bool
	out := c.outgoing(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
		Got1xxResponse:       early.pass,
		WroteHeaders:         func() { c.wrote.Store(true) },
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

// answer passes on the plugin's answer to out. An error means that nothing was written.
func (c *Call) answer(out *http.Request, res *http.Response, log *slog.Logger) error {
	if res.StatusCode == http.StatusSwitchingProtocols {
		plugin, ok := res.Body.(io.ReadWriteCloser)
		if !ok {
			return errUnasked
		}
		return switchProtocols(c.w, out, res, plugin, log)
	}
	if err := checkType(res.Header); err != nil {
		return err
	}
	c.pass(res)
	return nil
}

// explain turns the error that ended a call into the one that Pass returns. slow means that the
// answer did not begin in time.
func (c *Call) explain(failed error, slow, answered bool) error {
	client, uploadErr := c.r.Context().Err(), c.upload.failure()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(uploadErr, &tooLarge):
		return fmt.Errorf("relay: request body: %w", tooLarge)
	case slow, errors.Is(client, context.DeadlineExceeded):
		return run.ErrTimeout.Because(failed)
	case uploadErr != nil, client != nil && c.upload != nil && !c.sent.Load():
		// The client may still be there: net/http treats a half-closed connection as gone.
		return run.ErrCutShort.Because(cmp.Or(uploadErr, failed))
	case client != nil:
		return nil //nolint:nilerr // the client went away: no one gets the error
	}
	f := &Failure{Cause: failed, Answered: answered, NoConnection: isDialError(failed)}
	// A transport of net/http may send a request again that met a closed connection, so there a dial
	// error alone does not prove that nothing was sent before.
	f.Repeatable = !c.seen && !answered && (!c.lent || f.NoConnection && !c.sent.Load()) &&
		(c.upload == nil || !c.upload.read.Load() || c.upload.small != nil) // the next Pass sends small again
	return f
}

// Failure is the reason why a plugin gave no usable answer. Nothing was written to the client.
type Failure struct {
	Cause error

	Answered     bool // an answer began to arrive
	NoConnection bool // connecting to the plugin failed

	// Repeatable means that the request may be sent again, to another process, because the
	// plugin has seen nothing of it: nothing was written, or the plugin ended before it read what
	// was. Even a GET is not repeated otherwise: it may be what killed the process.
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
