package front

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// maxRest is how much of an unread body is read and dropped so that another request may follow.
// net/http uses the same number.
const maxRest = 256 << 10

// body is the body of a request: the next bytes of the connection. Runtimes read it from other
// goroutines; after Close none of them takes a byte of the next request.
type body struct {
	mu       sync.Mutex
	conn     *conn
	left     int64
	buffered bool // all of it arrived with the head: reads do not wait
	closed   bool
	early    bool // it was closed with bytes unread
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.readLocked(p)
}

func (b *body) readLocked(p []byte) (n int, err error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err = b.conn.take(p)
	switch b.left -= int64(n); {
	case b.left == 0:
		b.conn.watch.bodyRead()
		return n, io.EOF
	case errors.Is(err, io.EOF):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// take reads from the buffer, or from the connection if it is empty.
func (c *conn) take(p []byte) (int, error) {
	if c.r < c.w {
		n := copy(p, c.buf[c.r:c.w])
		c.r += n
		return n, nil
	}
	return c.Conn.Read(p)
}

// Close implements io.Closer. It drains the rest if that is short.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	if b.left > maxRest {
		b.early = true
		return nil
	}
	_, err := io.Copy(io.Discard, unlocked{b})
	if err != nil || b.left > 0 {
		b.early = true
	}
	return err
}

// unlocked is a body whose lock the caller holds.
type unlocked struct{ *body }

// Read implements io.Reader.
func (u unlocked) Read(p []byte) (int, error) { return u.readLocked(p) }

// prepare drains b before the head of the answer is sent: clients that send everything before they
// read would otherwise wait forever. It reports whether the connection must end after the answer,
// and whether that is because too much is unread.
func (b *body) prepare() (last, tooLarge bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return b.left > 0, false
	case b.left >= maxRest:
		return true, true
	}
	_, err := io.Copy(io.Discard, unlocked{b})
	b.closed = true
	return err != nil, false
}
