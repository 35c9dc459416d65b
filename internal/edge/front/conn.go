package front

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/hangup"
)

// readSize is the size of a connection's buffer. Requests with a longer head are handed
// on.
const readSize = 4 << 10

// conn is a connection of a Front. One goroutine at a time reads from it: that of
// net/http's server, and while a call lasts, its handler's.
type conn struct {
	*framing.Conn

	front  *Front
	remote string
	ctx    context.Context //nolint:containedctx // the parent of those of all calls

	buf  []byte // bytes r to w were read and not used
	r, w int
	// ours says that net/http has read nothing of the request that comes next.
	ours bool
	// idle says that net/http waits for the next request.
	idle atomic.Bool
	// extra is how many line ends may come before the next request: old clients send some
	// after a POST, and net/http drops as many.
	extra int
	err   error // why there is no next request

	// read is when the deadline for reading was set, if it is still that of a connection
	// that waits; else zero.
	read time.Time

	mu      sync.Mutex // guards what follows
	served  bool       // there was a call since net/http had the connection
	serving bool
	waiting bool // for the next request, after a call
	closing bool // the connection ends after the present call
	wrote   bool // a deadline for writing was set
	changed bool // a deadline for reading was set by somebody else

	watch watch
}

func newConn(f *Front, nc *framing.Conn) *conn {
	c := &conn{Conn: nc, front: f, remote: nc.RemoteAddr().String(), ours: true}
	c.ctx = connContext{context.Background(), c}
	c.watch.conn = c
	return c
}

// connContext is the parent of the contexts of all calls of a connection.
type connContext struct {
	context.Context

	conn *conn
}

// Value implements context.Context.
func (x connContext) Value(key any) any {
	switch key {
	case http.LocalAddrContextKey:
		return x.conn.LocalAddr()
	case hangup.Key():
		return &x.conn.watch
	}
	return nil
}

// Read implements net.Conn for net/http's server. It serves all calls before it returns
// the first bytes of something else.
func (c *conn) Read(p []byte) (int, error) {
	if !c.ours && c.idle.Load() && c.r == c.w && c.Between() {
		c.ours = true
	}
	if c.ours && c.err == nil {
		c.err = c.serveCalls()
	}
	c.idle.Store(false) // until net/http says so again
	if c.r < c.w {
		n := copy(p, c.buf[c.r:c.w])
		if c.r += n; c.r == c.w {
			c.buf, c.r, c.w = nil, 0, 0
		}
		return n, nil
	}
	if c.err != nil {
		return 0, c.err
	}
	return c.Conn.Read(p)
}

// serveCalls serves calls until something else comes, which is in the buffer then, or
// until an error.
func (c *conn) serveCalls() error {
	for {
		for c.extra > 0 && c.r < c.w && (c.buf[c.r] == '\r' || c.buf[c.r] == '\n') {
			c.r++
			c.extra--
		}
		if c.r < c.w {
			c.extra = 0
			h, n := parseHead(c.buf[c.r:c.w], c.front.Serves)
			switch {
			case n > 0:
				c.r += n
				if !c.serve(&h) {
					c.r, c.w = 0, 0
					return io.EOF
				}
				if h.method == http.MethodPost {
					c.extra = 4
				}
				continue
			case c.served && bytes.HasPrefix(c.buf[c.r:c.w], []byte("PRI ")):
				// net/http looks for HTTP/2 in the first bytes that it gets, which these are not.
				c.r, c.w = 0, 0
				return io.EOF
			case c.w < len(c.buf) || c.r == 0: // else the head may be cut off by the buffer's end
				c.handOn()
				return nil
			}
		}
		if err := c.fill(); err != nil {
			if c.r < c.w {
				c.handOn()
			}
			return err
		}
	}
}

// handOn leaves what is in the buffer to net/http.
func (c *conn) handOn() {
	c.ours = false
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting, c.served = false, false
}

// fill reads more into the buffer. Of a head, the guard below returns all at once.
func (c *conn) fill() error {
	if c.buf == nil {
		c.buf = make([]byte, readSize)
	}
	c.r, c.w = 0, copy(c.buf, c.buf[c.r:c.w])
	if c.w == 0 && !c.await() {
		return net.ErrClosed
	}
	n, err := c.Conn.Read(c.buf[c.w:])
	c.w += n
	if n > 0 {
		return nil
	}
	return err
}

// await sets the time limit for the next request. It returns false if none is taken any
// more.
func (c *conn) await() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing || c.served && c.front.draining.Load() {
		return false
	}
	if !c.served {
		return true // net/http has set its own
	}
	c.waiting = true
	if now := time.Now(); c.changed || now.Sub(c.read) > time.Second {
		c.changed, c.read = false, now
		_ = c.Conn.SetReadDeadline(now.Add(IdleTimeout))
	}
	return true
}

// begin notes that a call is served. It returns false if none is served any more.
func (c *conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	c.served, c.serving, c.waiting = true, true, false
	return true
}

// end notes that the call is over. It returns false if the connection ends with it.
func (c *conn) end() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving = false
	if c.wrote {
		c.wrote = false
		_ = c.Conn.SetWriteDeadline(time.Time{})
	}
	return !c.closing
}

// last reports whether the connection ends with the present call.
func (c *conn) last() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing || c.front.draining.Load()
}

func (c *conn) isServing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serving
}

// drain closes a connection that waits, or lets its call be the last.
func (c *conn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting || c.serving {
		c.closing = true
	}
	if c.waiting {
		_ = c.Conn.Close() // its reader does the rest
	}
}

// cut ends a call, whatever becomes of its answer.
func (c *conn) cut() {
	if c.isServing() {
		_ = c.Conn.Close()
		c.watch.hangUp()
	}
}

// Close implements net.Conn. net/http closes connections that wait for a request when it
// shuts down. A call that is served, of which it knows nothing, is answered first.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closing = true // a call whose head was just read does not begin any more
	serving := c.serving
	c.mu.Unlock()
	if serving {
		return nil
	}
	c.front.forget(c)
	return c.Conn.Close()
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed = true
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrote = !t.IsZero()
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed, c.wrote = true, !t.IsZero()
	return c.Conn.SetDeadline(t)
}
