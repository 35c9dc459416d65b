package egress

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa/internal/base/reqctx"
)

const (
	// maxConns is how many connections a plugin may have at each of its addresses.
	maxConns = 128

	// connIdle is how long a connection to a granted host may be idle.
	connIdle = 5 * time.Minute
)

// Serve serves the listeners of p's addresses, which come in the order of Spec.Listen, until ctx
// ends, and closes them. log names the plugin.
func (p *Plan) Serve(ctx context.Context, log *slog.Logger, listeners []net.Listener) {
	var running sync.WaitGroup
	var calls, conns *turns
	if !p.whole { // a theme app serves the shop: it calls as often as visitors do
		calls, conns = newTurns(callsPerSec, callsBurst), newTurns(connsPerSec, connsBurst)
	}
	for i, ln := range listeners {
		r, ln := p.routes[i], limitConns(ln, maxConns, conns)
		running.Go(func() {
			switch {
			case r.at == askAt:
				p.serveAsks(ctx, log, ln)
			case r.host == "":
				p.servePlatform(ctx, log, ln, calls)
			default:
				p.serveHost(ctx, log, ln, r)
			}
		})
	}
	running.Wait()
}

// accept calls serve for each connection, which it closes afterwards, until ctx ends.
func accept(ctx context.Context, ln net.Listener, serve func(net.Conn)) {
	stop := context.AfterFunc(ctx, func() { ln.Close() }) //nolint:gosec // the plugin is gone
	defer stop()
	var running sync.WaitGroup
	defer running.Wait()
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		running.Go(func() {
			defer conn.Close()
			serve(conn)
		})
	}
}

// servePlatform serves the platform API on ln.
func (p *Plan) servePlatform(ctx context.Context, log *slog.Logger, ln net.Listener, calls *turns) {
	g := p.gate
	if g.tls != nil {
		ln = tls.NewListener(ln, g.tls.config)
	}
	if g.cfg.Listen != nil {
		ln = g.cfg.Listen(ln)
	}
	srv := &http.Server{
		Handler:           inTurn(g.platform(log, p.whole, p.Channel), calls),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnState:         g.cfg.ConnState,
		ErrorLog:          slog.NewLogLogger(g.cfg.Log.Handler(), slog.LevelDebug),

		DisableGeneralOptionsHandler: true,
	}
	stop := context.AfterFunc(ctx, func() { srv.Close() }) //nolint:gosec // the plugin is gone
	defer stop()
	_ = srv.Serve(ln) // ends with Close
}

// inTurn passes calls on at the rate of calls. It drops a call that the plugin gives up while it waits:
// otherwise, giving up would get the call served at once.
func inTurn(next http.Handler, calls *turns) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.wait(r.Context().Done()) {
			next.ServeHTTP(w, r)
		}
	})
}

// platform passes on calls of the platform API that come over a channel, and other calls only if
// whole.
func (g *Gate) platform(log *slog.Logger, whole bool, channel reqctx.Channel) http.Handler {
	var refusals sometimes
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		escaped, ok := strings.CutPrefix(r.URL.EscapedPath(), g.prefix)
		if !ok || g.cfg.Platform == nil || !whole && !isPlatformCall(escaped) || escaped != "" && escaped[0] != '/' {
			refusals.log(r.Context(), log, "plugin refused: not a route of the platform API",
				slog.String("method", r.Method), slog.String("path", r.URL.Path))
			http.Error(w, "Plugins reach "+PlatformPath+" here, and nothing else.", http.StatusForbidden)
			return
		}
		r.URL.Path, r.URL.RawPath = strings.TrimPrefix(r.URL.Path, g.prefix), escaped
		r.RequestURI = r.URL.RequestURI()
		// stoa must determine addresses and schemes itself.
		for name := range r.Header {
			if strings.HasPrefix(name, "X-Forwarded-") || name == "Forwarded" || name == "X-Real-Ip" {
				delete(r.Header, name)
			}
		}
		r.RemoteAddr = "127.0.0.1:0"
		g.cfg.Platform.ServeHTTP(w, r.WithContext(reqctx.WithChannel(r.Context(), channel)))
	})
}

// storagePath is the prefix of the storage of plugins (contract 7.3).
const storagePath = PlatformPath + "storage/"

