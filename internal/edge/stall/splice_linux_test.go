package stall

import (
	"errors"
	"io"
	"net"
	"testing"

	"stoa/internal/edge/splice"
)

// counted is a connection as package peers makes it.
type counted struct{ *net.TCPConn }

// dialled returns both ends of a connection.
func dialled(t *testing.T) (near, far *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	a, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn) //nolint:forcetypeassert // of a TCP listener
}

// The kernel moves bytes to whatever has a socket, and to nothing else.
func TestBytesAreMovedToASocket(t *testing.T) {
	t.Parallel()
	plugin, from := dialled(t)
	to, client := dialled(t)
	_, _ = io.WriteString(plugin, "hello")
	raw, err := from.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	s := splice.New(raw, 5)
	defer s.Close()
	pipe, _ := pair(t)
	if n, err := pipe.TakeFrom(s, 5); n != 0 || !errors.Is(err, errors.ErrUnsupported) || s.Left() != 5 {
		t.Errorf("without a socket: %d, %v", n, err)
	}
	c := New(counted{to})
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
