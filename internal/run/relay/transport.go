package relay

import (
	"context"
	"net"
	"net/http"
	"time"

	"stoa/internal/edge/http1"
)

const (
	// DialTimeout is how long connecting to a plugin may take, and how long the TLS handshake may.
	DialTimeout = 5 * time.Second

	// maxIdlePerHost is how many idle connections to one plugin are kept. The default of
	// net/http, 2, halves throughput.
	maxIdlePerHost = 256
	maxIdle        = 4096 // to all plugins together
	// maxAnswerHeader is the size of the largest header of an answer, in bytes.
	maxAnswerHeader = 64 << 10
	connBuffer      = 16 << 10
)

// Transport connects to plugins. It sends most requests on the caller's goroutine (see Call.plain)
// and leaves the others to net/http: requests over TLS, with an upgrade and a body, or to a host that
// is not ASCII. Make it with NewTransport.
type Transport struct {
	*http.Transport

	plain *http1.Pool
}

// NewTransport returns a transport over the connections that dial makes. It closes a connection
// that was idle for the given time, which must be shorter than the plugin's own idle timeout:
// otherwise a request could meet a connection that the plugin is closing.
//
// It uses no proxy from the environment, and leaves compression to the client and the plugin.
func NewTransport(
	dial func(ctx context.Context, network, addr string) (net.Conn, error), idle time.Duration,
) *Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // upgrades need it
	return &Transport{plain: http1.NewPool(dial, idle), Transport: &http.Transport{
		DialContext:            dial,
		Protocols:              protocols,
		TLSHandshakeTimeout:    DialTimeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idle,
		MaxResponseHeaderBytes: maxAnswerHeader,
		DisableCompression:     true,
		ReadBufferSize:         connBuffer,
		WriteBufferSize:        connBuffer,
	}}
}

// CloseIdleConnections closes idle connections.
func (t *Transport) CloseIdleConnections() {
	t.plain.CloseIdle()
	t.Transport.CloseIdleConnections()
}
