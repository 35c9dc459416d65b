package relay_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"syscall"
	"testing"

	"stoa/internal/edge/splice"
	"stoa/internal/run/relay"
	"stoa/internal/testkit/conntest"
)

// taker is a client with a socket.
type taker struct {
	*httptest.ResponseRecorder

	to    syscall.RawConn
	given int64
	after func() // each piece
}

// TakeFrom implements splice.Taker.
func (c *taker) TakeFrom(s *splice.Source, most int64) (int64, error) {
	n, err := s.To(c.to, most)
	if c.given += n; n > 0 {
		c.after()
	}
	return n, err
}

// newTaker returns a client, and what its socket got once the other end is closed.
func newTaker(t *testing.T) (c *taker, got func() []byte) {
	t.Helper()
	to, client := conntest.Pair(t, "tcp")
	all := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(client)
		all <- b
	}()
	c = &taker{ResponseRecorder: httptest.NewRecorder(), to: conntest.Socket(t, to), after: func() {}}
	return c, func() []byte {
		_ = to.Close()
		return <-all
	}
}

// What the kernel has taken from a plugin is not given to a client whose call has ended meanwhile, as by a revocation.
func TestNothingIsMovedOnceACallHasEnded(t *testing.T) {
	t.Parallel()

	const size = 2 << 20
	body := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	up := plugin(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		_, _ = w.Write(body)
	})
	for _, ends := range []bool{false, true} {
		c, got := newTaker(t)
		ctx, cancel := context.WithCancel(t.Context())
		if ends {
			c.after = cancel
		}
		call := relay.NewCall(c, request(t, http.MethodGet, "").WithContext(ctx))
		_ = call.Pass(up)
		call.End()
		cancel()
		written, moved := c.Body.Bytes(), got()
		if !ends && (c.given == 0 || !bytes.Equal(append(written, moved...), body)) {
			t.Errorf("%d bytes were written and %d moved of %d, or others", len(written), len(moved), size)
		}
		if ends && (c.given == 0 || c.given > 64<<10) {
			t.Errorf("%d bytes were moved, want one piece", c.given)
		}
	}
}
