package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/runtime"
)

// errSlow cancels a call whose answer did not begin in time.
var errSlow = errors.New("no answer in time")

// reapWait is how long a call waits for the proof that a broken connection means
// a dead process.
const reapWait = time.Second

// bufferSize is how many bytes of an answer are copied at a time.
const bufferSize = 32 << 10

// forward passes r to the process and copies its answer to w, streamed both ways.
// again reports that the process died and r may be tried on another.
func (p *process) forward(w http.ResponseWriter, r *http.Request) (again bool, err error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	watch := runtime.NewWatch(p.rt.cfg.FirstByte, func() { cancel(errSlow) })
	defer watch.Stop()

	// A plugin may answer while it still reads; without this the server swallows
	// the rest of the request when the answer begins.
	_ = http.NewResponseController(w).EnableFullDuplex() // not every w can, and need

	var answered atomic.Bool
	out := r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
	}))
	body := &upload{body: r.Body, watch: watch}
	hasBody := r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0
	if hasBody {
		out.Body = body
	} else {
		out.Body = nil
	}

	var failed error
	proxy := &httputil.ReverseProxy{
		Transport: p.transport,
		Rewrite:   passUnchanged,
		ModifyResponse: func(res *http.Response) error {
			watch.Stop()
			if res.StatusCode == http.StatusSwitchingProtocols {
				runtime.Withhold(res.Header) // the gateway never sees this header
			}
			return nil
		},
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		FlushInterval: -1, // events must arrive when they happen
		BufferPool:    &p.rt.buffers,
		ErrorLog:      slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	func() {
		defer body.end() // the proxy panics when a started answer breaks off
		proxy.ServeHTTP(w, out)
	}()
	if failed == nil {
		return false, nil
	}
	if cause := context.Cause(ctx); cause == nil && body.failure() == nil && answered.Load() && !isBroken(failed) {
		return false, unreachable(reasonBadAnswer, fmt.Errorf("node: %w", failed))
	}
	again = !body.read.Load() && isDialError(failed) || !hasBody && isSafe(r.Method)
	return p.explain(r, body, failed, context.Cause(ctx), again)
}

// explain turns a failed call into what Serve returns.
func (p *process) explain(r *http.Request, body *upload, failed, cause error, again bool) (bool, error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(body.failure(), &tooLarge):
		return false, fmt.Errorf("node: request body: %w", tooLarge)
	case errors.Is(cause, errSlow), errors.Is(r.Context().Err(), context.DeadlineExceeded):
		return false, runtime.ErrTimeout.Because(failed)
	case r.Context().Err() != nil, body.failure() != nil:
		return false, nil // the client went away
	}
	timer := time.NewTimer(p.rt.reapWait)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		if !isDialError(failed) {
			return false, unreachable(reasonBadAnswer, fmt.Errorf("node: %w", failed))
		}
		again = false
		p.askToEnd() // it runs, and does not listen: no use
	}
	if p.stalled.Load() {
		// One of the calls did it: none is tried on another process.
		return false, unreachable(reasonStalled, fmt.Errorf("node: %w", failed))
	}
	return again, unreachable(reasonCrashed, fmt.Errorf("node: %w", failed))
}

// hopByHop are the headers of one connection (RFC 9110, 7.6.1).
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// passUnchanged makes the outgoing request what the gateway made: ReverseProxy
// would drop headers that the request's own Connection header names, forwarding
// headers, and parts of the query that it cannot parse.
func passUnchanged(pr *httputil.ProxyRequest) {
	header := pr.In.Header.Clone()
	for _, name := range hopByHop {
		header.Del(name)
	}
	if protocol := pr.Out.Header.Get("Upgrade"); protocol != "" {
		header.Set("Connection", "Upgrade")
		header.Set("Upgrade", protocol)
	}
	if te := pr.Out.Header.Get("Te"); te != "" {
		header.Set("Te", te)
	}
	pr.Out.Header = header
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery
	pr.Out.URL.Scheme, pr.Out.URL.Host = "http", "plugin"
	pr.Out.Host = pr.In.Host
}

// isBroken reports whether a connection ended early: the process may be dying.
func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(*net.OpError))
}

func isDialError(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func isSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// upload is a request's body on its way to the plugin. While the client is being
// waited for, the plugin's time stands still.
type upload struct {
	body  io.ReadCloser
	watch *runtime.Watch
	read  atomic.Bool // some of it may have been taken
	ended atomic.Bool

	mu  sync.Mutex
	err error
}

// Read implements io.Reader.
func (u *upload) Read(b []byte) (int, error) {
	u.read.Store(true)
	if u.ended.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	u.watch.Pause()
	n, err := u.body.Read(b)
	u.watch.Resume()
	if err != nil && !errors.Is(err, io.EOF) {
		u.mu.Lock()
		u.err = err
		u.mu.Unlock()
	}
	return n, err
}

// Close implements io.Closer. It does nothing: until end, another process may be
// given the same body.
func (u *upload) Close() error { return nil }

// end makes sure that nobody reads the body any more: the transport may do so
// after the answer is complete, and the server takes the connection back then.
// A body that was not touched is left as it is.
func (u *upload) end() {
	u.ended.Store(true)
	if u.read.Load() {
		_ = u.body.Close()
	}
}

// failure returns why the body could not be read to its end.
func (u *upload) failure() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// bufferPool holds buffers for copying answers.
type bufferPool struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *bufferPool) Get() []byte {
	if buf, ok := b.pool.Get().(*[bufferSize]byte); ok {
		return buf[:]
	}
	return make([]byte, bufferSize)
}

// Put implements httputil.BufferPool.
func (b *bufferPool) Put(buf []byte) {
	if len(buf) == bufferSize {
		b.pool.Put((*[bufferSize]byte)(buf))
	}
}
