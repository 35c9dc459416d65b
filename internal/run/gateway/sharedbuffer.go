package gateway

import (
	"io"
	"net/http"
	"sync"

	"stoa/internal/edge/bodies"
)

// sharedBuffer holds a body for several, even concurrent, readers. A transport may go on
// reading after it has returned an answer; release cuts it off.
type sharedBuffer struct {
	bodies.Buffer

	mu       sync.Mutex
	released bool
}

func newSharedBuffer(budget *bodies.Budget) *sharedBuffer {
	return &sharedBuffer{Buffer: budget.NewBuffer()}
}

// release gives the memory back. All later reads fail. It may be called more than once.
func (b *sharedBuffer) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = true
	b.Release()
}

func (b *sharedBuffer) reader() *sharedReader { return &sharedReader{buffer: b} }

// sharedReader reads a sharedBuffer once.
type sharedReader struct {
	buffer *sharedBuffer

	at     int  // guarded by buffer.mu, as is
	closed bool // by Close
}

// Read implements io.Reader.
func (r *sharedReader) Read(p []byte) (int, error) {
	r.buffer.mu.Lock()
	defer r.buffer.mu.Unlock()
	if r.closed || r.buffer.released {
		return 0, http.ErrBodyReadAfterClose
	}
	n := copy(p, r.buffer.Bytes()[r.at:])
	if r.at += n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements io.Closer. It waits for a running Read, and may be called more than
// once.
func (r *sharedReader) Close() error {
	r.buffer.mu.Lock()
	defer r.buffer.mu.Unlock()
	r.closed = true
	return nil
}

// stream is a body whose beginning is in memory and whose rest has not arrived yet. Its
// memory is given back once the beginning was read. One goroutine reads at a time.
type stream struct {
	begin *sharedBuffer
	from  *sharedReader // nil once the beginning was read
	rest  io.Reader
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if s.from != nil {
		n, err := s.from.Read(p)
		if err != io.EOF { //nolint:errorlint // as sharedReader returns it
			return n, err
		}
		s.from = nil
		s.begin.release()
	}
	return s.rest.Read(p)
}

// Close implements io.Closer. It may be called more than once.
func (s *stream) Close() error {
	s.begin.release()
	return nil
}
