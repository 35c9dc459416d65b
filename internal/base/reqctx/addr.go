package reqctx

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
)

// AddrResolver finds the address that a request comes from: the peer's, or the one that a trusted
// proxy reports. It ignores headers from other peers, because every client can write them. The zero
// value trusts no proxy. It is safe for concurrent use.
type AddrResolver struct {
	// Trusted are the networks of the operator's own proxies.
	Trusted []netip.Prefix
}

// Addr returns the client's address: the last address on the request's path that is not
// a trusted proxy. It is invalid if the peer's address cannot be parsed, as for a unix
// socket.
func (v AddrResolver) Addr(r *http.Request) netip.Addr {
	peer := ParseAddr(r.RemoteAddr)
	if !v.Trusts(peer) {
		return peer
	}
	// Each proxy appends the peer it saw, so the list is read from its end. Anything
	// before the last untrusted address may be forged by the client.
	client := peer
	lines := r.Header.Values("X-Forwarded-For")
	for i := len(lines) - 1; i >= 0; i-- {
		hops := strings.Split(lines[i], ",")
		for j := len(hops) - 1; j >= 0; j-- {
			hop := ParseAddr(strings.TrimSpace(hops[j]))
			if !hop.IsValid() {
				return client // not written by one of our proxies
			}
			client = hop
			if !v.Trusts(hop) {
				return client
			}
		}
	}
	return client
}

type addrKey struct{}

// AddrContextKey is the key under which a context has the *netip.Addr that its request comes from.
func AddrContextKey() any { return addrKey{} }

// WithAddr returns a context that carries the address that its request comes from.
func WithAddr(ctx context.Context, addr netip.Addr) context.Context {
	return context.WithValue(ctx, addrKey{}, &addr)
}

// AddrFrom returns the address that ctx carries. Without one it is invalid.
func AddrFrom(ctx context.Context) netip.Addr {
	if addr, ok := ctx.Value(addrKey{}).(*netip.Addr); ok {
		return *addr
	}
	return netip.Addr{}
}

// Proto returns the client's scheme, http or https: of this connection, or as reported by the
// trusted proxy at its other end.
func (v AddrResolver) Proto(r *http.Request) string {
	proto := "http"
	if r.TLS != nil {
		proto = "https"
	}
	if len(v.Trusted) == 0 || !v.Trusts(ParseAddr(r.RemoteAddr)) {
		return proto
	}
	reported := strings.Split(r.Header.Get("X-Forwarded-Proto"), ",")
	switch last := strings.ToLower(strings.TrimSpace(reported[len(reported)-1])); last {
	case "http", "https":
		return last
	}
	return proto
}

// Trusts reports whether an address, as ParseAddr returns it, is a trusted proxy's.
func (v AddrResolver) Trusts(a netip.Addr) bool {
	for _, p := range v.Trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// ParseAddr reads an address with or without port and brackets. It turns IPv4 inside IPv6
// into IPv4 and drops zones, so that a client has one spelling only. The result is invalid if
// there is no address in s.
func ParseAddr(s string) netip.Addr {
	var a netip.Addr
	if ap, err := netip.ParseAddrPort(s); err == nil { // every peer's address has a port
		a = ap.Addr()
	} else if a, err = netip.ParseAddr(strings.Trim(s, "[]")); err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// AddrKey returns the key for limits by address: the IPv4 address, or the IPv6 /64, which
// is the smallest network that a subscriber gets.
func AddrKey(a netip.Addr) string {
	if a.Is6() {
		p, err := a.Prefix(64)
		if err == nil {
			return p.String()
		}
	}
	return a.String()
}
