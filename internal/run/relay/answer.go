package relay

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/textproto"
	"strings"
	"sync"

	"stoa/internal/base/cache"
	"stoa/internal/edge/http1"
	"stoa/internal/edge/splice"
)

// pass copies an answer to the client as it arrives.
func (c *Call) pass(res *http.Response) {
	h := c.w.Header()
	removeHopByHop(res.Header)
	appendAll(h, res.Header)
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

func appendAll(to, from http.Header) {
	for name, values := range from {
		if old := to[name]; len(old) > 0 {
			values = append(old[:len(old):len(old)], values...)
		}
		to[name] = values
	}
}

// announceTrailers announces to the client the trailers that the answer has announced, and
// returns their names.
func announceTrailers(h, trailers http.Header) map[string]bool {
	if len(trailers) == 0 {
		return nil
	}
	announced := make(map[string]bool, len(trailers))
	for name := range trailers {
		if !IsWithheld(name) {
			announced[name] = true
			h.Add("Trailer", name)
		}
	}
	return announced
}

// answerBody is the body of the answer as net/http has it: at its end, it adds trailers that were
// not announced to the response.
type answerBody struct {
	http1.Body

	x *exchange
}

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	if err != nil {
		b.x.res.Trailer = b.x.answer.Trailer
	}
	return n, err
}

// Close implements io.Closer. The exchange closes the connection.
func (*answerBody) Close() error { return nil }

const bufferSize = 64 << 10

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// stream copies the body. It returns false if the client is gone, and panics with
// http.ErrAbortHandler if the plugin is.
func (c *Call) stream(res *http.Response) bool {
	buf := buffers.Get().(*[bufferSize]byte)
	taken := true // the writer is done with buf
	defer func() {
		if taken {
			buffers.Put(buf)
		}
	}()
	rc := http.NewResponseController(c.w)
	// A body of unknown length may consist of events. They must arrive when they happen,
	// and so must the header before the first.
	live := res.ContentLength < 0 || mediaTypes.Of(res.Header.Get("Content-Type")).events
	if live && rc.Flush() != nil {
		return false
	}
	for sent, moves := int64(0), !live; ; {
		if moves && sent > 0 {
			moves = false
			switch err := c.move(res.Body); {
			case err == nil:
				return true
			case errors.Is(err, errClientGone):
				return false
			}
		}
		n, err := res.Body.Read(buf[:])
		if n > 0 {
			if _, err := c.w.Write(buf[:n]); err != nil {
				// The HTTP/2 server of net/http may still be sending buf to a client that
				// has reset the stream: another call must not get it.
				taken = false
				return false
			}
			// The last bytes need no flush: the server sends them when it finishes.
			sent += int64(n)
			if (live || sent < res.ContentLength) && rc.Flush() != nil {
				return false
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err == nil:
		case c.r.Context().Err() != nil:
			return false
		default:
			panic(http.ErrAbortHandler)
		}
	}
}

// worthMoving is from how many bytes on the kernel moves the rest of a body: for fewer, the system calls cost more
// than the copies that they save.
const worthMoving = 128 << 10

// errClientGone is the error of move when the client takes no more.
var errClientGone = errors.New("relay: the client takes no more")

// move has the kernel move the rest of a body to the client (package splice). It returns errors.ErrUnsupported, and has
// moved nothing, unless that pays and both sides are sockets. Any other error is errClientGone, or the body's, which
// its Read returns as well.
func (c *Call) move(body io.Reader) error {
	w, ok := c.w.(splice.Taker)
	b, answer := body.(*answerBody)
	if !ok || !answer {
		return errors.ErrUnsupported
	}
	socket, left := b.Socket()
	if socket == nil || left < worthMoving {
		return errors.ErrUnsupported
	}
	s := splice.New(socket, left)
	if s == nil {
		return errors.ErrUnsupported
	}
	defer s.Close()
	for s.Left() > 0 && s.Err() == nil {
		if c.r.Context().Err() != nil { // what was taken is not given any more
			return errClientGone
		}
		n, err := w.TakeFrom(s, bufferSize) // as much as is copied at once: a client's time is for so much
		b.Moved(n, s.Err())
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return err
		case err != nil:
			return errClientGone
		}
	}
	return s.Err()
}

// mediaType is what relay asks of a Content-Type.
type mediaType struct {
	readable bool
	events   bool // server-sent events
}

var mediaTypes = cache.NewMemo(512, func(contentType string) mediaType {
	media, _, err := mime.ParseMediaType(contentType)
	// If only a parameter is unreadable, the type is not, unless a comma begins another one: browsers read
	// a list as if each of its parts were a header.
	if err != nil && (!errors.Is(err, mime.ErrInvalidMediaParameter) || strings.Contains(contentType, ",")) {
		return mediaType{}
	}
	// ParseMediaType also reads a Content-Disposition, which has no slash.
	return mediaType{readable: strings.Contains(media, "/"), events: media == "text/event-stream"}
})

// ErrType is the cause of a Failure for an answer that is refused because of its Content-Type. It does not
// mean that the plugin is failing: a visitor may have chosen the type.
var ErrType = errors.New("unusable Content-Type")

// checkType returns an ErrType unless an answer has no Content-Type or exactly one that can be read.
// Of several, browsers may take another than a proxy or a cache does, and they guess what an
// unreadable one means (contract 5.9).
func checkType(h http.Header) error {
	switch types := h["Content-Type"]; {
	case len(types) == 0:
		return nil
	case len(types) > 1:
		return fmt.Errorf("%w: the answer has %d: %.200q", ErrType, len(types), types)
	case !mediaTypes.Of(types[0]).readable:
		return fmt.Errorf("%w: no media type: %.200q", ErrType, types[0])
	}
	return nil
}

// earlyAnswers passes on informational answers, such as 103 Early Hints. A transport may still
// call pass after it has given up on the request.
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
	before := h.Clone()
	early := http.Header(header)
	removeHopByHop(early)
	appendAll(h, early)
	e.w.WriteHeader(status)
	clear(h) // the final answer has its own headers
	for name, values := range before {
		h[name] = values
	}
	return nil
}

func (e *earlyAnswers) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}
