package stall

import (
	"errors"
	"io"
	"net"
	"testing"

	"stoa/internal/edge/splice"
	"stoa/internal/testkit/conntest"
)

// counted is a connection as package peers makes it.
type counted struct{ *net.TCPConn }

// The kernel moves bytes to whatever has a socket, and to nothing else.
func TestBytesAreMovedToASocket(t *testing.T) {
	t.Parallel()
	plugin, from := conntest.Pair(t, "tcp")
	to, client := conntest.Pair(t, "tcp")
	_, _ = io.WriteString(plugin, "hello")
	s := splice.New(conntest.Socket(t, from), 5)
	defer s.Close()
	pipe, _ := pair(t)
	if n, err := pipe.TakeFrom(s, 5); n != 0 || !errors.Is(err, errors.ErrUnsupported) || s.Left() != 5 {
		t.Errorf("without a socket: %d, %v", n, err)
	}
	c := New(counted{to.(*net.TCPConn)})
	for s.Left() > 0 && s.Err() == nil {
		if _, err := c.TakeFrom(s, 5); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "hello" {
		t.Errorf("%q arrived, %v", got, err)
	}
}
