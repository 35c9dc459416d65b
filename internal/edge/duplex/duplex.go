// Package duplex copies bytes both ways between two connections that have switched from HTTP to
// another protocol, such as WebSocket.
//
// It copies between the sockets themselves, past the wrappers that watched HTTP, and holds a buffer only
// while there is something to copy: connections that wait hold none. On Linux, each read of a TCP socket
// also reports whether more has arrived, which saves the read that finds nothing after each message.
// What a socket does not take at once is written through its wrapper, which limits how long a client may
// take to read (package stall).
package duplex

import (
	"errors"
	"io"
	"net"
	"sync"
)

// errOneWay ends a connection when one side has ended and the other cannot be closed for one direction only.
var errOneWay = errors.New("duplex: the other side has no way to end one direction only")

// Join copies until both sides have ended, or until one of them fails. Then it closes both, and
// returns why it ended early, if it did. The end of a side is passed on to the other one.
func Join(a, b io.ReadWriteCloser) error {
	half := func(dst, src io.ReadWriteCloser) error {
		err := copyAll(dst, src)
		if err == nil {
			err = closeWrite(dst)
		}
		if err != nil { // the other half ends, too
			_, _ = a.Close(), b.Close()
		}
		return err
	}
	var other error
	done := make(chan struct{})
	go func() {
		defer close(done)
		other = half(b, a)
	}()
	err := half(a, b)
	<-done
	_, _ = a.Close(), b.Close()
	if err == nil || errors.Is(err, net.ErrClosed) { // what the other half did
		return other
	}
	return err
}

func closeWrite(c io.Writer) error {
	if cw, ok := c.(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return errOneWay
}

// bufferSize is how much is copied at once.
const bufferSize = 32 << 10

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// copyAll copies until src ends.
func copyAll(dst io.Writer, src io.Reader) error {
	for {
		if !isWrapped(src) {
			if s := newStream(below(dst), below(src)); s != nil {
				return s.copyTo(dst)
			}
		}
		ended, err := copyOnce(dst, src)
		if ended || err != nil {
			return err
		}
	}
}

// copyOnce copies what one read returns.
func copyOnce(dst io.Writer, src io.Reader) (ended bool, err error) {
	buf := buffers.Get().(*[bufferSize]byte) //nolint:forcetypeassert // nothing else is put there
	defer buffers.Put(buf)
	n, err := src.Read(buf[:])
	if n > 0 {
		if _, failed := dst.Write(buf[:n]); failed != nil {
			return false, failed
		}
	}
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// wrapper is a connection that watched HTTP.
type wrapper interface {
	// Below returns the connection that is read and written through the wrapper. What is written to
	// either arrives alike.
	Below() net.Conn
	// Drained reports whether reading from Below yields the same bytes from now on. Only the reader may
	// call it.
	Drained() bool
}

// isWrapped reports whether src has to be read through its wrapper, at least for now.
func isWrapped(src any) bool {
	w, ok := src.(wrapper)
	return ok && !w.Drained()
}

// below returns the connection below a wrapper, or c itself if it is none.
func below(c any) any {
	if w, ok := c.(wrapper); ok {
		return w.Below()
	}
	return c
}
