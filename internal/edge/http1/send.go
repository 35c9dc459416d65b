package http1

import "errors"

// ErrStale is returned for a connection that was closed since its last use, or that received
// unsolicited bytes. Nothing was written to it.
var ErrStale = errors.New("http1: the connection was closed meanwhile")

// Send writes a request, or its beginning, and returns how many bytes were written. last says that
// the request is complete: then Send may also wait for the answer, and keeps what it reads, or the
// error, for ReadAnswer. The error is ErrStale only on a reused connection.
func (c *Conn) Send(b []byte, last bool) (int, error) {
	if !c.reused || c.wire == nil {
		return c.Write(b)
	}
	if len(c.buf) == 0 {
		c.buf = make([]byte, firstBuffer)
	}
	w := c.wire
	w.exchange(b, c.buf, last)
	c.w, c.touched, c.err = w.read, w.read > 0, w.readErr
	switch {
	case w.stale:
		return 0, ErrStale
	case w.writeErr != nil || w.wrote == len(b):
		return w.wrote, w.writeErr
	}
	n, err := c.Write(b[w.wrote:])
	return w.wrote + n, err
}
