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
	"stoa/internal/edge/stall"
)

// readSize is the size of a connection's buffer. Requests with a longer head go to net/http.
const readSize = 4 << 10

// conn is a connection of a Front. One goroutine at a time reads from it: net/http's, or during a
// call the handler's.
type conn struct {
	*framing.Conn

	front  *Front
	remote string
	ctx    context.Context //nolint:containedctx // the parent of every call's context

	buf  []byte // buf[r:w] was read and is not consumed
	r, w int
	// ours means that net/http has read nothing of the next request.
	ours bool
	// idle means that net/http waits for the next request.
	idle atomic.Bool
	// extra is how many line ends may precede the next request: old clients send some after a POST.
	// net/http drops as many.
	extra int
	err   error // why there is no next request

	// read is when the read deadline of a waiting connection was set; zero if another deadline
	// replaced it.
	read time.Time

	mu      sync.Mutex // guards the fields below
	served  bool       // a call was served since net/http last had the connection
	serving bool
	waiting bool // for the next request, after a call
	closing bool // the connection ends after the current call
	wrote   bool // a write deadline was set
	changed bool // a handler or net/http set a read deadline

	watch watch
}

func newConn(f *Front, nc *framing.Conn) *conn {
	c := &conn{Conn: nc, front: f, remote: nc.RemoteAddr().String(), ours: true}
	c.ctx = connContext{context.Background(), c}
	c.watch.conn = c
	return c
}

// connContext is the parent of the contexts of all calls on a connection.
type connContext struct {
	context.Context

	conn *conn
}

// Value implements context.Context.
func (x connContext) Value(key any) any {
	switch key {
	case http.LocalAddrContextKey:
		return x.conn.LocalAddr()
	case stall.ClientKey():
		return &x.conn.watch
	}
	return nil
}

// Read implements net.Conn for net/http's server. It serves all calls before it returns the first
// bytes of any other request.
func (c *conn) Read(p []byte) (int, error) {
	if !c.ours && c.idle.Load() && c.r == c.w && c.Between() {
		c.ours = true
	}
	if c.ours && c.err == nil {
		c.err = c.serveCalls()
	}
	c.idle.Store(false) // until net/http reports it again
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

// Drained reports whether net/http has given up the connection, and all that was read before was passed
// on (framing.Conn.Drained).
func (c *conn) Drained() bool { return !c.ours && c.r == c.w && c.Conn.Drained() }

// serveCalls serves calls until the buffer holds another kind of request, or until an error.
func (c *conn) serveCalls() error {
	for {
		for c.extra > 0 && c.r < c.w && (c.buf[c.r] == '\r' || c.buf[c.r] == '\n') {
			c.r++
			c.extra--
		}
		if c.r < c.w {
			c.extra = 0
			h, n := parseHead(c.buf[c.r:c.w])
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
				// net/http detects HTTP/2 in the first bytes of a connection only, and these are
				// not.
				c.r, c.w = 0, 0
				return io.EOF
			case c.w < len(c.buf) || c.r == 0: // else the head may be truncated by the buffer's end
				c.handOver()
				return nil
			}
		}
		if err := c.fill(); err != nil {
			if c.r < c.w {
				c.handOver()
			}
			return err
		}
	}
}

// handOver leaves the buffer to net/http.
func (c *conn) handOver() {
	c.ours = false
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting, c.served = false, false
}

// fill reads more into the buffer. The guard below returns a head only when it is complete.
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

// await sets the time limit for the next request. It returns false if the connection takes no more
// requests.
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

// begin marks the connection as serving. It returns false if it takes no more calls.
func (c *conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	c.served, c.serving, c.waiting = true, true, false
	return true
}

// end marks the call as over. It returns false if the connection ends with it.
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

// last reports whether the connection ends with the current call.
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

// drain closes a waiting connection, or makes the current call its last.
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

// cut ends the current call, even in the middle of its answer.
func (c *conn) cut() {
	if c.isServing() {
		_ = c.Conn.Close()
		c.watch.hangUp()
	}
}

// Close implements net.Conn. On shutdown, net/http closes connections that wait for a request. It
// does not know of calls that are served here, so those are answered first.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closing = true // a call whose head was just read does not start
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
