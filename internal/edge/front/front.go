// Package front serves calls to plugins on the connections of a net/http server, in place
// of that server: in a loop of its own, on the goroutine that reads the connection.
//
// net/http stays the server. It accepts the connections and reads from them as always; a
// connection of this package looks at each request first. A plain call to a plugin is
// answered right there, while net/http still waits for its first byte. Everything else
// is handed on to net/http byte for byte: other paths, HTTP/2, upgrades, Expect, chunked
// bodies, large heads, and whatever is not perfectly well-formed, so that net/http finds
// the words for it. When net/http has answered and waits again, this package looks again.
//
// Handlers see no difference (the tests compare both), except that http.Hijacker is
// missing: what needs it is handed on.
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
	// IdleTimeout is how long a connection may wait for the next request. Once it begins,
	// framing.HeadTimeout is the limit.
	IdleTimeout = 2 * time.Minute
	// BodyTimeout is how long net/http waits for a body, unless the handler says otherwise.
	// It reads bodies that no handler reads, before it answers.
	BodyTimeout = 30 * time.Second
)

// Setup prepares a server that uses Listen.
func Setup(srv *http.Server) {
	srv.ReadHeaderTimeout, srv.ReadTimeout, srv.IdleTimeout = framing.HeadTimeout, BodyTimeout, IdleTimeout
	srv.MaxHeaderBytes, srv.Protocols, srv.ConnState = framing.MaxHead, framing.Protocols(), ConnState
}

// Front serves calls. Its exported fields are required but for Begin, and stay as they are once Listen
// was called. It is safe for concurrent use.
type Front struct {
	Handler http.Handler
	// Serves reports whether the requests to a target are served by this package. A target
	// is the path of a request line, with its query.
	Serves func(target string) bool
	Log    *slog.Logger // gets panics of the Handler, at level debug as those of net/http
	// Begin returns the context of a request that has none yet, made of ctx. It saves the
	// Handler a copy of the request. nil: the context is ctx.
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

// Drain begins to end: connections that wait for a request are closed, others after the
// call that they serve. Connections that net/http serves are its own business.
func (f *Front) Drain() {
	f.draining.Store(true)
	for _, c := range f.all() {
		c.drain()
	}
}

// Wait returns when no call is served any more. When ctx is done before, it cuts off
// those that are left, and returns the error of ctx. Call Drain and http.Server.Shutdown
// before.
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
