package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"stoa/internal/edge/bodies"
	"stoa/internal/testkit/waittest"
)

// slowly sends a request with a body of that length except for its last byte, and returns the
// connection. length -1 announces none.
func slowly(t *testing.T, k *kit, length, sent int) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	framing := fmt.Sprintf("Content-Length: %d\r\n\r\n", length)
	if length < 0 {
		framing = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", 10*mib)
	}
	go func() {
		_, _ = io.WriteString(c, "POST /api/x HTTP/1.1\r\nHost: shop\r\n"+framing)
		_, _ = io.Copy(c, io.LimitReader(bodyOf(sent), int64(sent)))
	}()
	return c
}

// settles waits until the bodies take that many bytes of the budget.
func settles(t *testing.T, b *bodies.Budget, want int64) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("bodies that take %d bytes", want), func() error {
		if used := b.Used(); used != want {
			return fmt.Errorf("they take %d", used)
		}
		return nil
	})
}

func TestSlowSendersTakeNoMoreThanTheBudget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		length, sent int
		each         int64 // bytes of the budget
		budget       int64 // enough for four, but not for another to grow: then old and new memory are counted
	}{
		"small bodies":                      {60_000, 59_999, 64 << 10, 288 << 10},
		"bodies that are signed":            {mib, mib - 1, mib, (4*mib + mib/2) * 4 / 3},
		"bodies of unknown length":          {-1, mib - 1, mib, (4*mib + mib/2) * 4 / 3},
		"streams":                           {10*mib - 1, 10*mib - 2, 128 << 10, 4 * 128 << 10 * 4 / 3},
		"streams whose plugin reads slowly": {10*mib - 1, 2 * mib, 128 << 10, 4 * 128 << 10 * 4 / 3},
		"streams of unknown length":         {-1, 2 * mib, 128 << 10, 1984 << 10 * 4 / 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			const senders = 4
			k.Budget = bodies.NewBudget(tt.budget)
			var held []net.Conn
			var arrived atomic.Int32
			k.answer = func(w http.ResponseWriter, r *http.Request) {
				arrived.Add(1)
				if _, err := io.Copy(io.Discard, r.Body); err == nil {
					w.WriteHeader(http.StatusTeapot)
				}
			}
			for i := range senders {
				held = append(held, slowly(t, k, tt.length, tt.sent))
				if tt.sent > mib || tt.length > mib { // else it may be counted as much on its way
					waittest.True(t, "the request to arrive", func() bool { return int(arrived.Load()) > i })
				}
				settles(t, k.Budget, int64(i+1)*tt.each)
			}
			res := k.do(t, "POST", "/api/x", bodyOf(tt.sent+1), nil)
			if tt.length < 0 {
				res = k.do(t, "POST", "/api/x", struct{ io.Reader }{bodyOf(tt.sent + 1)}, nil)
			}
			if got := code(res); got != "UPLOADS_BUSY" {
				t.Errorf("one more is answered %s, want UPLOADS_BUSY", got)
			}
			if tt.each > 64<<10 { // others are served
				if got := code(k.do(t, "POST", "/api/x", strings.NewReader("a form"), nil)); got != "418" {
					t.Errorf("a small body is answered %s", got)
				}
			}
			if got := code(k.do(t, "GET", "/api/x", nil, nil)); got != "418" {
				t.Errorf("a request without a body is answered %s", got)
			}
			for _, c := range held {
				_ = c.Close()
			}
			settles(t, k.Budget, 0)
			if got := code(k.do(t, "POST", "/api/x", bodyOf(tt.sent+1), nil)); got != "418" {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
}

// The memory of a body is given back however the call ends.
func TestNoBodyIsCountedAfterItsCall(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Budget = bodies.NewBudget(64 * mib)
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Do") {
		case "read":
			_, _ = io.Copy(io.Discard, r.Body)
		case "abort":
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusTeapot)
	}
	for _, size := range []int{1, 100_000, mib, mib + 1, 3 * mib, 10*mib + 1} {
		for _, chunked := range []bool{false, true} {
			for _, do := range []string{"read", "ignore", "abort"} {
				var body io.Reader = bodyOf(size)
				if chunked {
					body = struct{ io.Reader }{body}
				}
				r, err := http.NewRequestWithContext(t.Context(), "POST", k.front.URL+"/api/x", body)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("X-Do", do)
				if res, err := k.client.RoundTrip(r); err == nil { // a refusal may end the connection first
					_ = res.Body.Close()
				}
				settles(t, k.Budget, 0)
			}
		}
	}
}
