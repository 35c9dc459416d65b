package http1

import (
	"errors"
	"net"
	"runtime"
	"syscall"
)

// maxAtOnce is how much Linux surely passes through a unix socket in one piece, in bytes.
const maxAtOnce = 32 << 10

// Unread reports whether err, from a read for the answer, proves that the other side has read
// nothing of the n bytes of the request, which were written at once. Linux ends a unix socket with
// ECONNRESET if the other side closed it, or died, before it had read all of what was sent, and
// with the end of the stream otherwise. A program that reads up to 64 KiB at a time, as Node.js does,
// reads so few bytes all at once or not at all.
//
// On other systems and over TCP nothing is ever proven.
func (c *Conn) Unread(err error, n int) bool {
	if runtime.GOOS != "linux" || n > maxAtOnce || c.touched || !errors.Is(err, syscall.ECONNRESET) {
		return false
	}
	_, local := c.Conn.(*net.UnixConn)
	return local
}
