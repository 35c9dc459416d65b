package stall

import (
	"net/http"
	"sync"
	"time"
)

// Streams gives the answers of h over HTTP/2 the Limit. A client may let one stream wait
// while it reads others, and then nothing stalls that a Conn could see.
func Streams(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			s := &stream{ResponseWriter: w, rc: http.NewResponseController(w)}
			// What is still held back of the answer is sent when the handler has returned.
			defer func() { _ = s.rc.SetWriteDeadline(time.Now().Add(Limit)) }()
			w = s
		}
		h.ServeHTTP(w, r)
	})
}

// stream is the answer on a stream of HTTP/2. The handler's own deadlines for writing
// replace the Limit while they are set, and count during writes only: net/http's would
// end a stream that is only quiet.
type stream struct {
	http.ResponseWriter

	rc *http.ResponseController

	mu    sync.Mutex
	until time.Time // the handler's deadline; zero: the Limit
	timer *time.Timer
	since time.Time // when the present write began; zero without one
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

// SetWriteDeadline is a method that http.ResponseController looks for. The zero time
// brings the Limit back.
func (s *stream) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = t
	if !t.IsZero() && !t.After(time.Now()) {
		return s.rc.SetWriteDeadline(t) // also ends a stream that is quiet
	}
	if !s.since.IsZero() {
		s.timer.Reset(s.left())
	}
	return nil
}

// left returns how long the present write may still take. The caller holds mu.
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
