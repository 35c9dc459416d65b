package external

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"

	"stoa/internal/runtime"
)

// hopByHop are the headers of one connection (RFC 9110, 7.6.1).
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// exchange sends a request and passes the answer on. An error means that nothing
// was written.
func (rt *Runtime) exchange(c *call, out *http.Request) error {
	early := &earlyAnswers{w: c.w}
	out = out.WithContext(httptrace.WithClientTrace(out.Context(), &httptrace.ClientTrace{Got1xxResponse: early.pass}))
	res, err := rt.transport.RoundTrip(out)
	early.end()
	c.watch.Stop()
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusSwitchingProtocols {
		return errors.New("the plugin switched protocols unasked")
	}
	c.pass(res)
	return nil
}

// pass writes an answer to the client as it arrives.
func (c *call) pass(res *http.Response) {
	h := c.w.Header()
	removeHopByHop(res.Header)
	for name, values := range res.Header {
		h[name] = append(h[name], values...)
	}
	announced := announceTrailers(h, res.Trailer)
	c.w.WriteHeader(res.StatusCode)
	if !c.stream(res) {
		return
	}
	for name, values := range res.Trailer {
		if !announced[name] {
			name = http.TrailerPrefix + name
		}
		h[name] = append(h[name], values...)
	}
}

// announceTrailers names the trailers that the answer names before its body.
func announceTrailers(h, trailers http.Header) map[string]bool {
	if len(trailers) == 0 {
		return nil
	}
	announced := make(map[string]bool, len(trailers))
	for name := range trailers {
		if !runtime.IsWithheld(name) {
			announced[name] = true
			h.Add("Trailer", name)
		}
	}
	return announced
}

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// stream copies the body. It reports false when the client is gone, and panics
// with http.ErrAbortHandler when the plugin is.
func (c *call) stream(res *http.Response) bool {
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	rc := http.NewResponseController(c.w)
	// What has no known end may be events: they must arrive when they happen.
	live := res.ContentLength < 0 || isEventStream(res.Header)
	if live && rc.Flush() != nil {
		return false
	}
	for {
		n, err := res.Body.Read(buf[:])
		if n > 0 {
			if _, err := c.w.Write(buf[:n]); err != nil {
				return false
			}
			if live && rc.Flush() != nil {
				return false
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err == nil:
		case c.client.Err() != nil:
			return false
		default:
			panic(http.ErrAbortHandler)
		}
	}
}

func isEventStream(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && media == "text/event-stream"
}

func removeHopByHop(h http.Header) {
	for _, value := range h["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hopByHop {
		delete(h, name)
	}
}

// earlyAnswers passes on what comes before the answer, such as 103 Early Hints.
// The transport may still call it after it has given up on the request.
type earlyAnswers struct {
	mu    sync.Mutex
	ended bool
	w     http.ResponseWriter
}

func (e *earlyAnswers) pass(status int, header textproto.MIMEHeader) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || status == http.StatusContinue {
		return nil
	}
	h := e.w.Header()
	ours := h.Clone()
	early := http.Header(header)
	removeHopByHop(early)
	for name, values := range early {
		h[name] = append(h[name], values...)
	}
	e.w.WriteHeader(status)
	clear(h) // the answer has headers of its own
	for name, values := range ours {
		h[name] = values
	}
	return nil
}

func (e *earlyAnswers) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}
