package framing_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/edge/framing"
)

// one is a listener with one connection.
type one struct{ c net.Conn }

func (o one) Accept() (net.Conn, error) { return o.c, nil }
func (o one) Close() error              { return nil }
func (o one) Addr() net.Addr            { return nil }

// A server ends a Read that may be waiting with a deadline in the past. A head that has
// started does not give that Read time.
func TestADeadlineInThePastEndsTheWaitForAHead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		defer client.Close()
		defer server.Close()
		c, err := framing.NewGuard().Listen(one{server}).Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Hour))
		go func() { _, _ = io.WriteString(client, "GET / HTTP/1.1\r\n\r\nGET ") }()
		if _, err := c.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			began := time.Now()
			_ = c.SetReadDeadline(began.Add(-1))
			if _, err := c.Read(make([]byte, 100)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) > 0 {
				t.Errorf("Read = %v after %v", err, time.Since(began))
			}
		}
		began := time.Now()
		_ = c.SetReadDeadline(began.Add(time.Hour))
		if _, err := c.Read(make([]byte, 100)); err == nil || time.Since(began) != framing.HeadTimeout {
			t.Errorf("Read = %v after %v", err, time.Since(began))
		}
	})
}
