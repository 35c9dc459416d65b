package front_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
)

// called begins the targets of calls.
const called = "/api/x/"

// behind is a header that makes a Front leave a request to net/http, which handlers do not see otherwise.
const behind = "Pragma: x\r\n"

// server is a net/http server, with or without a Front.
type server struct {
	addr  string
	front *front.Front // nil without one
	http  *http.Server
	// passed counts the requests that net/http served.
	passed atomic.Int32
}

// newServer starts a server whose handler is h. Options change it before it serves.
func newServer(tb testing.TB, fronted bool, h http.Handler, options ...func(*http.Server)) *server {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{addr: ln.Addr().String()}
	guard := framing.NewGuard()
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if guard.Refused(r) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
	s.http = &http.Server{
		ReadHeaderTimeout: framing.HeadTimeout, IdleTimeout: front.IdleTimeout,
		MaxHeaderBytes: framing.MaxHead, Protocols: framing.Protocols(), ConnState: framing.ConnState,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.passed.Add(1)
			guarded.ServeHTTP(w, r)
		}),
	}
	ln = guard.Listen(ln)
	if fronted {
		s.front = &front.Front{Handler: guarded, Log: slog.New(slog.DiscardHandler)}
		ln, s.http.ConnState = s.front.Listen(ln), front.ConnState
	}
	for _, change := range options {
		change(s.http)
	}
	go func() { _ = s.http.Serve(ln) }()
	tb.Cleanup(func() { _ = s.http.Close() })
	return s
}

// dial connects to s.
func (s *server) dial(tb testing.TB) (net.Conn, *bufio.Reader) {
	tb.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return c, bufio.NewReader(c)
}

// talk sends bytes, and returns all that s sends until it closes the connection.
func (s *server) talk(tb testing.TB, sent string) string {
	tb.Helper()
	c, in := s.dial(tb)
	defer c.Close()
	go func() { _, _ = io.WriteString(c, sent) }()
	answer, err := io.ReadAll(in)
	if err != nil && len(answer) == 0 {
		return "broken: " + err.Error()
	}
	return string(answer)
}

// sorted puts the header lines of all answers in order: net/http sorts most of them. Times become "now", because two
// servers do not answer in the same second.
func sorted(text string) string {
	var out strings.Builder
	for block := range strings.SplitAfterSeq(text, "\r\n\r\n") {
		at := strings.Index(block, "HTTP/1.1 ")
		if at < 0 {
			out.WriteString(block)
			continue
		}
		lines := strings.Split(block[at:], "\r\n")
		for i, line := range lines {
			if at, ok := strings.CutPrefix(line, "Date: "); ok {
				if _, err := http.ParseTime(at); err == nil {
					lines[i] = "Date: now"
				}
			}
		}
		slices.Sort(lines[1:])
		fmt.Fprintf(&out, "%s%s\n", block[:at], strings.Join(lines, "\n"))
	}
	return out.String()
}
