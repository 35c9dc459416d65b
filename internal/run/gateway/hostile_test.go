package gateway_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"stoa/internal/extension/plugin"
)

// hostile is an external plugin on a bare socket: it answers /api/attack with bytes of the
// test's choice, and everything else with "clean".
type hostile struct {
	mu    sync.Mutex
	bytes string
}

func (h *hostile) listen(tb testing.TB) string {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go h.serve(c)
		}
	}()
	return "http://" + ln.Addr().String()
}

func (h *hostile) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		answer := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nclean"
		if strings.HasSuffix(r.URL.Path, "/attack") {
			h.mu.Lock()
			answer = h.bytes
			h.mu.Unlock()
		}
		if _, err := io.WriteString(c, answer); err != nil {
			return
		}
		if strings.HasSuffix(answer, theEnd) {
			return
		}
	}
}

// theEnd ends an answer and its connection.
const theEnd = "\r\n<end>"

// No answer of a plugin is taken for the answer to another call, whatever follows it on
// its connection.
func TestAHostileAnswerIsNotTheAnswerToAnotherCall(t *testing.T) {
	t.Parallel()
	const (
		ok       = "HTTP/1.1 200 OK\r\n"
		poison   = ok + "Content-Length: 6\r\n\r\npoison"
		chunked  = "Transfer-Encoding: chunked\r\n\r\n"
		attacked = "502"
	)
	for name, tt := range map[string]struct {
		method, bytes string
		want          string // the status of the attacked call, or 502 for none that is usable
	}{
		"two answers":                   {"GET", ok + "Content-Length: 2\r\n\r\nok" + poison, "200"},
		"two answers to HEAD":           {"HEAD", ok + "Content-Length: 6\r\n\r\n" + poison, "200"},
		"a body for HEAD":               {"HEAD", poison, "200"},
		"a body for 204":                {"GET", "HTTP/1.1 204 No Content\r\n\r\n" + poison, "204"},
		"a length for 204":              {"GET", "HTTP/1.1 204 No Content\r\nContent-Length: 46\r\n\r\n" + poison, "204"},
		"a body for 304":                {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 46\r\n\r\n" + poison, "304"},
		"a longer body than it says":    {"GET", ok + "Content-Length: 0\r\n\r\n" + poison, "200"},
		"both lengths":                  {"GET", ok + "Content-Length: 4\r\n" + chunked + "0\r\n\r\n" + poison, attacked},
		"both lengths, in other order":  {"GET", ok + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + poison, attacked},
		"two lengths":                   {"GET", ok + "Content-Length: 2\r\nContent-Length: 0\r\n\r\nok" + poison, attacked},
		"a negative length":             {"GET", ok + "Content-Length: -1\r\n\r\n" + poison, attacked},
		"another coding":                {"GET", ok + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + poison, attacked},
		"a folded coding":               {"GET", ok + "X: a\r\n Transfer-Encoding: chunked\r\n\r\n" + poison, attacked},
		"a blank before the colon":      {"GET", ok + "Content-Length : 0\r\n\r\n" + poison, attacked},
		"bare line feeds":               {"GET", "HTTP/1.1 200 OK\nContent-Length: 0\n\n" + poison, attacked},
		"more after the last chunk":     {"GET", ok + chunked + "0\r\n\r\n" + poison, "200"},
		"a chunk that hides an answer":  {"GET", ok + chunked + "2\r\nok\r\n0\r\nX: a\r\n\r\n" + poison, "200"},
		"a trailer with a length":       {"GET", ok + chunked + "0\r\nContent-Length: 46\r\n\r\n" + poison, "200"},
		"an early answer, and too many": {"GET", "HTTP/1.1 103 Early Hints\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n" + poison, "200"},
		"an early answer with a body":   {"GET", "HTTP/1.1 103 Early Hints\r\nContent-Length: 46\r\n\r\n" + poison, attacked},
		"early answers without an end":  {"GET", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 5000), attacked},
		"early answers of large size":   {"GET", "HTTP/1.1 103 Early Hints\r\nLink: " + strings.Repeat("a", 100_000) + "\r\n\r\n", attacked},
		"an upgrade without a request":  {"GET", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n" + poison, attacked},
		"nothing but text":              {"GET", "poison\r\n\r\n" + poison, attacked},
		"a cut-off head":                {"GET", ok + "Content-Le" + theEnd, attacked},
		"an endless head":               {"GET", ok + strings.Repeat("X: a\r\n", 20_000), attacked},
		"an answer, and then the end":   {"GET", ok + "Content-Length: 2\r\n\r\nok" + poison + theEnd, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, h := newKit(t), &hostile{bytes: tt.bytes}
			base := h.listen(t)
			k.finder.change(func(in *plugin.Installed) { in.Package.Manifest.ExternalBaseURL = base })
			for range 3 {
				res := k.do(t, tt.method, "/api/attack", nil, nil)
				_, _ = io.Copy(io.Discard, res.Body)
				got := code(res)
				if tt.want == attacked && got != "PLUGIN_UNREACHABLE" || tt.want != attacked && got != tt.want {
					t.Errorf("answered %s, want %s", got, tt.want)
				}
				for range 3 {
					res := k.do(t, "GET", "/api/next", nil, nil)
					if body, err := io.ReadAll(res.Body); string(body) != "clean" || err != nil || res.StatusCode != 200 {
						t.Fatalf("the next call got %d %q (%v)", res.StatusCode, body, err)
					}
				}
			}
		})
	}
}
