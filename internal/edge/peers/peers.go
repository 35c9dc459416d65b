// Package peers bounds how many connections one client address holds, before a byte of a
// request is read. Package ratelimit counts requests, and only those of limited routes.
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

// Bound is how many connections an address may hold. Trusted proxies and this machine
// itself hold as many as they like: their connections are those of many clients. The zero
// value of Most means no bound. It is safe for concurrent use.
type Bound struct {
	Most    int
	Trusted reqctx.AddrResolver
	Log     *slog.Logger

	mu    sync.Mutex
	held  map[string]int // connections by address, IPv6 by /64; never 0
	told  time.Time      // when a refusal was logged last
	since int            // refusals that were not logged since
}

// tellEvery is how often refusals are logged.
const tellEvery = time.Minute

// Listen wraps ln. Connections beyond the bound are answered 429 and closed, and Accept
// goes on to the next.
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

// enter counts a connection unless the address holds as many as it may.
func (b *Bound) enter(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[key] >= b.Most {
		b.tell(key)
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

// tell logs a refusal, unless it did a moment ago. The caller holds mu.
func (b *Bound) tell(key string) {
	b.since++
	if now := time.Now(); now.Sub(b.told) >= tellEvery {
		b.Log.LogAttrs(context.Background(), slog.LevelWarn, "connections refused: an address holds too many; "+
			"if it is your own proxy, name it in STOA_TRUSTED_PROXIES",
			slog.String("address", key), slog.Int("most", b.Most), slog.Int("refused", b.since))
		b.told, b.since = now, 0
	}
}

// refuse answers a connection of which nothing was read. The answer fits into what the
// system takes at once, so this does not wait for the client.
func refuse(c net.Conn) {
	const body = `{"success":false,"error":{"code":"RATE_LIMIT_EXCEEDED",` +
		`"message":"This address has too many open connections.","retryAfter":1}}`
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json; charset=utf-8\r\n"+
		"Content-Length: %d\r\nRetry-After: 1\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s",
		len(body), reqctx.NewRequestID(), body)
	_ = c.Close()
}

// conn is a counted connection. It has all methods of *net.TCPConn: net/http copies files
// with ReadFrom, and half-closes with CloseWrite.
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
