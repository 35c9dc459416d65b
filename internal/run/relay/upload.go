package relay

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// upload is the body of a request on its way to a plugin.
type upload struct {
	body  io.ReadCloser
	read  atomic.Bool // some of it may have been read
	ended atomic.Bool
	small []byte // the whole body, once a plain request has read it

	mu  sync.Mutex
	err error
}

// end ends all reading. It does not touch a body that was not read.
func (u *upload) end() {
	u.ended.Store(true)
	if u.read.Load() {
		_ = u.body.Close()
	}
}

// reader returns a reader of the body. w may be nil.
func (u *upload) reader(w *watch) *uploadReader {
	return &uploadReader{body: u.body, upload: u, watch: w, shared: true}
}

// failure returns why the body could not be read to its end, or nil. u may be nil.
func (u *upload) failure() error {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// uploadReader reads an upload for one attempt to send it. While it waits for the client, the
// plugin's time limit is paused.
type uploadReader struct {
	body   io.ReadCloser
	upload *upload
	watch  *watch // nil: no time limit runs
	shared bool   // body is the upload's own, which another attempt may need
}

// Read implements io.Reader.
func (r *uploadReader) Read(p []byte) (int, error) {
	r.upload.read.Store(true)
	if r.upload.ended.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if r.watch != nil {
		r.watch.pause()
		defer r.watch.resume()
	}
	n, err := r.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.upload.mu.Lock()
		r.upload.err = err
		r.upload.mu.Unlock()
	}
	return n, err
}

// Close implements io.Closer.
func (r *uploadReader) Close() error {
	if r.shared {
		return nil // upload.end closes it
	}
	return r.body.Close()
}
