package compat_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"stoa/internal/run/egress"
	"stoa/internal/run/node"
	"stoa/internal/run/sandbox"
)

// TestRefusedConnectionsSayWhy: every client, and every way to look a name up, gets the error that
// it would get outside for a granted host, and EACCES with the missing permission for others.
func TestRefusedConnectionsSayWhy(t *testing.T) {
	t.Parallel()
	outside, closed := listenOutside(t)
	address, port, _ := net.SplitHostPort(outside)
	_, closedPort, _ := net.SplitHostPort(closed)
	names := map[string]string{"works.example": address, "private.example": "10.1.2.3", "broken.example": "SERVFAIL"}
	gate, err := egress.New(egress.Config{
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Resolver: nameServer(t, names),
		Allow: []netip.Prefix{netip.PrefixFrom(netip.MustParseAddr(address), 32)},
	})
	if err != nil {
		t.Fatal(err)
	}
	eachHost(t, func(t *testing.T, h *host) {
		s := h.install(t, "clients", bundled(t, "clients.js"), "", "network:works.example:"+port,
			"network:works.example:"+closedPort, "network:missing.example", "network:private.example",
			"network:broken.example", "network:10.1.2.4", "network:"+closed)
		for _, tt := range []struct{ url, code, message string }{
			{"http://works.example:" + port, "", "hello"},
			{"http://works.example:" + closedPort, "ECONNREFUSED", "connect ECONNREFUSED works.example:" + closedPort},
			{"http://missing.example", "ENOTFOUND", "getaddrinfo ENOTFOUND missing.example"},
			{"http://broken.example", "EAI_AGAIN", "getaddrinfo EAI_AGAIN broken.example"},
			{"http://private.example", "EACCES", "STOA_EXTERNAL_ALLOW"},
			{"http://10.1.2.4", "EACCES", "STOA_EXTERNAL_ALLOW"},
			{"http://other.example", "EACCES", `the permission "network:other.example"`},
			{"http://missing.example:8080", "EACCES", `the permission "network:missing.example:8080"`},
			{"http://192.0.2.1", "EACCES", `the permission "network:192.0.2.1"`},
			{"http://localhost:4567", "ECONNREFUSED", ""},
		} {
			for client, got := range s.try(t, tt.url, false) {
				if tt.code == "" && (strings.Contains(client, "connect") || client == "a socket") {
					continue // it wants no HTTP
				}
				if got.Code != tt.code || !strings.Contains(got.Message+got.Text, tt.message) {
					t.Errorf("%s with %s: %+v, want %s %s", tt.url, client, got, tt.code, tt.message)
				}
			}
		}
		for _, tt := range []struct{ host, code string }{
			{"works.example", ""},
			{"private.example", ""},
			{"localhost", ""},
			{"192.0.2.1", ""},
			{"missing.example", "ENOTFOUND"},
			{"broken.example", "EAI_AGAIN"},
			{"other.example", "EACCES"},
		} {
			for way, got := range s.try(t, "http://"+tt.host, true) {
				if got.Code != tt.code || tt.code == "" && got.Text != "string" {
					t.Errorf("%s by %s: %+v, want %q", tt.host, way, got, tt.code)
				}
			}
		}
	}, func(c *node.Config) { c.Egress = gate })
}

// tried is what a client or a lookup answered or failed with.
type tried struct{ Text, Code, Message, Permission string }

func (s *site) try(t *testing.T, url string, lookup bool) map[string]tried {
	t.Helper()
	body, err := json.Marshal(map[string]any{"url": url, "lookup": lookup})
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]tried
	res := s.do(t, http.MethodPost, "/api/all", string(body), "Content-Type", "application/json")
	if err := json.Unmarshal([]byte(res.body), &all); err != nil || res.status != http.StatusOK {
		t.Fatalf("%d %s: %v", res.status, res.body, err)
	}
	return all
}

// listenOutside returns two addresses that stand for the world outside, one of a server and one
// where nothing listens.
func listenOutside(t *testing.T) (serves, closed string) {
	t.Helper()
	level, missing := isolation(t)
	if level != sandbox.Full {
		t.Skipf("plugins cannot be contained here: %s", missing)
	}
	ip := ""
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			ip = n.IP.String()
		}
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if ip == "" || err != nil {
		t.Skip("this machine has no address but loopback")
	}
	srv := &httptest.Server{Listener: ln, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }),
	}}
	srv.Start()
	t.Cleanup(srv.Close)
	none, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	return ln.Addr().String(), none.Addr().String()
}

// nameServer returns a resolver that knows these names, each with an IPv4 address or SERVFAIL, and
// no others.
func nameServer(t *testing.T, names map[string]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		for buf := make([]byte, 512); ; {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(answerTo(buf[:n], names), from)
		}
	}()
	var dialer net.Dialer
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answerTo answers a query for one name (RFC 1035, section 4.1).
func answerTo(query []byte, names map[string]string) []byte {
	var labels []string
	at := 12
	for query[at] != 0 {
		labels = append(labels, string(query[at+1:at+1+int(query[at])]))
		at += 1 + int(query[at])
	}
	at++
	const noError, servFail, nxDomain = 0, 2, 3
	isA, code := query[at+1] == 1, byte(noError)
	value, known := names[strings.ToLower(strings.Join(labels, "."))]
	addr, err := netip.ParseAddr(value)
	switch {
	case !known:
		code = nxDomain
	case err != nil:
		code = servFail
	}
	answer := append([]byte{}, query[:at+4]...)
	answer[2], answer[3] = 0x81, 0x80|code
	copy(answer[6:12], []byte{0, 0, 0, 0, 0, 0})
	if code == noError && isA {
		answer[7] = 1
		answer = append(append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), addr.AsSlice()...)
	}
	return answer
}
