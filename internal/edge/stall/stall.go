// Package stall frees what a client holds when it stops reading or leaves.
//
// A client that sends requests and reads no answers would otherwise hold a goroutine and its
// buffers forever. Conn limits each write. The limit is on progress, not on the whole answer:
// streams and large downloads may last. The limit costs next to nothing, because one deadline serves
// all writes for a while. When the user of a Conn clears a deadline of their own, the limit applies
// again. Package framing wraps every connection of a server in a Conn. HTTP/2 streams stall
// independently; Streams limits those.
//
// OnHangup closes what a request has open elsewhere when its client leaves.
package stall

import (
	"errors"
	"io"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"stoa/internal/edge/splice"
)

const (
	// Limit is how long a client may take to read the next piece of an answer.
	Limit = 30 * time.Second
	// spare is how much longer than Limit a deadline is, so that it serves all writes meanwhile.
	spare = Limit / 4
	// piece is how many bytes share one Limit: the minimum rate is about 1 KiB/s.
	piece = 32 << 10
)

// epoch is the origin of due: a monotonic time that fits into a number.
var epoch = time.Now()

// Conn is a connection whose writes have the Limit, unless its user sets another write deadline.
// Make it with New.
type Conn struct {
	net.Conn

	// due is when the next write renews the deadline, in nanoseconds since epoch: 0 before the
	// first write, never while the user's deadline is set.
	due atomic.Int64
	mu  sync.Mutex // held while the deadline changes

	socket syscall.RawConn // of TakeFrom
}

const never = math.MaxInt64

// New returns nc with the Limit.
func New(nc net.Conn) *Conn { return &Conn{Conn: nc} }

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (n int, err error) {
	for {
		c.extend()
		next := p[n:]
		if len(next) > piece && c.due.Load() != never {
			next = next[:piece]
		}
		m, err := c.Conn.Write(next)
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// extend makes sure that the next write has the Limit, unless the user set another deadline.
func (c *Conn) extend() {
	if due := c.due.Load(); due != 0 && int64(time.Since(epoch)) < due {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.due.Load() != never { // set just now
		_ = c.renew() // if it fails, so does the write
	}
}

// renew restarts the Limit. The caller holds mu.
func (c *Conn) renew() error {
	c.due.Store(int64(time.Since(epoch) + spare))
	return c.Conn.SetWriteDeadline(time.Now().Add(Limit + spare))
}

// SetWriteDeadline implements net.Conn. The zero time restores the Limit.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.IsZero() {
		if c.due.Load() != never {
			return nil
		}
		return c.renew()
	}
	c.due.Store(never)
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// ReadFrom lets the kernel copy from files.
func (c *Conn) ReadFrom(r io.Reader) (n int64, err error) {
	rf, ok := c.Conn.(io.ReaderFrom)
	all, limited := r.(*io.LimitedReader)
	if !limited {
		all = &io.LimitedReader{R: r, N: math.MaxInt64}
	}
	if _, isFile := all.R.(file); !ok || !isFile { // waiting for another source would count against the client
		return io.Copy(struct{ io.Writer }{c}, r)
	}
	for all.N > 0 {
		c.extend()
		part := &io.LimitedReader{R: all.R, N: min(all.N, piece)}
		m, err := rf.ReadFrom(part)
		n, all.N = n+m, all.N-m
		if err != nil || part.N > 0 {
			return n, err
		}
	}
	return n, nil
}

// file is what *os.File has and connections do not.
type file interface {
	io.ReaderAt
	syscall.Conn
}

// TakeFrom implements splice.Taker.
func (c *Conn) TakeFrom(s *splice.Source, most int64) (int64, error) {
	if c.socket == nil {
		sc, ok := c.Conn.(syscall.Conn)
		if !ok { // as with TLS
			return 0, errors.ErrUnsupported
		}
		raw, err := sc.SyscallConn()
		if err != nil {
			return 0, err
		}
		c.socket = raw
	}
	c.extend()
	if c.due.Load() != never {
		most = min(most, piece)
	}
	return s.To(c.socket, most)
}

var _ splice.Taker = (*Conn)(nil)

// CloseWrite closes the sending side.
func (c *Conn) CloseWrite() error {
	if cw, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return nil
}
