package front

import (
	"bufio"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// heldBack is how many bytes of a body are held back, with the head, until the handler
	// returns or flushes: an answer that ends before gets a Content-Length. It is
	// net/http's number.
	heldBack = 2 << 10
	// outSize is how much is written at once.
	outSize = 4 << 10
	// maxKept is how many headers a map may have had that is used again.
	maxKept = 64
)

// answer is the http.ResponseWriter of a call. What it writes, and when, is what net/http
// would.
type answer struct {
	conn    *conn
	request http.Request // without its context
	body    *body        // nil without one

	header http.Header
	held   *bufio.Writer // of the body, before it becomes chunks
	out    []byte        // what is written to the connection next
	err    error         // of writing to the connection

	status    int   // 0 until WriteHeader
	length    int64 // Content-Length; -1 without one
	written   int64 // of the body, by the handler
	done      bool  // the handler has returned
	duplex    bool  // the handler reads on after the answer begins
	last      bool  // the connection ends with this answer
	broken    bool  // the handler has panicked
	tooLarge  bool  // because too much of the body was left
	committed bool  // the head is complete in out, or beyond
	chunked   bool

	late     lateHeaders
	trailers []string // announced, in canonical form
}

// lateHeaders are those that WriteHeader leaves out, because how they look depends on what
// follows.
type lateHeaders struct {
	contentLength, contentType, coding, connection []string

	typed    bool // there is a Content-Type, though it may be empty
	encoded  bool // there is a Content-Encoding
	trailing bool // there are trailers, or may be
}

var answers = sync.Pool{New: func() any {
	a := &answer{header: make(http.Header), out: make([]byte, 0, outSize)}
	a.held = bufio.NewWriterSize(chunks{a}, heldBack)
	return a
}}

// newAnswer returns the answer to a request with that head.
func newAnswer(c *conn, h *head) *answer {
	a := answers.Get().(*answer) //nolint:forcetypeassert // nothing else is put there
	a.conn, a.length = c, -1
	a.request = http.Request{
		Method: h.method, URL: h.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h.header,
		Body: http.NoBody, ContentLength: h.length, Close: h.last, Host: h.host, RequestURI: h.target,
		RemoteAddr: c.remote,
	}
	if h.length > 0 {
		a.body = &body{conn: c, left: h.length, here: int64(c.w-c.r) >= h.length}
		a.request.Body = a.body
	}
	return a
}

// release lets another call have the memory of a.
func (a *answer) release() {
	if a.broken || len(a.header) > maxKept || cap(a.out) > 4*outSize {
		return
	}
	clear(a.header)
	header, held, out := a.header, a.held, a.out[:0]
	*a = answer{header: header, held: held, out: out}
	held.Reset(chunks{a})
	answers.Put(a)
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	switch {
	case len(p) == 0:
		return 0, nil
	case !hasBody(a.status):
		return 0, http.ErrBodyNotAllowed
	}
	a.written += int64(len(p))
	if a.length >= 0 && a.written > a.length {
		return 0, http.ErrContentLength
	}
	return a.held.Write(p)
}

// FlushError is the method that http.ResponseController looks for.
func (a *answer) FlushError() error {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	err := a.held.Flush()
	a.commit(nil)
	if failed := a.flush(); err == nil {
		err = failed
	}
	return err
}

// Flush implements http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() }

// SetReadDeadline is a method that http.ResponseController looks for.
func (a *answer) SetReadDeadline(t time.Time) error {
	if a.body != nil && a.body.here {
		return nil // a deadline costs as much as the rest of a small body
	}
	return a.conn.SetReadDeadline(t)
}

// SetWriteDeadline is a method that http.ResponseController looks for.
func (a *answer) SetWriteDeadline(t time.Time) error { return a.conn.SetWriteDeadline(t) }

// EnableFullDuplex is a method that http.ResponseController looks for.
func (a *answer) EnableFullDuplex() error {
	a.duplex = true
	return nil
}

// finish sends what is left of the answer when the handler has returned.
func (a *answer) finish() {
	a.done = true
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	_ = a.held.Flush()
	a.commit(nil)
	if a.chunked {
		a.out = append(a.out, "0\r\n"...)
		a.appendTrailers()
		a.out = append(a.out, "\r\n"...)
	}
	_ = a.flush()
}

// abandon sends what is complete when the handler has panicked. The client sees that the
// answer breaks off.
func (a *answer) abandon() {
	if a.last = true; a.committed {
		_ = a.flush()
	}
	a.broken = true
}

// close ends the request's body. It returns whether another request may follow, and if
// not, whether the client is still sending this one.
func (a *answer) close() (again, sending bool) {
	if a.body != nil {
		_ = a.body.Close()
		sending = a.body.early || a.tooLarge
	}
	short := a.request.Method != http.MethodHead && a.length >= 0 && hasBody(a.status) && a.length != a.written
	return !a.last && !short && !sending && a.err == nil, sending
}

// chunks takes the body as bufio.Writer passes it on: not at all for HEAD, else in chunks
// or as it is.
type chunks struct{ a *answer }

// Write implements io.Writer.
func (w chunks) Write(p []byte) (int, error) {
	a := w.a
	a.commit(p)
	if a.request.Method == http.MethodHead {
		return len(p), nil
	}
	if a.chunked {
		a.out = strconv.AppendInt(a.out, int64(len(p)), 16)
		a.out = append(a.out, "\r\n"...)
	}
	if len(a.out)+len(p) <= outSize {
		a.out = append(a.out, p...)
	} else {
		if a.flush() != nil {
			return 0, a.err
		}
		if n, err := a.conn.Write(p); err != nil {
			a.fail(err)
			return n, err
		}
	}
	if a.chunked {
		a.out = append(a.out, "\r\n"...)
	}
	return len(p), a.err
}

// flush writes what is in out.
func (a *answer) flush() error {
	if a.err == nil && len(a.out) > 0 {
		if _, err := a.conn.Write(a.out); err != nil {
			a.fail(err)
		}
	}
	a.out = a.out[:0]
	return a.err
}

// fail notes that the client gets nothing more.
func (a *answer) fail(err error) {
	a.err = err
	a.conn.watch.hangUp()
}

// hasBody reports whether an answer with that status has a body.
func hasBody(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// appendTrailers writes the trailers: those with a prefix, and those that were announced.
func (a *answer) appendTrailers() {
	var trailers http.Header
	add := func(name string, values []string) {
		if trailers == nil {
			trailers = make(http.Header)
		}
		trailers[name] = append(trailers[name], values...)
	}
	for name, values := range a.header {
		if rest, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			add(rest, values)
		}
	}
	for _, name := range a.trailers {
		add(name, a.header[name])
	}
	for _, name := range slices.Sorted(maps.Keys(trailers)) {
		a.appendField(name, trailers[name])
	}
}
