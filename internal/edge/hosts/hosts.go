// Package hosts decides which Host headers stoa answers to. A web page can make a name of its own
// resolve to this machine and then read stoa's answers as its own origin (DNS rebinding), but its
// requests still carry that name.
package hosts

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// Policy is a set of hosts. The zero value allows loopback names only. It is safe
// for concurrent use.
type Policy struct {
	names map[string]bool
	bound bool
}

// New returns a policy that allows loopback names and the given host names and IP addresses, which
// have no port. With bound it also allows the IP address at which a request arrived: no foreign
// page can have that as its origin. It returns an error that names the first invalid host.
func New(bound bool, names ...string) (Policy, error) {
	p := Policy{names: make(map[string]bool, len(names)), bound: bound}
	for _, name := range names {
		host := name
		if strings.Contains(name, ":") && !strings.HasPrefix(name, "[") { // an IPv6 address
			host = "[" + name + "]"
		}
		normal, port, ok := split(host)
		if !ok || port != "" {
			return Policy{}, fmt.Errorf("%q is neither a host name nor an IP address; "+
				"write shop.example.com, without scheme, port and wildcards, and other letters in their xn-- form", name)
		}
		p.names[normal] = true
	}
	return p, nil
}

// Allows reports whether r names a host of the policy. Ports are ignored: an attacker's page has
// the same port.
func (p Policy) Allows(r *http.Request) bool {
	host, _, ok := split(r.Host)
	return ok && (p.names[host] || isLoopback(host) || p.bound && isLocal(r, host))
}

// IsLoopback reports whether a Host header names this machine: localhost, a name
// below it, or a loopback address, with or without a port.
func IsLoopback(host string) bool {
	name, _, ok := split(host)
	return ok && isLoopback(name)
}

// InBrowsers returns host, with or without a port, as browsers write it in an origin of that
// scheme: in lower case and without the scheme's default port.
func InBrowsers(scheme, host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), map[string]string{"https": ":443", "http": ":80"}[scheme])
	return strings.TrimSuffix(host, ":")
}

func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// isLocal reports whether host is the IP address at which r arrived.
func isLocal(r *http.Request, host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().WithZone("") == ip.Unmap()
}

// split returns the normalized name or address of a Host header, without brackets, and its port,
// which is empty if there is none.
func split(host string) (name, port string, ok bool) {
	if rest, is := strings.CutPrefix(host, "["); is {
		address, tail, closed := strings.Cut(rest, "]")
		ip, err := netip.ParseAddr(address)
		if !closed || err != nil || ip.Is4() || ip.Zone() != "" {
			return "", "", false
		}
		port, ok = readPort(tail)
		return ip.String(), port, ok
	}
	name, tail := host, ""
	if i := strings.IndexByte(host, ':'); i >= 0 {
		name, tail = host[:i], host[i:]
	}
	if port, ok = readPort(tail); !ok {
		return "", "", false
	}
	name = strings.ToLower(strings.TrimSuffix(name, ".")) // an absolute name is the same host
	return name, port, isName(name)
}

// readPort reads what follows the name: nothing, or a colon and a port.
func readPort(tail string) (port string, ok bool) {
	if tail == "" {
		return "", true
	}
	port, ok = strings.CutPrefix(tail, ":")
	_, err := strconv.ParseUint(port, 10, 16)
	return port, ok && err == nil
}

// isName reports whether s is a host name or an IPv4 address in ASCII.
func isName(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			switch c := label[i]; {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			default:
				return false
			}
		}
	}
	return len(s) <= 253
}
