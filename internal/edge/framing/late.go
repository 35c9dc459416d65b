package framing

import "time"

// HeadTimeout is how long a request's head may take after its first byte. Servers have it as
// their ReadHeaderTimeout, which they can apply to the first request of a connection only: of
// later ones they see the first byte together with the last.
const HeadTimeout = 10 * time.Second

// SetReadDeadline implements net.Conn. The head of a later request has the HeadTimeout instead,
// once it has begun to arrive.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until, c.hurried = t, false
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// hurry limits the wait for the rest of a head, and ends that limit when the head is there.
// The caller holds mu.
//
// A server without a deadline does not wait for a request: it watches whether the client
// leaves while it serves one. A limit would then end that one. A deadline that has passed
// is to end the wait at once.
func (c *Conn) hurry() {
	begins := c.looked < len(c.buf) && c.watcher.part == inHead && c.watcher.begun && !c.plain
	switch {
	case begins && !c.hurried:
		if now := time.Now(); now.Before(c.until) {
			c.hurried = true
			_ = c.Conn.SetReadDeadline(now.Add(HeadTimeout)) // if it fails, so does the read
		}
	case !begins && c.hurried:
		c.hurried = false
		_ = c.Conn.SetReadDeadline(c.until)
	}
}
