package framing

import "time"

// HeadTimeout is how long a request's head may take after its first byte. It is also the servers'
// ReadHeaderTimeout, which works for the first request of a connection only: the server sees the
// first byte of a later head together with its last.
const HeadTimeout = 10 * time.Second

// SetReadDeadline implements net.Conn. Once the head of a later request starts to arrive,
// HeadTimeout applies to it instead.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until, c.headLimited = t, false
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// limitHead sets the deadline for the rest of a head, and restores the server's deadline when the head
// is complete. The caller holds mu.
//
// A server that reads without a deadline is not waiting for a request: it watches for the client to
// leave while it serves one, and a deadline would end that request. A deadline in the past must end
// the read at once, so it stays.
func (c *Conn) limitHead() {
	begins := c.inspected < len(c.buf) && c.watcher.part == inHead && c.watcher.started && !c.plain
	switch {
	case begins && !c.headLimited:
		if now := time.Now(); now.Before(c.until) {
			c.headLimited = true
			_ = c.Conn.SetReadDeadline(now.Add(HeadTimeout)) // if it fails, so does the read
		}
	case !begins && c.headLimited:
		c.headLimited = false
		_ = c.Conn.SetReadDeadline(c.until)
	}
}
