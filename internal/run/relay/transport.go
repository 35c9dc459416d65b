package relay

import (
	"context"
	"net"
	"net/http"
	"time"

	"stoa/internal/edge/http1"
)

const (
	// DialTimeout is how long a connection to a plugin may take, and its TLS
	// handshake.
	DialTimeout = 5 * time.Second

	// maxIdlePerHost is how many connections to one plugin wait for the next call.
	// The default of net/http, 2, halves throughput.
	maxIdlePerHost = 256
	maxIdle        = 4096 // to all plugins of a transport
	// maxAnswerHeader is the size of the largest header of an answer, in bytes.
	maxAnswerHeader = 64 << 10
	connBuffer      = 16 << 10
)

// Transport connects to plugins. It sends most requests on the caller's goroutine (see
// Call.plain) and leaves the others to net/http: those over TLS, and those that ask for
// an upgrade. Make it with NewTransport.
type Transport struct {
	*http.Transport

	plain *http1.Pool
}

// NewTransport returns a transport over the connections that dial makes. It closes
// those that were idle for the given time, which must be shorter than the time
// after which a plugin closes them: a request must not meet a connection that is
// being closed.
//
// It takes no proxy from the environment, and leaves compression to the client and
// the plugin.
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

// CloseIdleConnections closes the connections that no call uses.
func (t *Transport) CloseIdleConnections() {
	t.plain.CloseIdle()
	t.Transport.CloseIdleConnections()
}
