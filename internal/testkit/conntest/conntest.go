// Package conntest connects real sockets for tests.
package conntest

import (
	"net"
	"syscall"
	"testing"
)

// Pair returns both ends of a connection over a network, "tcp" or "unix". They are closed with the test.
func Pair(tb testing.TB, network string) (dialled, accepted net.Conn) {
	tb.Helper()
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = tb.TempDir() + "/s"
	}
	ln, err := new(net.ListenConfig).Listen(tb.Context(), network, addr)
	if err != nil {
		tb.Fatal(err)
	}
	defer ln.Close()
	if dialled, err = new(net.Dialer).DialContext(tb.Context(), network, ln.Addr().String()); err != nil {
		tb.Fatal(err)
	}
	if accepted, err = ln.Accept(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = dialled.Close(), accepted.Close() })
	return dialled, accepted
}

// Socket returns a connection as the operating system sees it.
func Socket(tb testing.TB, c net.Conn) syscall.RawConn {
	tb.Helper()
	raw, err := c.(syscall.Conn).SyscallConn() //nolint:forcetypeassert // a test fails with it
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}
