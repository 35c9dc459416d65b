// Package splice has the kernel move the bytes of a body from one socket to another, without a copy in this
// process. It works on Linux; New returns nil on other systems, and callers copy.
//
// A move waits for its source under the source's read deadline, and for its destination under the
// destination's write deadline, as a read and a write do, one after the other.
package splice

import (
	"errors"
	"io"
	"syscall"
)

// Taker is a writer that can let the kernel move bytes to its socket.
type Taker interface {
	// TakeFrom is Source.To with the writer's socket. A call may move nothing: callers repeat it until nothing is Left,
	// or until Source.Err says why no more bytes come. If bytes can reach the socket only through Write, TakeFrom
	// moves nothing and returns errors.ErrUnsupported.
	TakeFrom(s *Source, most int64) (int64, error)
}

// Take calls TakeFrom if w is a Taker. Otherwise it returns errors.ErrUnsupported.
func Take(w any, s *Source, most int64) (int64, error) {
	if t, ok := w.(Taker); ok {
		return t.TakeFrom(s, most)
	}
	return 0, errors.ErrUnsupported
}

// Source is the next bytes of a socket. New makes one; call Close, once, when it is not needed any more. It is for one
// goroutine.
type Source struct {
	raw  syscall.RawConn
	left int64
	err  error
	pipe *pipe
	step
}

// Left returns how many bytes were not moved yet.
func (s *Source) Left() int64 { return s.left }

// Err returns why there are no more bytes although some are Left: io.ErrUnexpectedEOF at the end of the
// socket. It is nil as long as there may be more.
func (s *Source) Err() error { return s.err }

// ended is what a socket that has ended gives.
func (s *Source) ended(n int64, err error) bool {
	switch {
	case err != nil:
		s.err = err
	case n == 0:
		s.err = io.ErrUnexpectedEOF
	}
	return s.err != nil
}
