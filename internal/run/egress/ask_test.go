package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestOnlyGrantedHostsAreResolved: a name server is asked about a granted host, and about nothing
// else that a plugin may write.
func TestOnlyGrantedHostsAreResolved(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	g, err := New(Config{
		Log: slog.New(slog.DiscardHandler), BaseURL: "http://shop.example.com",
		Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			asked.Add(1)
			return nil, errors.New("no name server")
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := g.Plan([]string{"network:api.example.com"})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { ln.Close(); <-done })
	go func() { defer close(done); plan.serveAsks(t.Context(), slog.New(slog.DiscardHandler), ln) }()
	for question, want := range map[string]string{
		"api.example.com 443\n":              "EAI_AGAIN",
		"api.example.com 0\n":                "EAI_AGAIN",
		"api.example.com 8443\n":             "{}\n",
		"other.example.com 443\n":            "{}\n",
		"shop.example.com 80\n":              "{}\n",
		" 0\n":                               "",
		"api.example.com\n":                  "",
		"api.example.com 99999\n":            "",
		"api.example.com -1\n":               "",
		strings.Repeat("x", 2*maxQuestion):   "",
		"api.example.com 443 443\n":          "",
		"\x00\xff 443\n":                     "{}\n",
		"http://api.example.com/ 443\n":      "{}\n",
		"api.example.com.evil.example 443\n": "{}\n",
	} {
		before := asked.Load()
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, question)
		answer, _ := io.ReadAll(conn) // a question that was not read to its end breaks it
		conn.Close()
		if (want == "") != (len(answer) == 0) || !strings.Contains(string(answer), want) {
			t.Errorf("%q: got %q, want %q", question, answer, want)
		}
		if resolved := asked.Load() > before; resolved != (want == "EAI_AGAIN") {
			t.Errorf("%q: resolved: %t", question, resolved)
		}
	}
}

func TestConnectionsThatWaitAreFewAndCloseSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w waiting
		left := func() int {
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.conns)
		}
		ends := make([]net.Conn, maxReady+1)
		for i := range ends {
			var ours net.Conn
			ours, ends[i] = net.Pipe()
			w.put(askAt, ours)
		}
		if _, err := ends[maxReady].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("one too many: %v", err)
		}
		if w.take(askAt) == nil || left() != maxReady-1 {
			t.Errorf("%d wait", left())
		}
		time.Sleep(readyFor + time.Second)
		synctest.Wait()
		if left() != 0 || w.take(askAt) != nil {
			t.Errorf("%d wait after %s", left(), readyFor)
		}
		if _, err := ends[1].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("one that waited: %v", err)
		}
	})
}
