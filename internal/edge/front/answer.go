package front

import (
	"bufio"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa/internal/edge/splice"
)

const (
	// heldBack is how many bytes of a body are held back, with the head, until the handler returns
	// or flushes: an answer that ends before gets a Content-Length. net/http uses the same number.
	heldBack = 2 << 10
	// outSize is how much is held back before it is written.
	outSize = 4 << 10
	// joined is the most bytes that held-back data and the next piece may have together to be written
	// with one system call: up to that size, copying the piece costs less than a second call.
	joined = 4 * outSize
	// maxKept is the most headers that a reused map may have held.
	maxKept = 64
)

// answer is the http.ResponseWriter of a call. What it writes, and when, matches net/http.
type answer struct {
	conn    *conn
	request http.Request // without its context
	body    *body        // nil without one

	header http.Header
	held   *bufio.Writer // of the body, before it becomes chunks
	out    []byte        // to be written to the connection
	err    error         // of writing to the connection

	status    int   // 0 until WriteHeader
	length    int64 // Content-Length; -1 without one
	written   int64 // of the body, by the handler
	done      bool  // the handler has returned
	duplex    bool  // the handler keeps reading after the answer starts
	last      bool  // the connection ends with this answer
	broken    bool  // the handler has panicked
	tooLarge  bool  // last, because too much of the body was left unread
	committed bool  // the head is complete, in out or already sent
	chunked   bool

	late     lateHeaders
	trailers []string // announced, in canonical form
}

// lateHeaders are the headers that WriteHeader leaves out, because their final form depends on the
// body.
type lateHeaders struct {
	contentLength, contentType, coding, connection []string

	typed    bool // a Content-Type is set, perhaps to nothing
	encoded  bool // a Content-Encoding is set
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
		a.body = &body{conn: c, left: h.length, buffered: int64(c.w-c.r) >= h.length}
		a.request.Body = a.body
	}
	return a
}

// release returns a to the pool.
func (a *answer) release() {
	if a.broken || len(a.header) > maxKept || cap(a.out) > joined {
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

// TakeFrom implements splice.Taker, for the body of an answer that has begun and says how long it is.
func (a *answer) TakeFrom(s *splice.Source, most int64) (int64, error) {
	switch {
	case a.status == 0, a.length < 0, !hasBody(a.status), a.request.Method == http.MethodHead,
		a.written+s.Left() > a.length:
		return 0, errors.ErrUnsupported
	}
	if err := a.FlushError(); err != nil {
		return 0, err
	}
	if a.chunked {
		return 0, errors.ErrUnsupported
	}
	n, err := a.conn.TakeFrom(s, most)
	a.written += n
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		a.fail(err)
	}
	return n, err
}

var _ splice.Taker = (*answer)(nil)

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
	if a.body != nil && a.body.buffered {
		return nil // a deadline costs as much as reading a small body
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

// finish sends the rest of the answer when the handler has returned.
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

// abandon sends what is complete when the handler has panicked. The client sees a truncated answer.
func (a *answer) abandon() {
	if a.last = true; a.committed {
		_ = a.flush()
	}
	a.broken = true
}

// close closes the request's body. It returns whether another request may follow and, if not,
// whether the client is still sending this one.
func (a *answer) close() (again, sending bool) {
	if a.body != nil {
		_ = a.body.Close()
		sending = a.body.early || a.tooLarge
	}
	short := a.request.Method != http.MethodHead && a.length >= 0 && hasBody(a.status) && a.length != a.written
	return !a.last && !short && !sending && a.err == nil, sending
}

// chunks receives the body from the bufio.Writer. It drops it for HEAD, and otherwise sends it in
// chunks or as it is.
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
	switch {
	case len(a.out)+len(p) <= outSize:
		a.out = append(a.out, p...)
	case len(a.out) > 0 && len(a.out)+len(p) <= joined:
		if cap(a.out) < joined {
			a.out = append(make([]byte, 0, joined), a.out...) // append would make more than the pool takes
		}
		a.out = append(a.out, p...)
		if a.flush() != nil {
			return 0, a.err
		}
	default:
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

// fail records that nothing more reaches the client.
func (a *answer) fail(err error) {
	a.err = err
	a.conn.watch.hangUp()
}

// hasBody reports whether an answer with that status has a body.
func hasBody(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// appendTrailers writes the trailers: those with net/http's prefix, and the announced ones.
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
