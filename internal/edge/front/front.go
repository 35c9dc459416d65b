// Package front serves plain HTTP/1.1 requests on the connections of a net/http server, in place of
// that server: in its own loop, on the goroutine that reads the connection.
//
// net/http remains the server. It accepts the connections and reads from them as always; a
// connection of this package looks at each request first. A plain request is answered right there,
// while net/http still waits for its first byte. Everything else goes to net/http byte for byte:
// HTTP/2, HTTP/1.0, upgrades, Expect, chunked bodies, large heads, and anything malformed, so that
// net/http phrases the refusal. When net/http has answered and waits again, this package looks
// again.
//
// Only the head of a request decides who serves it, not its handler, nor the length of its body or of the answer.
//
// Handlers see no difference (the tests compare both), except that http.Hijacker is missing:
// requests that need it go to net/http.
package front

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/edge/framing"
)

const (
	// IdleTimeout is how long a connection may wait for the next request. Once that starts to
	// arrive, framing.HeadTimeout applies.
	IdleTimeout = 2 * time.Minute
	// BodyTimeout is how long net/http waits for a body, unless the handler sets another limit.
	// net/http reads bodies that handlers ignore before it answers.
	BodyTimeout = 30 * time.Second
)

// Setup prepares a server that uses Listen.
func Setup(srv *http.Server) {
	srv.ReadHeaderTimeout, srv.ReadTimeout, srv.IdleTimeout = framing.HeadTimeout, BodyTimeout, IdleTimeout
	srv.MaxHeaderBytes, srv.Protocols, srv.ConnState = framing.MaxHead, framing.Protocols(), ConnState
}

// Front serves plain requests, here named calls. Its exported fields except Begin are required, and must not change
// once Listen was called. It is safe for concurrent use.
type Front struct {
	Handler http.Handler
	Log     *slog.Logger // gets panics of the Handler, at level debug as those of net/http
	// Begin derives the context of a new request from ctx. It saves the Handler a copy of the
	// request. If it is nil, the context is ctx.
	Begin func(ctx context.Context, r *http.Request) context.Context

	draining atomic.Bool

	mu    sync.Mutex
	conns map[*conn]struct{}
}

// Listen wraps a listener of a framing.Guard. The server that uses it needs Setup.
func (f *Front) Listen(ln net.Listener) net.Listener { return listener{ln, f} }

type listener struct {
	net.Listener

	front *Front
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	guarded, ok := nc.(*framing.Conn)
	if !ok {
		return nc, nil
	}
	c := newConn(l.front, guarded)
	l.front.mu.Lock()
	defer l.front.mu.Unlock()
	if l.front.conns == nil {
		l.front.conns = make(map[*conn]struct{})
	}
	l.front.conns[c] = struct{}{}
	return c, nil
}

// ConnState is the hook for http.Server, in place of framing.ConnState.
func ConnState(nc net.Conn, state http.ConnState) {
	c, ok := nc.(*conn)
	if !ok {
		framing.ConnState(nc, state)
		return
	}
	c.idle.Store(state == http.StateIdle)
	framing.ConnState(c.Conn, state)
}

// Drain starts the shutdown: waiting connections are closed, others after the call that they serve.
// It leaves connections that net/http serves to net/http.
func (f *Front) Drain() {
	f.draining.Store(true)
	for _, c := range f.all() {
		c.drain()
	}
}

// Wait returns when no call is being served. When ctx is done first, it cuts off the remaining
// calls and returns the error of ctx. Call Drain and http.Server.Shutdown before.
func (f *Front) Wait(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		busy := 0
		for _, c := range f.all() {
			if c.isServing() {
				busy++
			}
		}
		if busy == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			for _, c := range f.all() {
				c.cut()
			}
			return ctx.Err()
		}
	}
}

func (f *Front) all() []*conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]*conn, 0, len(f.conns))
	for c := range f.conns {
		all = append(all, c)
	}
	return all
}

func (f *Front) forget(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, c)
}
