package http1

import "errors"

// ErrStale is returned for a connection that was closed since it was used last, or on which
// bytes came that nobody asked for. Nothing was written to it.
var ErrStale = errors.New("http1: the connection was closed meanwhile")

// Send writes a request, or its beginning, and returns how many bytes were written. last says
// that it is whole: then Send may also wait for the answer, and keep what it reads, or why it
// could not, for ReadAnswer. The error is ErrStale only if the connection was used before.
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