// isPlatformCall reports whether a path, as it was sent, is below PlatformPath however it is
// read: nothing encoded, nothing to clean. The key of a stored value may have any character
// encoded, because it is one segment: stoa matches its routes before it decodes.
func isPlatformCall(escaped string) bool {
	if key, ok := strings.CutPrefix(escaped, storagePath); ok && strings.Contains(key, "%") {
		return !strings.ContainsAny(key, "/\\")
	}
	return strings.HasPrefix(escaped, PlatformPath) && !strings.ContainsAny(escaped, "%\\") &&
		path.Clean(escaped) == strings.TrimSuffix(escaped, "/")
}

// serveHost copies bytes between the plugin and a granted host.
func (p *Plan) serveHost(ctx context.Context, log *slog.Logger, ln net.Listener, r route) {
	var refusals sometimes
	accept(ctx, ln, func(conn net.Conn) {
		remote := p.ready.take(r.at)
		if remote == nil {
			var err error
			if remote, err = p.gate.dial(ctx, r); err != nil {
				refusals.log(ctx, log, noConnection, slog.String("host", r.host), slog.Any("err", err))
				refuse(ctx, conn)
				return
			}
		}
		defer remote.Close()
		exchange(ctx, conn, remote)
	})
}

const noConnection = "plugin refused: no connection to a granted host"

// dial connects to the granted host of a route.
func (g *Gate) dial(ctx context.Context, r route) (net.Conn, error) {
	return g.dialer.DialContext(ctx, "tcp", net.JoinHostPort(r.host, strconv.Itoa(int(r.port))))
}

// refuse closes a connection without a target, but only after its first bytes: a client that
// loses a connection before it has sent anything (Node's fetch) connects again, endlessly.
func refuse(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { conn.Close() }) //nolint:gosec // the plugin is gone
	defer stop()
	_ = conn.SetReadDeadline(time.Now().Add(dialTimeout)) // fails only if it is closed already
	_, _ = conn.Read(make([]byte, 1))                     // the result does not matter
}

// sometimes logs at most one line a second, because a plugin may try as often as it likes. The
// zero value is ready.
type sometimes struct {
	mu   sync.Mutex
	last time.Time
}

func (s *sometimes) log(ctx context.Context, log *slog.Logger, msg string, attrs ...slog.Attr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) < time.Second {
		return
	}
	s.last = time.Now()
	log.LogAttrs(ctx, slog.LevelWarn, msg, attrs...)
}

// exchange copies both ways until both sides have ended, one breaks off, both are idle for
// connIdle, or ctx ends.
func exchange(ctx context.Context, a, b net.Conn) {
	idle := time.AfterFunc(connIdle, func() { a.Close(); b.Close() }) //nolint:gosec // that is its end
	defer idle.Stop()
	stop := context.AfterFunc(ctx, func() { a.Close(); b.Close() }) //nolint:gosec // the same
	defer stop()
	var both sync.WaitGroup
	copyTo := func(to, from net.Conn) {
		_, err := io.Copy(to, touch{from, idle})
		if half, ok := to.(interface{ CloseWrite() error }); err == nil && ok {
			_ = half.CloseWrite() // the other direction goes on
			return
		}
		a.Close() //nolint:gosec // broken
		b.Close() //nolint:gosec // broken
	}
	both.Go(func() { copyTo(a, b) })
	both.Go(func() { copyTo(b, a) })
	both.Wait()
}

// touch is a reader that keeps its connection from counting as idle.
type touch struct {
	net.Conn

	idle *time.Timer
}

// Read implements io.Reader.
func (t touch) Read(b []byte) (int, error) {
	n, err := t.Conn.Read(b)
	if n > 0 {
		t.idle.Reset(connIdle)
	}
	return n, err
}

// limitConns returns ln with at most n connections at a time, at the rate of conns. It accepts
// more only when others have closed.
func limitConns(ln net.Listener, n int, conns *turns) net.Listener {
	return &limited{Listener: ln, conns: conns, free: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener

	conns  *turns
	free   chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	l.conns.wait(l.closed)
	return &counted{Conn: conn, done: func() { <-l.free }}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type counted struct {
	net.Conn

	once sync.Once
	done func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(c.done)
	return c.Conn.Close()
}

// CloseWrite ends one direction.
func (c *counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Conn.Close()
}
