package duplex

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/conntest"
)

// connect returns both ends of a TCP connection.
func connect(t *testing.T) (ours, theirs *net.TCPConn) {
	t.Helper()
	far, near := conntest.Pair(t, "tcp")
	return near.(*net.TCPConn), far.(*net.TCPConn)
}

// informed returns a stream from a socket that says whether there is more.
func informed(t *testing.T) (s *stream, from, to *net.TCPConn) {
	t.Helper()
	src, from := connect(t)
	dst, to := connect(t)
	s = newStream(dst, src)
	if s == nil || !s.inform {
		t.Skip("this system does not say whether there is more")
	}
	return s, from, to
}

// once calls s.copy when the socket has something to read, and returns what that returns.
func once(t *testing.T, s *stream) (ended bool) {
	t.Helper()
	err := s.raw.Read(func(fd uintptr) bool {
		if _, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK); errors.Is(err, syscall.EAGAIN) {
			return false
		}
		ended = s.copy(fd)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

// After a message, a socket that has returned all is waited for at once, without a buffer. So it is not asked
// in vain, unless it was never seen empty.
func TestASocketIsNotAskedInVain(t *testing.T) {
	t.Parallel()
	s, from, to := informed(t)
	for looked, again := range map[bool]bool{false: true, true: false} {
		_, _ = io.WriteString(from, "hello")
		s.looked, s.limited = looked, false
		if once(t, s) != again || s.limited != looked || s.buf != nil {
			t.Errorf("it was asked again: %t, and will be: %t; a buffer is held: %t", !again, s.limited, s.buf != nil)
		}
		expect(t, to, "hello")
	}
}

// A connection that waits holds no buffer.
func TestAConnectionThatWaitsHoldsNoBuffer(t *testing.T) {
	t.Parallel()
	s, _, _ := informed(t)
	if err := s.raw.Control(func(fd uintptr) {
		if s.copy(fd) || s.buf != nil || !s.looked || s.limited {
			t.Errorf("a buffer is held: %t", s.buf != nil)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// finish runs a stream to its end, as if it had waited before what is there arrived, and one event had told
// of all of it.
func finish(t *testing.T, s *stream) (err error) {
	t.Helper()
	_ = s.src.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_ = s.raw.Read(func(uintptr) bool { return false }) // what events there are, are over now
	_ = s.src.SetReadDeadline(time.Time{})
	for s.looked = true; err == nil && !s.ended; {
		err = s.run()
	}
	return err
}

func expect(t *testing.T, c io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// An end that comes together with data is noticed at once.
func TestAnEndThatComesWithDataIsNoticed(t *testing.T) {
	t.Parallel()
	s, from, to := informed(t)
	s.wait = 24 * time.Hour
	_, _ = io.WriteString(from, "last.")
	_ = from.CloseWrite()
	if err := finish(t, s); err != nil {
		t.Error(err)
	}
	expect(t, to, "last.")
}

// So is a reset, if later, even if the socket is never written to.
func TestAResetThatComesWithDataIsNoticed(t *testing.T) {
	t.Parallel()
	s, from, to := informed(t)
	s.wait = time.Millisecond
	_, _ = io.WriteString(from, "last.")
	_ = from.SetLinger(0)
	_ = from.Close() // with a reset
	if err := finish(t, s); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the reset came as %v", err)
	}
	expect(t, to, "last.")
}

// Having looked again, a socket that is silent is left alone.
func TestASilentSocketIsLookedAtOnce(t *testing.T) {
	t.Parallel()
	s, from, to := informed(t)
	s.wait = time.Millisecond
	_, _ = io.WriteString(from, "hello")
	s.looked = true
	if err := s.run(); err != nil || s.limited { // until the deadline
		t.Errorf("%v; it will be looked at again: %t", err, s.limited)
	}
	expect(t, to, "hello")
	_ = s.raw.Control(func(fd uintptr) { s.copy(fd) })
	if !s.looked || s.limited {
		t.Error("it will be looked at again")
	}
	_ = from.CloseWrite()
	for err := error(nil); !s.ended; { // without a deadline
		if err = s.run(); err != nil {
			t.Fatal(err)
		}
	}
}
