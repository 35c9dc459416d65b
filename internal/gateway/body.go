package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"stoa/internal/signing"
)

const (
	// maxBody is the largest request body in bytes (CONTRACT 5).
	maxBody = 10 << 20
	// maxUpload is how long a client may take to send a body (CONTRACT 5).
	maxUpload = time.Minute
	// idle is how long a client may pause while it sends a body or reads an answer. The
	// whole answer has no limit: streams may last.
	idle = 30 * time.Second
)

// requestBody is the body of one request to a plugin. A body of up to 1 MiB is read
// before anything is sent, because its hash is signed. A larger one is streamed.
type requestBody struct {
	hash string // as signing.Message wants it

	whole  *sharedBuffer // nil if there is no body, or it is streamed
	stream io.ReadCloser // nil unless it is streamed
	source *clientBody   // what stream reads from
	length int64         // as in http.Request.ContentLength
}

// noBody is that of every request without one. Nothing writes into it.
var noBody = &requestBody{hash: signing.BodyHash(nil)}

// readBody reads as much of r's body as must be read before the plugin is called.
// It returns ErrTooLarge for a Content-Length of more than maxBody bytes. A body
// that turns out to be longer fails when it is read: see requestBody.explain.
func readBody(w http.ResponseWriter, r *http.Request) (*requestBody, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return noBody, nil
	}
	rc := http.NewResponseController(w)
	source := &clientBody{body: r.Body, rc: rc, left: maxBody, until: time.Now().Add(maxUpload)}
	stream := func(body io.Reader, length int64) *requestBody {
		// Without this net/http reads the rest of the body before it sends an answer.
		_ = rc.EnableFullDuplex()
		return &requestBody{hash: signing.UnsignedStream, stream: io.NopCloser(body), source: source, length: length}
	}
	switch {
	case r.ContentLength > maxBody:
		return nil, tooLarge(w)
	case r.ContentLength > signing.MaxSignedBody:
		return stream(source, r.ContentLength), nil
	}
	buf := newSharedBuffer()
	n, err := buf.ReadFrom(io.LimitReader(source, signing.MaxSignedBody+1))
	switch {
	case err != nil:
		buf.release()
		w.Header().Set("Connection", "close")
		return nil, errBodyCutShort.Because(err)
	case n > signing.MaxSignedBody: // length unknown
		start := bytes.Clone(buf.Bytes())
		buf.release()
		return stream(io.MultiReader(bytes.NewReader(start), source), -1), nil
	}
	return &requestBody{hash: signing.BodyHash(buf.Bytes()), whole: buf, length: n}, nil
}

func tooLarge(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close") // or the server would read what still comes
	return because(ErrTooLarge, reasonBody)
}

// attach makes b the body of out.
func (b *requestBody) attach(out *http.Request) {
	out.Body, out.GetBody, out.ContentLength = http.NoBody, nil, b.length
	switch {
	case b.stream != nil:
		out.Body = b.stream
	case b.whole != nil && b.length > 0:
		// The transport sends it again on another connection if the first was closed
		// before anything arrived.
		out.GetBody = func() (io.ReadCloser, error) { return b.whole.reader(), nil }
		out.Body = b.whole.reader()
	}
}

// unfinished reports whether the client is still sending.
func (b *requestBody) unfinished() bool { return b.source != nil && !b.source.ended.Load() }

// release ends the use of the body. A transport may still be sending it, even after
// it has returned an answer.
func (b *requestBody) release() {
	if b.whole != nil {
		b.whole.release()
	}
	if b.source != nil {
		b.source.detach()
	}
}

// explain turns the error of a runtime for a body that became too large on the way
// into ErrTooLarge.
func (b *requestBody) explain(err error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return because(ErrTooLarge, reasonBody)
	}
	return err
}

// clientBody reads what a client sends, and limits its size, its time and its pauses.
//
// A transport may go on reading after it has an answer, and may close the body at
// any time. If it did so while the server finishes the request, net/http could take
// the rest of the body for the next request. So only the server closes the body,
// and detach ends all reading before the handler returns.
type clientBody struct {
	body  io.Reader
	rc    *http.ResponseController
	until time.Time // when it must have been read to its end

	mu       sync.Mutex // held during a Read
	left     int64
	detached atomic.Bool
	ended    atomic.Bool // the body was read to its end
}

// drain is how long the server waits for the rest of a body that is no longer read,
// so that the client gets to see the answer.
const drain = time.Second

// Read implements io.Reader. One byte too many is an *http.MaxBytesError.
func (b *clientBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.detached.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	deadline := time.Now().Add(idle)
	if deadline.After(b.until) {
		deadline = b.until
	}
	_ = b.rc.SetReadDeadline(deadline) // fails only without a connection
	if b.detached.Load() {             // just now: this may have replaced its deadline
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.body.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), &http.MaxBytesError{Limit: maxBody}
	}
	b.left -= int64(n)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
		// From now on the server reads from the connection to notice a client that
		// leaves. It must not run into this deadline.
		_ = b.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}

// detach ends the Read that waits, if any, and makes all later ones fail.
//
// A body that was read to its end has no deadline, and gets none: the server reads from
// the connection by then, and would take a deadline for a client that left, for all later
// requests on the connection too.
func (b *clientBody) detach() {
	b.detached.Store(true)
	if !b.mu.TryLock() {
		_ = b.rc.SetReadDeadline(time.Unix(1, 0)) // ends the Read that goes on
		b.mu.Lock()
		if b.ended.Load() {
			_ = b.rc.SetReadDeadline(time.Time{})
		}
	}
	defer b.mu.Unlock()
	if !b.ended.Load() {
		_ = b.rc.SetReadDeadline(time.Now().Add(drain))
	}
}

// sharedBuffer holds a body for several readers, also at the same time. It goes
// back to the pool when the gateway and every reader are done with it: a transport
// may read on after it has returned an answer.
type sharedBuffer struct {
	*bytes.Buffer

	users atomic.Int32
}

var bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func newSharedBuffer() *sharedBuffer {
	buf := bufferPool.Get().(*bytes.Buffer)
	buf.Reset()
	b := &sharedBuffer{Buffer: buf}
	b.users.Store(1)
	return b
}

func (b *sharedBuffer) release() {
	if b.users.Add(-1) == 0 {
		bufferPool.Put(b.Buffer)
	}
}

func (b *sharedBuffer) reader() io.ReadCloser {
	b.users.Add(1)
	return &sharedReader{buffer: b, rest: b.Bytes()}
}

// sharedReader reads a sharedBuffer once. Close waits for a running Read; later ones
// fail.
type sharedReader struct {
	mu     sync.Mutex
	buffer *sharedBuffer
	rest   []byte
	closed bool
}

// Read implements io.Reader.
func (r *sharedReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return 0, http.ErrBodyReadAfterClose
	case len(r.rest) == 0:
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer. It may be called more than once.
func (r *sharedReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed, r.rest = true, nil
		r.buffer.release()
	}
	return nil
}
