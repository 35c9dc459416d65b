package front

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A head that this package serves means the same to net/http, which accepts it.
func FuzzParseHead(f *testing.F) {
	for _, head := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a/%2F?b=c HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 12\r\nConnection: close\r\nx_y: \t1 \r\nX_y: 2\r\n\r\nbody",
		"PUT /? HTTP/1.1\r\nhost: x\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
		"GET //a/../b#c HTTP/1.1\r\nHost: x\r\nA:\r\nCookie: a\r\nCookie: b\r\n\r\n",
		"GET / HTTP/1.1\nHost: x\n\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.0\r\nHost: x\r\n\r\n",
		"GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n",
	} {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n := parseHead(b)
		if n == 0 {
			return
		}
		in := bufio.NewReader(bytes.NewReader(b))
		want, err := http.ReadRequest(in)
		if err != nil {
			t.Fatalf("%q: net/http refuses it: %v", b[:n], err)
		}
		if rest := in.Buffered(); rest != len(b)-n && len(b) <= 4096 {
			t.Errorf("%q: the head has %d bytes; for net/http %d", b, n, len(b)-rest)
		}
		if len(want.TransferEncoding) > 0 || want.Trailer != nil || want.ProtoMinor != 1 || want.ProtoMajor != 1 {
			t.Errorf("%q: net/http reads %+v", b[:n], want)
		}
		type meaning struct {
			Method, Target, Host string
			URL                  any
			Header               http.Header
			Length               int64
			Last                 bool
		}
		// Of a Connection header net/http's server looks at Close, and at a token in it.
		got := meaning{h.method, h.target, h.host, *h.url, h.header, h.length, h.last}
		delete(want.Header, "Host") // as net/http's server does
		if diff := cmp.Diff(meaning{
			want.Method, want.RequestURI, want.Host, *want.URL, want.Header, want.ContentLength, want.Close,
		}, got); diff != "" {
			t.Errorf("%q: -net/http +front:\n%s", b[:n], diff)
		}
	})
}

// Requests that are malformed, or need more than this package does, are left to net/http.
func TestOnlyPlainRequestsAreServed(t *testing.T) {
	t.Parallel()

	plain := "GET /p HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n"
	if _, n := parseHead([]byte(plain + "more")); n != len(plain) {
		t.Fatalf("%q is not served", plain)
	}
	for _, change := range [][2]string{
		{"\r\n\r\n", "\r\n"},
		{"HTTP/1.1", "HTTP/1.0"},
		{"HTTP/1.1", "HTTP/2.0"},
		{"HTTP/1.1", "http/1.1"},
		{"GET", "CONNECT"},
		{"GET", "PRI"},
		{"GET", "G(T"},
		{"GET ", "GET  "},
		{"/p", "http://x/p"},
		{"/p", "*"},
		{"/p", "/p\x7f"},
		{"/p", "/p q"},
		{"/p", "/%zz"},
		{"Host: x\r\n", ""},
		{"Host: x", "Host:"},
		{"Host: x", "Host: x\r\nHost: x"},
		{"Host: x", "Host: x/y"},
		{"A: b", "A : b"},
		{"A: b", "A: b\r\n c"},
		{"A: b", "A: b\n"},
		{"A: b", "A: b\r"},
		{"A: b", "A: \x00"},
		{"A: b", "A"},
		{"A: b", ": b"},
		{"A: b", "Transfer-Encoding: chunked"},
		{"A: b", "transfer-encoding:"},
		{"A: b", "Expect: 100-continue"},
		{"A: b", "Upgrade: websocket"},
		{"A: b", "Connection: upgrade"},
		{"A: b", "Connection: close, x"},
		{"A: b", "Connection: close\r\nConnection: close"},
		{"A: b", "Content-Length: 1\r\nContent-Length: 1"},
		{"A: b", "Content-Length: 1, 1"},
		{"A: b", "Content-Length: +1"},
		{"A: b", "Content-Length: 01"},
		{"A: b", "Content-Length:"},
		{"A: b", "Content-Length: 18446744073709551615"},
		{"A: b", "Pragma: no-cache"},
	} {
		sent := strings.Replace(plain, change[0], change[1], 1)
		if h, n := parseHead([]byte(sent)); n != 0 {
			t.Errorf("%q is served as %+v", sent, h)
		}
	}
}
