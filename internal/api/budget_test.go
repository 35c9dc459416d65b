package httpapi_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// Bodies that arrive slowly take no more memory than they may, whatever the route, and
// requests beyond that are asked to come again.
func TestSlowBodiesOfAnyRouteTakeNoMoreThanTheBudget(t *testing.T) {
	t.Parallel()
	const piece = 200_000 // counted as 512 KiB
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.BodyMemory = 3 << 20 })
	host := strings.TrimPrefix(a.URL, "http://")
	sender := func() net.Conn {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		fmt.Fprintf(c, "POST /auth/register HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			host, piece+1, strings.Repeat(" ", piece))
		return c
	}
	large := func() testkit.Response {
		return a.DoUnchecked(t, testkit.Request{
			Method: http.MethodPost, Path: "/auth/register", Body: `{"a":"` + strings.Repeat("x", piece) + `"}`,
			Header: http.Header{"Content-Type": {"application/json"}},
		})
	}
	var held []net.Conn
	for range 5 {
		held = append(held, sender())
	}
	busy := testkit.Response{}
	waittest.True(t, "a refusal", func() bool {
		if busy = large(); busy.Status == http.StatusServiceUnavailable {
			return true
		}
		held = append(held, sender()) // one of those before may have been refused beside it
		return false
	})
	testkit.WantError(t, busy, http.StatusServiceUnavailable, "UPLOADS_BUSY")
	if busy.Header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to try again")
	}
	if res := a.DoUnchecked(t, testkit.Get("", "/livez")); res.Status != http.StatusOK {
		t.Errorf("a request without a body = %d", res.Status)
	}
	small := a.DoUnchecked(t, testkit.Request{
		Method: http.MethodPost, Path: "/auth/register", Body: "{}", Header: http.Header{"Content-Type": {"application/json"}},
	})
	if small.Status != http.StatusBadRequest {
		t.Errorf("a small body = %d", small.Status)
	}
	for _, c := range held {
		_, _ = io.WriteString(c, " ")
		_ = c.Close()
	}
	waittest.Until(t, "room afterwards", func() error {
		if res := large(); res.Status == http.StatusServiceUnavailable {
			return errors.New(string(res.Body))
		}
		return nil
	})
}
