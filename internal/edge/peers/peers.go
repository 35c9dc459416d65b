// Package peers limits how many connections one client address may hold, before any byte of a
// request is read. Package ratelimit counts requests, and only those to limited routes.
package peers

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"stoa/internal/base/reqctx"
)

// Bound limits the connections of an address. Trusted proxies and this machine are exempt: their
// connections come from many clients. If Most is zero, there is no limit. It is safe for concurrent
// use.
type Bound struct {
	Most    int
	Trusted reqctx.AddrResolver
	Log     *slog.Logger

	mu         sync.Mutex
	held       map[string]int // connections by address, IPv6 by /64; never 0
	lastLogged time.Time      // when a refusal was last logged
	unlogged   int            // refusals unlogged then
}

// logEvery is the minimum time between two log entries about refusals.
const logEvery = time.Minute

// Listen wraps ln. Connections beyond the limit are answered 429 and closed; Accept goes on to the
// next.
func (b *Bound) Listen(ln net.Listener) net.Listener {
	if b.Most <= 0 {
		return ln
	}
	return &listener{Listener: ln, bound: b, address: func(c net.Conn) netip.Addr {
		return reqctx.ParseAddr(c.RemoteAddr().String())
	}}
}

type listener struct {
	net.Listener

	bound   *Bound
	address func(net.Conn) netip.Addr // replaced by tests
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := c.(*net.TCPConn)
		addr := l.address(c)
		if !ok || !addr.IsValid() || addr.IsLoopback() || l.bound.Trusted.Trusts(addr) {
			return c, nil
		}
		key := reqctx.AddrKey(addr)
		if l.bound.enter(key) {
			return &conn{TCPConn: tcp, leave: sync.OnceFunc(func() { l.bound.leave(key) })}, nil
		}
		refuse(c)
	}
}

// enter counts a connection, unless the address is at its limit.
func (b *Bound) enter(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[key] >= b.Most {
		b.logRefusal(key)
		return false
	}
	if b.held == nil {
		b.held = make(map[string]int)
	}
	b.held[key]++
	return true
}

func (b *Bound) leave(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[key]--; b.held[key] <= 0 {
		delete(b.held, key)
	}
}

// logRefusal logs a refusal, at most once every logEvery. The caller holds mu.
func (b *Bound) logRefusal(key string) {
	b.unlogged++
	if now := time.Now(); now.Sub(b.lastLogged) >= logEvery {
		b.Log.LogAttrs(context.Background(), slog.LevelWarn, "connections refused: an address holds too many; "+
			"if it is your own proxy, name it in STOA_TRUSTED_PROXIES",
			slog.String("address", key), slog.Int("most", b.Most), slog.Int("refused", b.unlogged))
		b.lastLogged, b.unlogged = now, 0
	}
}

// refuse answers a connection without reading from it. The answer fits into the system's send
// buffer, so this does not wait for the client.
func refuse(c net.Conn) {
	const body = `{"success":false,"error":{"code":"RATE_LIMIT_EXCEEDED",` +
		`"message":"This address has too many open connections.","retryAfter":1}}`
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json; charset=utf-8\r\n"+
		"Content-Length: %d\r\nRetry-After: 1\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s",
		len(body), reqctx.NewRequestID(), body)
	_ = c.Close()
}

// conn is a counted connection. It keeps all methods of *net.TCPConn, because net/http uses
// ReadFrom for files and CloseWrite for half-closing.
type conn struct {
	*net.TCPConn

	leave func()
}

// Close implements net.Conn. It may be called more than once.
func (c *conn) Close() error {
	err := c.TCPConn.Close()
	c.leave()
	return err
}
