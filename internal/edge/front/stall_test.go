package front_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
	"stoa/internal/edge/stall"
	"stoa/internal/testkit/pipetest"
)

// piped serves h with a Front in a bubble of synctest. It returns what dials.
func piped(t *testing.T, h http.HandlerFunc) (dial func() net.Conn) {
	t.Helper()
	ln := pipetest.New()
	f := &front.Front{Handler: h, Log: slog.New(slog.DiscardHandler)}
	srv := &http.Server{Handler: h}
	front.Setup(srv)
	go func() { _ = srv.Serve(f.Listen(framing.NewGuard().Listen(ln))) }()
	t.Cleanup(func() {
		_ = srv.Close()
		synctest.Wait()
	})
	return func() net.Conn {
		client := ln.Dial()
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
}

// A client that sends requests and reads no answers is cut off after the limit, however small the
// answers are, and whether the Front or net/http serves them.
func TestAClientThatReadsNoAnswersIsCutOff(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"a call":            call,
		"a call and a body": "POST /api/x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
		"net/http's":        passedOn,
		"HTTP/1.0":          "GET /api/x/a HTTP/1.0\r\n\r\n",
		"malformed":         "GET /api/x/a HTTP/1.1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := piped(t, handler)()
				began := time.Now()
				sent := 0
				for ; ; sent++ {
					if _, err := io.WriteString(c, request); err != nil {
						break
					}
					if sent > 1000 {
						t.Fatal("the server goes on reading")
					}
				}
				if took := time.Since(began); took < stall.Limit || took > 2*stall.Limit {
					t.Errorf("the connection was closed after %v, and %d requests", took, sent)
				}
			})
		})
	}
}

// Neither the length of an answer or stream nor the time between answers is limited.
func TestAClientThatReadsSlowlyIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := piped(t, func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				_, _ = w.Write(make([]byte, 20<<10))
				_ = http.NewResponseController(w).Flush()
				if time.Sleep(stall.Limit); r.Header.Get("Pragma") != "" {
					time.Sleep(time.Minute)
				}
			}
		})()
		for _, by := range []string{"", behind, ""} {
			fmt.Fprintf(c, "GET /api/x/ HTTP/1.1\r\nHost: x\r\n%s\r\n", by)
			got := 0
			for buf := make([]byte, 20<<10); got < 200<<10; {
				n, err := c.Read(buf)
				if got += n; err != nil {
					t.Fatalf("%q: %v after %d bytes", by, err, got)
				}
				time.Sleep(stall.Limit / 10)
			}
			for last := make([]byte, 5); string(last) != "0\r\n\r\n"; { // of the last chunk
				copy(last, last[1:])
				if _, err := c.Read(last[4:]); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
		}
	})
}
