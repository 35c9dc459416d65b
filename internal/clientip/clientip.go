// Package clientip says from which address a request comes: the peer's, or the
// one that a trusted proxy reports (CONTRACT 1). A header from anyone else is
// never believed, because anybody can write one.
package clientip

import (
	"net/http"
	"net/netip"
	"strings"
)

// Resolver finds the client's address. The zero value trusts no proxy. It is
// safe for concurrent use.
type Resolver struct {
	// Trusted are the networks of the operator's own proxies.
	Trusted []netip.Prefix
}

// Addr returns the address of the client behind r: the nearest address on the
// way here that is not a trusted proxy. It is invalid if the peer's address
// cannot be read, as for a unix socket.
func (v Resolver) Addr(r *http.Request) netip.Addr {
	peer := parse(r.RemoteAddr)
	if !v.trusts(peer) {
		return peer
	}
	// Each proxy appends the peer it saw, so the list is read from its end: what
	// stands left of the first untrusted address may be the client's invention.
	client := peer
	lines := r.Header.Values("X-Forwarded-For")
	for i := len(lines) - 1; i >= 0; i-- {
		hops := strings.Split(lines[i], ",")
		for j := len(hops) - 1; j >= 0; j-- {
			hop := parse(strings.TrimSpace(hops[j]))
			if !hop.IsValid() {
				return client // a proxy of ours would not write that
			}
			client = hop
			if !v.trusts(hop) {
				return client
			}
		}
	}
	return client
}

// Proto returns how the client speaks to us, http or https: over this connection,
// or to the trusted proxy at its other end, as that one reports.
func (v Resolver) Proto(r *http.Request) string {
	proto := "http"
	if r.TLS != nil {
		proto = "https"
	}
	if !v.trusts(parse(r.RemoteAddr)) {
		return proto
	}
	reported := strings.Split(r.Header.Get("X-Forwarded-Proto"), ",")
	switch last := strings.ToLower(strings.TrimSpace(reported[len(reported)-1])); last {
	case "http", "https":
		return last
	}
	return proto
}

func (v Resolver) trusts(a netip.Addr) bool {
	for _, p := range v.Trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// parse reads an address with or without a port or brackets. IPv4 inside IPv6 is
// IPv4, and zones are dropped: one client has one spelling.
func parse(s string) netip.Addr {
	var a netip.Addr
	if ap, err := netip.ParseAddrPort(s); err == nil { // as every peer's
		a = ap.Addr()
	} else if a, err = netip.ParseAddr(strings.Trim(s, "[]")); err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// Key returns what a limit by address counts: an IPv4 address, or an IPv6 /64,
// which is the least that one subscriber is given.
func Key(a netip.Addr) string {
	if a.Is6() {
		p, err := a.Prefix(64)
		if err == nil {
			return p.String()
		}
	}
	return a.String()
}
