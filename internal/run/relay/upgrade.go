package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"stoa/internal/edge/duplex"
)

// upgradeType returns the protocol that h asks to switch to, or "".
func upgradeType(h http.Header) string {
	for name := range ConnectionNames(h) {
		if strings.EqualFold(name, "Upgrade") {
			return h.Get("Upgrade")
		}
	}
	return ""
}

// withholder is a ResponseWriter that knows which headers the plugin may set.
type withholder interface{ Withhold(h http.Header) }

var errUnasked = errors.New("the plugin switched protocols without being asked")

// switchProtocols answers the client that the plugin agreed to switch protocols (WebSocket), and then
// copies bytes both ways until both sides end or one fails. res is the plugin's answer to r. An error
// means that nothing was written.
func switchProtocols(
	w http.ResponseWriter, r *http.Request, res *http.Response, plugin io.ReadWriteCloser, log *slog.Logger,
) error {
	asked, h := upgradeType(r.Header), res.Header
	if asked == "" {
		return errUnasked
	}
	if gate, ok := w.(withholder); ok {
		gate.Withhold(h) // its WriteHeader never sees this header
	} else {
		Withhold(h, Allowed{})
	}
	if got := upgradeType(h); !isVisible(asked) || !isVisible(got) || !strings.EqualFold(asked, got) {
		return fmt.Errorf("the plugin switched to the protocol %.50q where %.50q was asked for", got, asked)
	}
	client, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return fmt.Errorf("relay: switch protocols: %w", err)
	}
	defer client.Close()
	// A call that is canceled ends, even if neither side does.
	defer context.AfterFunc(r.Context(), func() { _, _ = client.Close(), plugin.Close() })()
	appendAll(w.Header(), h)
	res.Header, res.Body = w.Header(), nil
	if err = res.Write(rw); err == nil {
		err = passEarly(plugin, rw)
	}
	if err == nil {
		err = duplex.Join(client, plugin)
	}
	if err != nil {
		log.DebugContext(r.Context(), "a connection that switched protocols ended early", slog.Any("error", err))
	}
	return nil
}

// passEarly sends the answer to the client, and to the plugin what the client sent before it.
func passEarly(plugin io.Writer, client *bufio.ReadWriter) error {
	if err := client.Flush(); err != nil {
		return err
	}
	early, err := client.Peek(client.Reader.Buffered())
	if err == nil && len(early) > 0 {
		_, err = plugin.Write(early)
	}
	return err
}

// isVisible reports whether s has visible ASCII characters and spaces only.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// switchProtocols is the end of an exchange whose answer switches protocols.
func (x *exchange) switchProtocols() error {
	conn, ahead, err := x.conn.Detach()
	if err != nil {
		return err
	}
	x.res = http.Response{
		Status:     "101 " + x.answer.Reason,
		StatusCode: http.StatusSwitchingProtocols, ProtoMajor: 1, ProtoMinor: 1, Header: x.answer.Header,
	}
	return switchProtocols(x.c.w, x.c.r, &x.res, &readAhead{conn, ahead}, x.up.Log)
}

// readAhead is a connection of which some bytes were read already.
type readAhead struct {
	net.Conn

	ahead []byte
}

// Read implements net.Conn.
func (c *readAhead) Read(p []byte) (int, error) {
	if len(c.ahead) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.ahead)
	if c.ahead = c.ahead[n:]; len(c.ahead) == 0 {
		c.ahead = nil // with the buffer
	}
	return n, nil
}

// Below is a method that package duplex looks for.
func (c *readAhead) Below() net.Conn { return c.Conn }

// Drained is a method that package duplex looks for.
func (c *readAhead) Drained() bool { return len(c.ahead) == 0 }

// CloseWrite is a method that package duplex looks for.
func (c *readAhead) CloseWrite() error {
	if cw, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return errors.ErrUnsupported
}
