package stall

import (
	"net/http"
	"sync"
	"time"
)

// Streams applies the Limit to the answers of h over HTTP/2. A client may stall one stream while it
// reads others, and then no write that Conn sees stalls.
func Streams(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			s := &stream{ResponseWriter: w, rc: http.NewResponseController(w)}
			// What is still buffered is sent after the handler has returned.
			defer func() { _ = s.rc.SetWriteDeadline(time.Now().Add(Limit)) }()
			w = s
		}
		h.ServeHTTP(w, r)
	})
}

// stream is the answer on an HTTP/2 stream. The handler's own write deadlines replace the Limit
// while they are set. They apply during writes only: net/http's would also end a stream that is
// merely idle.
type stream struct {
	http.ResponseWriter

	rc *http.ResponseController

	mu    sync.Mutex
	until time.Time // the handler's deadline; zero: the Limit
	timer *time.Timer
	since time.Time // when the current write started; zero without one
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (n int, err error) {
	for {
		next := p[n:min(len(p), n+piece)]
		var m int
		s.during(func() { m, err = s.ResponseWriter.Write(next) })
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError is the method that http.ResponseController looks for.
func (s *stream) FlushError() (err error) {
	s.during(func() { err = s.rc.Flush() })
	return err
}

// Unwrap lets http.ResponseController reach what this type does not have.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// SetWriteDeadline is a method that http.ResponseController looks for. The zero time restores the
// Limit.
func (s *stream) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = t
	if !t.IsZero() && !t.After(time.Now()) {
		return s.rc.SetWriteDeadline(t) // also ends an idle stream
	}
	if !s.since.IsZero() {
		s.timer.Reset(s.left())
	}
	return nil
}

// left returns how much time the current write has left. The caller holds mu.
func (s *stream) left() time.Duration {
	if s.until.IsZero() {
		return time.Until(s.since.Add(Limit))
	}
	return time.Until(s.until)
}

// during runs write, and ends the stream if it takes too long.
func (s *stream) during(write func()) {
	s.mu.Lock()
	s.since = time.Now()
	if s.timer == nil {
		s.timer = time.AfterFunc(s.left(), s.expire)
	} else {
		s.timer.Reset(s.left())
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.since = time.Time{}
		s.timer.Stop()
	}()
	write()
}

// expire ends the stream, unless the write ended in time.
func (s *stream) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() && s.left() <= 0 {
		_ = s.rc.SetWriteDeadline(time.Unix(1, 0))
	}
}
