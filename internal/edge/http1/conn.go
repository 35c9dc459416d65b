package http1

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	// MaxHead is the largest head of an answer in bytes, including the early answers (1xx) before
	// it. It also limits the trailers.
	MaxHead = 64 << 10

	firstBuffer = 4 << 10 // grows to MaxHead if necessary
	maxLine     = 1 << 10 // of the line before a chunk
	maxKept     = 64      // most headers that a reused map may have held
)

// Conn is a connection from Pool.Reuse or Pool.Dial. A caller sends one request, reads one answer,
// and calls Release or Close. Reading and writing may happen at the same time.
type Conn struct {
	net.Conn

	pool   *Pool
	addr   string
	reused bool
	since  time.Time // idle since then
	wire   *wire     // nil: unknown

	buf  []byte // buf[r:w] was read and is not consumed
	r, w int

	header http.Header // of the last answer

	err     error // of a read by Send, for the next fill
	touched bool  // some of the current answer was read
	head    int   // bytes of its heads
}

// Reused reports whether the connection has served a request before.
func (c *Conn) Reused() bool { return c.reused }

// Touched reports whether any of the answer arrived.
func (c *Conn) Touched() bool { return c.touched }

// fill reads more. It keeps unread data, so the buffer grows, up to limit; beyond that the error is
// ErrMalformed.
func (c *Conn) fill(limit int) error {
	if c.r > 0 {
		copy(c.buf, c.buf[c.r:c.w])
		c.r, c.w = 0, c.w-c.r
	}
	if c.w == len(c.buf) {
		if c.w >= limit {
			return malformed("more than %d bytes of header", limit)
		}
		bigger := make([]byte, max(firstBuffer, min(2*c.w, limit)))
		copy(bigger, c.buf[:c.w])
		c.buf = bigger
	}
	if err := c.err; err != nil {
		c.err = nil
		return err
	}
	n, err := c.Read(c.buf[c.w:])
	c.w += n
	if n > 0 {
		c.touched = true
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// ReadAnswer reads the next head of an answer to a request with that method. An answer with a
// status below 200 is followed by another. The error is io.EOF if the connection ended before the
// head, and io.ErrUnexpectedEOF if it ended within it.
func (c *Conn) ReadAnswer(method string) (Answer, error) {
	text, err := c.block()
	if err != nil {
		return Answer{}, err
	}
	if c.header == nil || len(c.header) > maxKept {
		c.header = make(http.Header)
	}
	clear(c.header)
	return parseHead(text, method, c.header)
}

// block reads up to an empty line.
func (c *Conn) block() (string, error) {
	for seen := 0; ; {
		lines := c.buf[c.r:c.w]
		for {
			i := bytes.IndexByte(lines[seen:], '\n')
			if i < 0 {
				seen = len(lines)
				break
			}
			end := seen + i
			if end == 0 || lines[end-1] != '\r' {
				return "", malformed("a line that ends without a carriage return")
			}
			if seen = end + 1; end == 1 || end >= 3 && lines[end-2] == '\n' {
				c.r += seen
				if c.head += seen; c.head > MaxHead {
					return "", malformed("more than %d bytes of header", MaxHead)
				}
				return string(lines[:seen]), nil
			}
		}
		if err := c.fill(MaxHead); err != nil {
			if err == io.EOF && len(lines) > 0 { //nolint:errorlint // as Read returns it
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
	}
}

// line reads a line of at most maxLine bytes, without its end. It is valid until the next read.
func (c *Conn) line() ([]byte, error) {
	for {
		unread := c.buf[c.r:c.w]
		if i := bytes.IndexByte(unread, '\n'); 0 <= i && i <= maxLine {
			if i == 0 || unread[i-1] != '\r' {
				return nil, malformed("a line that ends without a carriage return")
			}
			c.r += i + 1
			return unread[:i-1], nil
		}
		if len(unread) > maxLine {
			return nil, malformed("a line of more than %d bytes before a chunk", maxLine)
		}
		if err := c.fill(MaxHead); err != nil {
			return nil, unexpected(err)
		}
	}
}

// take reads up to len(p) bytes, from the buffer or straight into p.
func (c *Conn) take(p []byte) (int, error) {
	if c.r < c.w {
		n := copy(p, c.buf[c.r:c.w])
		c.r += n
		return n, nil
	}
	return c.Read(p)
}

func unexpected(err error) error {
	if err == io.EOF { //nolint:errorlint // as Read returns it
		return io.ErrUnexpectedEOF
	}
	return err
}

// Body reads the body of an answer whose head was read. Its Read returns io.EOF at the end, and
// io.ErrUnexpectedEOF if the connection ended before.
type Body struct {
	conn   *Conn
	answer *Answer

	left   int64 // of the body or the chunk; another chunk may follow when it is 0
	first  bool  // no chunk was begun
	excess int64 // overhead of the chunks so far
	err    error
}

// Arrived reports whether the whole body of an answer from ReadAnswer was read together with its
// head, as small ones are.
func (c *Conn) Arrived(a *Answer) bool {
	return a.framing == noBody || a.framing == byLength && int64(c.w-c.r) >= a.Length
}

// Body returns the body of an answer from ReadAnswer. At its end it fills a.Trailer.
func (c *Conn) Body(a *Answer) Body {
	return Body{conn: c, answer: a, left: max(a.Length, 0), first: true}
}

// Ended reports whether the body was read to its end.
func (b *Body) Ended() bool {
	return b.err == io.EOF || b.answer.framing == noBody || b.answer.framing == byLength && b.left == 0 //nolint:errorlint // as set here
}

// Read implements io.Reader.
func (b *Body) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	switch b.answer.framing {
	case byLength:
	case noBody:
		b.err = io.EOF
		return 0, io.EOF
	case byEnd:
		n, b.err = b.conn.take(p)
		return n, b.err
	case byChunks:
		if b.left == 0 {
			if b.err = b.nextChunk(); b.err != nil {
				return 0, b.err
			}
		}
	}
	if b.left == 0 {
		b.err = io.EOF
		return 0, io.EOF
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err = b.conn.take(p)
	b.left -= int64(n)
	if err != nil {
		b.err = unexpected(err)
	}
	if n > 0 && b.left == 0 && b.answer.framing == byLength {
		b.err = io.EOF
	}
	return n, b.err
}

// Socket returns the socket that the rest of the body comes from, and the length of that rest. It returns nil if the
// length is unknown or some of the rest was read ahead. The caller reports what it reads from the socket to Moved.
func (b *Body) Socket() (syscall.RawConn, int64) {
	c := b.conn
	if b.answer.framing != byLength || b.err != nil || c.r < c.w || c.err != nil || c.wire == nil {
		return nil, 0
	}
	return c.wire.raw, b.left
}

// Moved records that n more bytes of the body were read, and why no more can be.
func (b *Body) Moved(n int64, err error) {
	b.left -= n
	if b.err = err; err == nil && b.left == 0 {
		b.err = io.EOF
	}
}

// maxExcess is how many bytes the framing of all chunks may exceed twice their data.
const maxExcess = 16 << 10

// nextChunk reads the lines between two chunks, and the trailer after the last one.
func (b *Body) nextChunk() error {
	if !b.first {
		if end, err := b.conn.line(); err != nil || len(end) > 0 {
			return orMalformed(err, "a chunk that is longer than it says")
		}
	}
	b.first = false
	line, err := b.conn.line()
	if err != nil {
		return err
	}
	if b.left, err = parseChunkSize(line); err != nil {
		return err
	}
	b.excess = max(b.excess+int64(len(line))+2-16-2*b.left, 0)
	if b.excess > maxExcess {
		return malformed("chunks that are mostly overhead")
	}
	if b.left > 0 {
		return nil
	}
	b.conn.head = 0
	text, err := b.conn.block()
	if err != nil {
		return unexpected(err)
	}
	trailer := make(http.Header)
	if err := ParseFields(text, trailer); err != nil {
		return err
	}
	for name, values := range trailer {
		if isFraming(name) {
			continue
		}
		if b.answer.Trailer == nil {
			b.answer.Trailer = make(http.Header)
		}
		b.answer.Trailer[name] = values
	}
	return io.EOF
}

func orMalformed(err error, what string) error {
	if err != nil {
		return err
	}
	return malformed("%s", what)
}

// Detach takes the connection out of this package's hands, after an answer that switches protocols. It
// returns it without a deadline, and the bytes after that answer that were read already.
func (c *Conn) Detach() (net.Conn, []byte, error) {
	ahead := c.buf[c.r:c.w]
	c.buf, c.r, c.w = nil, 0, 0
	return c.Conn, ahead, c.SetDeadline(time.Time{})
}

// Release returns the connection to the pool if the answer allows it and its body was read to the
// end. Otherwise it closes it. The request must be fully written. A read deadline that passes while
// the connection waits makes it stale.
func (c *Conn) Release(a *Answer, b *Body) {
	if a.last || !b.Ended() || c.r != c.w {
		_ = c.Close()
		return
	}
	c.r, c.w, c.head, c.touched, c.reused = 0, 0, 0, false, true
	if len(c.buf) > 4*firstBuffer {
		c.buf = nil
	}
	c.pool.put(c)
}
