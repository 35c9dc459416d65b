package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/edge/bodies"
	"stoa/internal/run"
	"stoa/internal/trust/signing"
)

const (
	// maxBody is the largest request body in bytes (contract 5.7).
	maxBody = 10 << 20
	// maxUpload is how long a client may take to send a body (contract 5.7).
	maxUpload = time.Minute
)

// requestBody is the body of one request to a plugin. A body of up to 1 MiB is read before
// anything is sent, because its hash is signed. A larger body is streamed.
type requestBody struct {
	hash string // as signing.Message wants it

	whole  *sharedBuffer // nil if there is no body or it is streamed
	stream io.ReadCloser // nil unless it is streamed
	source *clientBody   // nil without a body

	budget  *bodies.Budget
	counted bool  // whether a stream has taken streamCost from budget
	length  int64 // as in http.Request.ContentLength
}

// noBody is shared by all requests without a body. It is never modified.
var noBody = &requestBody{hash: signing.BodyHash(nil)}

// streamCost is how many bytes of the budget a stream takes: the buffers with which package
// relay copies it.
const streamCost = 128 << 10

// readBody reads as much of r's body as must be read before the plugin is called. It returns
// ErrTooLarge for a Content-Length above maxBody, and bodies.ErrBusy if the budget has no
// room. A body of unknown length that exceeds maxBody fails while it is read: see
// requestBody.explain.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request) (*requestBody, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return noBody, nil
	}
	rc := http.NewResponseController(w)
	b := &requestBody{budget: g.Budget, source: &clientBody{
		body: r.Body, rc: rc, left: maxBody, until: time.Now().Add(maxUpload), pace: newPace(g.LeastRate),
	}}
	if r.ContentLength > maxBody {
		endAfter(w, r) // or the server would read the rest of the body
		return nil, because(ErrTooLarge, reasonBody)
	}
	if err := b.read(int(r.ContentLength)); err != nil {
		b.release()
		endAfter(w, r)
		if busy, ok := errors.AsType[*errs.Error](err); ok && errors.Is(err, bodies.ErrBusy) {
			return nil, busy.With(detailReason, reasonMemory)
		}
		return nil, run.ErrCutShort.Because(err)
	}
	if b.stream != nil {
		// Without this net/http reads the rest of the body before it sends an answer.
		_ = rc.EnableFullDuplex()
	}
	return b, nil
}

// read reads the whole body, or as much of it as shows that it must be streamed. length is
// negative if it is unknown.
func (b *requestBody) read(length int) error {
	if length > signing.MaxSignedBody {
		b.length = int64(length)
		return b.streamFrom(io.NopCloser(b.source))
	}
	whole := newSharedBuffer(b.budget)
	kept := false
	defer func() {
		if !kept {
			whole.release()
		}
	}()
	err := whole.Fill(b.source, cmp.Or(max(length, 0), signing.MaxSignedBody))
	if errors.Is(err, bodies.ErrFull) {
		next := make([]byte, 1)
		if _, err = io.ReadFull(b.source, next); err == nil { // longer than what is signed
			b.length, kept = -1, true
			return b.streamFrom(&stream{whole, whole.reader(), io.MultiReader(bytes.NewReader(next), b.source)})
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	kept = true
	b.hash, b.whole, b.length = signing.BodyHash(whole.Bytes()), whole, int64(len(whole.Bytes()))
	return nil
}

// streamFrom makes b a stream of body.
func (b *requestBody) streamFrom(body io.ReadCloser) error {
	b.hash, b.stream = signing.UnsignedStream, body
	err := b.budget.Take(streamCost)
	b.counted = err == nil
	return err
}

// endAfter closes the connection after the answer to r. An HTTP/2 connection stays open:
// closing it would end all its requests, and net/http resets the one stream anyway.
func endAfter(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// attach makes b the body of out.
func (b *requestBody) attach(out *http.Request) {
	out.Body, out.GetBody, out.ContentLength = http.NoBody, nil, b.length
	switch {
	case b.stream != nil:
		out.Body = b.stream
	case b.whole != nil && b.length > 0:
		// The transport sends the body again on another connection if the first was closed
		// before anything arrived.
		out.GetBody = func() (io.ReadCloser, error) { return b.whole.reader(), nil }
		out.Body = b.whole.reader()
	}
}

// unfinished reports whether the client is still sending.
func (b *requestBody) unfinished() bool { return b.source != nil && !b.source.ended.Load() }

// release ends all use of the body, even by a transport that goes on sending it after it has
// returned an answer.
func (b *requestBody) release() {
	if b.whole != nil {
		b.whole.release()
	}
	if b.source != nil {
		b.source.detach()
	}
	if b.stream != nil {
		_ = b.stream.Close()
	}
	if b.counted {
		b.budget.Give(streamCost)
	}
}

// explain returns ErrTooLarge if err is the error of a body that exceeded maxBody while it
// was streamed, and err otherwise.
func (b *requestBody) explain(err error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return because(ErrTooLarge, reasonBody)
	}
	return err
}
