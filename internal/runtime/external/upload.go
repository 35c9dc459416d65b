package external

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"stoa/internal/runtime"
)

// upload watches a request's body on its way to the plugin: why it failed, if it
// did, and that time spent waiting for the client is not the plugin's.
type upload struct {
	mu  sync.Mutex
	err error
}

// attach puts u between the body of a request and whoever sends it.
func (u *upload) attach(r *http.Request, w *runtime.Watch) {
	r.Body = &uploadBody{r.Body, u, w}
	if again := r.GetBody; again != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return &uploadBody{body, u, w}, nil
		}
	}
}

// failure returns why the body could not be read to its end, or nil.
func (u *upload) failure() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

type uploadBody struct {
	io.ReadCloser

	upload *upload
	watch  *runtime.Watch
}

// Read implements io.Reader.
func (b *uploadBody) Read(p []byte) (int, error) {
	b.watch.Pause()
	n, err := b.ReadCloser.Read(p)
	b.watch.Resume()
	if err != nil && !errors.Is(err, io.EOF) {
		b.upload.mu.Lock()
		b.upload.err = err
		b.upload.mu.Unlock()
	}
	return n, err
}
