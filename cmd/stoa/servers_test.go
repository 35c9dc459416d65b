package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
)

// A stop lets requests end that the front serves, of which net/http knows nothing, and cuts off those that
// outlast the grace.
func TestAStopWaitsForCallsToPlugins(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		grace time.Duration
		ends  bool
	}{
		"that end":  {time.Minute, true},
		"that last": {10 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			began, let, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(began)
				select {
				case <-let:
					_, _ = io.WriteString(w, "done")
				case <-r.Context().Done():
					close(left)
				}
			})
			log := slog.New(slog.DiscardHandler)
			f := &front.Front{Handler: h, Log: log}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			draining := make(chan struct{})
			s := &servers{
				log: log, grace: tt.grace, beforeStop: func() {}, drain: func() { f.Drain(); close(draining) }, finish: f.Wait,
			}
			s.start(t.Context(), f.Listen(framing.NewGuard().Listen(ln)), http.NotFoundHandler())
			answered := make(chan string, 1)
			go func() {
				c, err := net.Dial("tcp", ln.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				answer, _ := io.ReadAll(c)
				_, body, _ := strings.Cut(string(answer), "\r\n\r\n")
				answered <- body
			}()
			<-began
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			stopped := make(chan error, 1)
			go func() { stopped <- s.wait(ctx) }()
			want := ""
			if tt.ends {
				<-draining // requests are served until then
				select {
				case <-stopped:
					t.Error("the stop did not wait")
				case <-time.After(50 * time.Millisecond):
				}
				want = "done"
				close(let)
			} else {
				<-left
			}
			if got := <-answered; got != want {
				t.Errorf("the client got %q, want %q", got, want)
			}
			if err := <-stopped; err != nil {
				t.Errorf("stop: %v", err)
			}
		})
	}
}
