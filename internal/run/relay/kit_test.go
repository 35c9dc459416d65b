package relay_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/run/relay"
	"stoa/internal/testkit/logtest"
)

// upstream returns the Upstream for the server at addr.
func upstream(tb testing.TB, addr string) relay.Upstream {
	tb.Helper()
	transport := relay.NewTransport(new(net.Dialer).DialContext, time.Minute)
	tb.Cleanup(transport.CloseIdleConnections)
	return relay.Upstream{
		Transport: transport, Scheme: "http", Addr: addr, Target: "/api/x",
		FirstByte: 2 * time.Minute, Log: logtest.New(tb),
	}
}

// plugin starts a server and returns its Upstream.
func plugin(tb testing.TB, h http.HandlerFunc) relay.Upstream {
	tb.Helper()
	srv := httptest.NewServer(h)
	tb.Cleanup(srv.Close)
	return upstream(tb, srv.Listener.Addr().String())
}

// rawPlugin starts a server that reads a request's head and body, sends answer byte for byte, and
// closes the connection.
func rawPlugin(tb testing.TB, answer string) relay.Upstream {
	tb.Helper()
	return plugin(tb, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	})
}

// closedPort returns an Upstream whose address refuses connections.
func closedPort(tb testing.TB) relay.Upstream {
	tb.Helper()
	return upstream(tb, "127.0.0.1:1") // another process may soon listen at a port that was just free
}

// atSocket returns the Upstream of the plugin that listens on the unix socket path. Once its listener is
// closed, nothing else answers there.
func atSocket(tb testing.TB, path string) relay.Upstream {
	tb.Helper()
	up := upstream(tb, "plugin")
	transport := relay.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}, time.Minute)
	tb.Cleanup(transport.CloseIdleConnections)
	up.Transport = transport
	return up
}

// front starts a server that passes every request on, and answers 599 to those
// that Pass returns an error for. It sets a header before, as the platform does.
func front(tb testing.TB, up relay.Upstream) *httptest.Server {
	tb.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "req-1")
		call := relay.NewCall(w, r)
		defer call.End()
		if err := call.Pass(up); err != nil {
			tb.Logf("Pass: %v", err)
			w.WriteHeader(599)
		}
	}))
	tb.Cleanup(srv.Close)
	return srv
}

// request returns a request as the gateway makes it. The body may be "".
func request(tb testing.TB, method, body string) *http.Request {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), method, "/api/x", strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}
