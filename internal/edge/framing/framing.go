// Package framing detects requests whose length servers read in different ways: those with
// both Content-Length and Transfer-Encoding, and those with folded header lines (contract 5.3).
// A proxy and a server may disagree about where such a request ends, so that a part of its body
// passes for the next request (request smuggling).
//
// net/http resolves the conflict silently, so the bytes must be watched as they arrive.
// A Guard wraps the connections of a server, tracks where each request begins and ends,
// and marks an ambiguous one for the handler, which answers 400. Nothing after it on
// that connection is read. The Guard also limits how long a head may take once it has
// started. The server cannot, because it gets to see only complete heads.
package framing

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"stoa/internal/edge/stall"
)

// Guard marks ambiguous requests and recognizes them again. Create it with
// NewGuard. It is safe for concurrent use.
type Guard struct {
	marker string // a header whose name only this process knows
}

// NewGuard returns a Guard.
func NewGuard() *Guard {
	// A client that guessed the marker would only get its own request refused.
	return &Guard{marker: http.CanonicalHeaderKey("X-Stoa-Ambiguous-" + rand.Text())}
}

// Listen wraps ln. The server that uses it must have ConnState as its ConnState
// hook and a MaxHeaderBytes of at most MaxHead.
func (g *Guard) Listen(ln net.Listener) net.Listener { return listener{ln, g.marker} }

// Refused reports whether r was ambiguous. The handler must answer 400 and do
// nothing else. The connection closes after the answer.
func (g *Guard) Refused(r *http.Request) bool {
	_, marked := r.Header[g.marker]
	return marked
}

type listener struct {
	net.Listener

	marker string
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: stall.New(c), marker: l.marker}, nil
}

// Protocols are those that a server can speak to a Guard's clients: HTTP/1.1, and HTTP/2
// without TLS with prior knowledge (h2c), as proxies speak it.
func Protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// ConnState is a hook for http.Server. It stops watching hijacked connections, such as
// WebSockets, which no longer speak HTTP.
func ConnState(c net.Conn, state http.ConnState) {
	if w, ok := c.(*Conn); ok && state == http.StateHijacked {
		w.release()
	}
}

// MaxHead is the longest request head in bytes that is held back for inspection. Longer ones pass
// uninspected, because net/http refuses them.
const MaxHead = 64 << 10

const holdLimit = MaxHead + 8<<10 // net/http reads up to 4 KiB more than its limit

// Conn follows the framing of the requests that are read through it.
type Conn struct {
	*stall.Conn

	marker string

	mu      sync.Mutex
	watcher watcher
	// buf holds data from the peer. net/http has read buf[:delivered] and may read up to inspected. The
	// rest is not inspected yet.
	buf                  []byte
	delivered, inspected int
	refused              bool // a marked head is in buf or was passed on; nothing follows it
	plain                bool // no longer watched

	until       time.Time // the server's deadline for reading
	headLimited bool      // the deadline for a head replaces it
}

const (
	readSize = 4 << 10
	keepSize = 2 * readSize // the largest buffer that an idle connection keeps
)

// Read implements net.Conn. It returns no part of a request's head before the head is
// complete.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		c.mu.Lock()
		c.advance()
		c.limitHead()
		if c.delivered < c.inspected {
			n := copy(p, c.buf[c.delivered:c.inspected])
			c.delivered += n
			c.mu.Unlock()
			return n, nil
		}
		plain, body := c.plain, c.bodyNext()
		if !plain && body == 0 {
			c.makeRoom()
		}
		c.mu.Unlock()

		switch {
		case plain:
			return c.Conn.Read(p)
		case body > 0:
			return c.readBody(p[:min(uint64(len(p)), body)])
		}
		n, err := c.Conn.Read(c.buf[len(c.buf):cap(c.buf)])
		c.mu.Lock()
		refused := c.refused
		if !refused {
			c.buf = c.buf[:len(c.buf)+n]
		}
		//nolint:errorlint // io.Reader promises io.EOF itself
		if n == 0 && err == io.EOF && c.inspected < len(c.buf) {
			c.plain = true // the head is incomplete: net/http answers it
			c.mu.Unlock()
			continue
		}
		c.mu.Unlock()
		if err != nil && n == 0 || err != nil && refused {
			return 0, err
		}
	}
}

// bodyNext returns how many bytes of a body or a chunk follow, if none of them is in buf: those need no
// inspection.
func (c *Conn) bodyNext() uint64 {
	inData := c.watcher.part == inBody || c.watcher.part == inChunkData
	if !inData || c.delivered < len(c.buf) || c.refused {
		return 0
	}
	return c.watcher.left
}

// readBody reads the next bytes of a body straight into p.
func (c *Conn) readBody(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.plain {
		_, _ = c.watcher.next(p[:n])
	}
	if n > 0 {
		return n, nil // an error comes again
	}
	return 0, err
}

// makeRoom moves the unread data to the start of the buffer and makes room after it.
func (c *Conn) makeRoom() {
	rest := c.buf[c.inspected:]
	if len(rest) == 0 && cap(c.buf) > keepSize {
		c.buf = nil
	}
	c.buf = slices.Grow(c.buf[:copy(c.buf, rest)], readSize)
	c.delivered, c.inspected = 0, 0
}

// advance inspects the data that arrived since the last call.
func (c *Conn) advance() {
	for c.inspected < len(c.buf) && !c.refused {
		if c.plain {
			c.inspected = len(c.buf)
			return
		}
		rest := c.buf[c.inspected:]
		n, verdict := c.watcher.next(rest)
		switch verdict {
		case pass:
			c.inspected += n
		case ambiguous:
			c.buf = append(c.buf[:c.inspected], c.mark(rest[:n])...)
			c.inspected, c.refused = len(c.buf), true
		case giveUp:
			c.plain = true
		case needMore:
			if len(rest) <= holdLimit {
				return
			}
			c.plain = true
		}
	}
}

// mark returns the head with the marker, and without folded lines and the headers that state a length.
func (c *Conn) mark(head []byte) []byte {
	var out []byte
	skipping := false
	for i, line := range bytes.SplitAfter(head, []byte("\n")) {
		text := bytes.TrimRight(line, "\r\n")
		if len(text) == 0 {
			break
		}
		switch {
		case i == 0:
		case isFolded(text):
			continue
		default:
			name, _, _ := bytes.Cut(text, []byte(":"))
			skipping = isField(name, "content-length") || isField(name, "transfer-encoding") ||
				isField(name, "connection") || isField(name, "expect")
		}
		if !skipping {
			out = append(append(out, text...), "\r\n"...)
		}
	}
	return append(out, c.marker+": 1\r\nConnection: close\r\n\r\n"...)
}

// release stops watching the connection.
func (c *Conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plain = true
}

// Below returns the connection that is read and written through c, for package duplex.
func (c *Conn) Below() net.Conn { return c.Conn.Conn }

// Drained reports whether c is no longer watched and has passed on all that was read before: from then
// on, reading from Below is the same.
func (c *Conn) Drained() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.plain || c.delivered < len(c.buf) {
		return false
	}
	c.buf, c.delivered, c.inspected = nil, 0, 0
	return true
}

// Between reports whether the bytes read so far end exactly at the end of a request.
func (c *Conn) Between() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.delivered == c.inspected && c.watcher.part == inHead && !c.watcher.stray && !c.refused && !c.plain
}
