package egress

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Variable is the environment variable in which the host program of a contained plugin finds what was
// granted and where to ask, as JSON (nodehost/src/network.js). The host program deletes it.
const Variable = "STOA_NETWORK"

// askAt is the address inside the plugin's network where its host program asks whether a granted
// host can be reached. The kernel accepts every connection at the host's own address before stoa
// has tried to reach the host, so an error of that could only break the connection.
var askAt = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 77, 255, 1}), 53)

const (
	// maxReady is how many connections of one plugin wait for the plugin's end.
	maxReady = 64

	// readyFor is how long one waits.
	readyFor = 5 * time.Second

	maxQuestion = 512 // bytes: a host name has up to 253
)

// environment returns the value of Variable: which hosts and ports are granted, and which of them
// are addresses that the operator does not allow.
func (p *Plan) environment() string {
	granted, closed := []string{}, []string{}
	guard := p.gate.dialer.Control
	for _, r := range p.routes {
		name := r.host
		if name == "" {
			name = p.gate.name
		}
		at := net.JoinHostPort(name, strconv.Itoa(int(r.port)))
		granted = append(granted, at)
		if addr, err := netip.ParseAddr(r.host); err == nil && guard(network(addr), r.at.String(), nil) != nil {
			closed = append(closed, at)
		}
	}
	text, err := json.Marshal(map[string]any{
		"platform": p.gate.name, "granted": granted, "closed": closed,
		"ask": map[string]any{"host": askAt.Addr().String(), "port": askAt.Port()},
	})
	if err != nil {
		panic(err) // strings
	}
	return string(text)
}

func network(addr netip.Addr) string {
	if addr.Is4() {
		return "tcp4"
	}
	return "tcp6"
}

// refusal is the answer to a question: an error in the words of Node.js, or none.
type refusal struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// serveAsks answers questions, one on each connection: a line with a host and a port, or 0 to
// resolve the host only.
func (p *Plan) serveAsks(ctx context.Context, log *slog.Logger, ln net.Listener) {
	var refusals sometimes
	accept(ctx, ln, func(conn net.Conn) {
		_ = conn.SetDeadline(time.Now().Add(2 * dialTimeout)) // fails only if it is closed already
		line, err := bufio.NewReaderSize(conn, maxQuestion).ReadSlice('\n')
		if err != nil {
			return
		}
		host, text, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return
		}
		err = p.reach(ctx, host, uint16(port))
		if err != nil {
			refusals.log(ctx, log, noConnection, slog.String("host", host), slog.Any("err", err))
		}
		_ = json.NewEncoder(conn).Encode(explain(host, uint16(port), err)) // the plugin may be gone
	})
}

// reach connects to a granted host, and keeps the connection for the plugin's own, which comes
// next. With port 0 it resolves the host only. It returns nil for what was not granted: nothing is
// tried, and the plugin connects to nothing.
func (p *Plan) reach(ctx context.Context, host string, port uint16) error {
	for _, r := range p.routes {
		if r.host != host || host == "" || port != 0 && r.port != port {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		if port == 0 {
			_, err := p.resolver().LookupNetIP(ctx, "ip", host)
			return err
		}
		remote, err := p.gate.dial(ctx, r)
		if err == nil {
			p.ready.put(r.at, remote)
		}
		return err
	}
	return nil
}

func (p *Plan) resolver() *net.Resolver {
	if r := p.gate.dialer.Resolver; r != nil {
		return r
	}
	return net.DefaultResolver
}

// explain returns what Node.js would say if the plugin had met err itself.
func explain(host string, port uint16, err error) refusal {
	at := net.JoinHostPort(host, strconv.Itoa(int(port)))
	var dns *net.DNSError
	switch {
	case err == nil:
		return refusal{}
	case errors.As(err, &dns) && dns.IsNotFound:
		return refusal{"ENOTFOUND", "getaddrinfo ENOTFOUND " + host}
	case errors.As(err, &dns):
		return refusal{"EAI_AGAIN", "getaddrinfo EAI_AGAIN " + host}
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return refusal{"EACCES", fmt.Sprintf("connect EACCES %s: its address is private or reserved, and the operator "+
			"does not allow that network (STOA_EXTERNAL_ALLOW)", at)}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		return refusal{"ETIMEDOUT", "connect ETIMEDOUT " + at}
	}
	for errno, code := range map[syscall.Errno]string{
		syscall.ECONNREFUSED: "ECONNREFUSED", syscall.EHOSTUNREACH: "EHOSTUNREACH",
		syscall.ENETUNREACH: "ENETUNREACH", syscall.ETIMEDOUT: "ETIMEDOUT",
	} {
		if errors.Is(err, errno) {
			return refusal{code, "connect " + code + " " + at}
		}
	}
	return refusal{"ECONNRESET", "connect ECONNRESET " + at}
}

// waiting are connections to granted hosts that were made before the plugin's own was. The zero
// value is ready.
type waiting struct {
	mu    sync.Mutex
	conns []waitingConn
}

type waitingConn struct {
	net.Conn

	at    netip.AddrPort
	timer *time.Timer
}

// put keeps conn for readyFor. One more than maxReady is closed: the plugin connects once more.
func (w *waiting) put(at netip.AddrPort, conn net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.conns) == maxReady {
		conn.Close() //nolint:gosec // nothing was written
		return
	}
	late := func() {
		if w.remove(func(c waitingConn) bool { return c.Conn == conn }) != nil {
			conn.Close() //nolint:gosec // nothing was written
		}
	}
	w.conns = append(w.conns, waitingConn{conn, at, time.AfterFunc(readyFor, late)})
}

// take returns a connection to the host behind at, or nil.
func (w *waiting) take(at netip.AddrPort) net.Conn {
	return w.remove(func(c waitingConn) bool { return c.at == at })
}

func (w *waiting) remove(which func(waitingConn) bool) net.Conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range w.conns {
		if which(c) {
			c.timer.Stop()
			w.conns = append(w.conns[:i], w.conns[i+1:]...)
			return c.Conn
		}
	}
	return nil
}
