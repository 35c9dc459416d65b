package relay_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/run/relay"
)

// secure is upstream over TLS. serve treats each connection, as with scripted.
func secure(tb testing.TB, serve func(l line)) relay.Upstream {
	tb.Helper()
	srv := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	srv.Close()
	certificates, ok := srv.Client().Transport.(*http.Transport)
	if !ok {
		tb.Fatal("no certificates")
	}
	up := scripted(tb, func(l line) {
		conn := tls.Server(l.Conn, &tls.Config{Certificates: srv.TLS.Certificates})
		defer conn.Close()
		serve(line{conn, l.nth, bufio.NewReader(conn)})
	})
	up.Scheme, up.Host = "https", "example.com"
	transport, ok := up.Transport.(*relay.Transport)
	if !ok {
		tb.Fatal("another transport")
	}
	transport.TLSClientConfig = certificates.TLSClientConfig.Clone()
	transport.TLSClientConfig.ServerName = up.Host
	transport.TLSHandshakeTimeout = 2 * time.Minute
	return up
}

// A plugin that closes a reused connection without an answer may have done so before the request
// arrived, or because of it.
func TestNoRequestThatMayHaveBeenReadIsSentTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, method, body, key, first string }{
		{"a GET", "GET", "", "", ""},
		{"a GET with a key", "GET", "", "Idempotency-Key", ""},
		{"a GET with a body", "GET", "x", "", ""},
		{"a GET that was answered in part", "GET", "", "", "HTTP/1.1 2"},
		{"a HEAD", "HEAD", "", "", ""},
		{"an OPTIONS", "OPTIONS", "", "", ""},
		{"a POST", "POST", "x", "", ""},
		{"a POST with a key", "POST", "x", "Idempotency-Key", ""},
		{"a POST with a key and no body", "POST", "", "X-Idempotency-Key", ""},
		{"a DELETE", "DELETE", "", "", ""},
		{"a DELETE with a key", "DELETE", "", "Idempotency-Key", ""},
	} {
		for scheme, start := range map[string]func(testing.TB, func(line)) relay.Upstream{
			"http": scripted, "https": secure,
		} {
			t.Run(tt.name+" over "+scheme, func(t *testing.T) {
				t.Parallel()
				var arrivals atomic.Int32
				up := start(t, func(l line) {
					if _, ok := l.request(); !ok {
						return
					}
					if l.nth > 1 {
						arrivals.Add(1)
					}
					l.say(hi)
					if r, err := http.ReadRequest(l.in); err == nil {
						if tt.key != "" && r.Header.Get(tt.key) != "k" || len(r.TransferEncoding) > 0 {
							t.Errorf("arrived with %v, %v", r.Header, r.TransferEncoding)
						}
						arrivals.Add(1)
						l.say(tt.first)
					}
				})
				if _, err := pass(t, up, request(t, "GET", "")); err != nil {
					t.Fatal(err)
				}
				r := request(t, tt.method, tt.body)
				if tt.key != "" {
					r.Header.Set(tt.key, "k")
				}
				rec, err := pass(t, up, r)
				if f, ok := errors.AsType[*relay.Failure](err); !ok || f.Repeatable {
					t.Errorf("%v, %q; want a failure that is not repeatable", err, rec.Body)
				}
				if n := arrivals.Load(); n != 1 {
					t.Errorf("arrived %d times", n)
				}
			})
		}
	}
}
