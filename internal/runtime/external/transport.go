package external

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

const (
	dialTimeout = 5 * time.Second
	// idleTimeout is shorter than the 5 s after which Node.js closes a connection
	// nobody uses: a request must not meet a connection that is being closed.
	idleTimeout = 4 * time.Second
	// maxIdlePerHost is how many connections to one plugin wait for the next call.
	// The default of net/http, 2, halves throughput.
	maxIdlePerHost = 256
	// maxAnswerHeader is the largest header of an answer, in bytes.
	maxAnswerHeader = 64 << 10
	bufferSize      = 32 << 10
)

// newTransport returns a transport that connects to public addresses and to
// those in the allowed networks. It takes no proxy from the environment, and
// leaves compression to the two ends.
func newTransport(allow []netip.Prefix) *http.Transport {
	dialer := &net.Dialer{
		Timeout:   dialTimeout,
		KeepAlive: 30 * time.Second,
		// Control sees the resolved address that is about to be connected to, so a
		// name can not resolve to one address for a check and to another after it.
		Control: newGuard(allow).Safe,
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // upgrades need it
	return &http.Transport{
		DialContext:            dialer.DialContext,
		Protocols:              protocols,
		TLSHandshakeTimeout:    dialTimeout,
		MaxIdleConns:           4096,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxAnswerHeader,
		DisableCompression:     true,
		ReadBufferSize:         16 << 10,
		WriteBufferSize:        16 << 10,
	}
}

func newGuard(allow []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}
