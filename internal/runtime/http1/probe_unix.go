//go:build unix

package http1

import (
	"net"
	"syscall"
)

// probe finds out whether a connection that waits is still open, without a goroutine
// that reads from it.
type probe struct {
	raw   syscall.RawConn
	look  func(fd uintptr) bool // made once for a connection: it would be allocated each time
	still *bool
}

func newProbe(conn net.Conn) probe {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return probe{}
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return probe{}
	}
	open := new(bool)
	var b [1]byte
	return probe{raw: raw, still: open, look: func(fd uintptr) bool {
		n, err := syscall.Read(int(fd), b[:])
		// Nothing to read is what an open connection says. Bytes nobody asked for would
		// be taken for the next answer.
		*open = n < 0 && (err == syscall.EAGAIN || err == syscall.EINTR)
		return true
	}}
}

func (p probe) open() bool {
	if p.raw == nil {
		return true
	}
	return p.raw.Read(p.look) == nil && *p.still
}
