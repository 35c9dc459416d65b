package egress

import (
	"net"
	"net/netip"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// dialTimeout is how long connecting to a granted host may take.
const dialTimeout = 10 * time.Second

// Guard returns a check for net.Dialer.Control that refuses every address that is private,
// loopback or otherwise special, unless it is in one of the allowed networks. The check sees the
// resolved address just before connecting, so a name cannot resolve to one address for the check
// and to another for the connection.
func Guard(allow []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...)).Safe
}

func guardedDialer(allow []netip.Prefix) *net.Dialer {
	return &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Control: Guard(allow)}
}

// notLoopback drops the networks in which stoa itself may listen.
func notLoopback(allow []netip.Prefix) []netip.Prefix {
	var rest []netip.Prefix
	for _, p := range allow {
		if !p.Overlaps(netip.MustParsePrefix("127.0.0.0/8")) && !p.Overlaps(netip.MustParsePrefix("::1/128")) {
			rest = append(rest, p)
		}
	}
	return rest
}
