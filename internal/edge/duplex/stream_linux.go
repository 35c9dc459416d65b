package duplex

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// stream copies from a socket as the operating system sees it.
//
// RawConn.Read discards earlier events when it starts, and loses none while it runs. So once a read has
// emptied the socket, stream can wait for the next event without another read, as long as both happen
// within one RawConn.Read. Nothing blocks in there, because whoever closes the socket waits for
// RawConn.Read to return.
type stream struct {
	src    net.Conn
	raw    syscall.RawConn
	step   func(fd uintptr) bool // made once: else each use would allocate one
	inform bool                  // the socket says whether there is more
	more   [inqSpace]byte        // what it says

	out  syscall.RawConn       // of dst; nil if it is no socket
	send func(fd uintptr) bool // made once, as step

	looked  bool          // within this RawConn.Read, a read found nothing
	limited bool          // the read deadline is that of lookLater
	wait    time.Duration // lookAgain, except in tests

	buf   *[bufferSize]byte // nil while there is nothing to copy
	rest  []byte            // of buf: what dst has not taken
	ended bool
	err   error
}

// lookAgain is how long a socket waits at most before it is read again without an event. When a reset
// comes together with data, one event reports both, and a TCP socket that has returned the data does
// not say that it is reset.
const lookAgain = 10 * time.Second

// newStream returns the stream from a connection to another one; nil if src is no socket.
func newStream(dst, src any) *stream {
	conn, raw := socketOf(src)
	if raw == nil {
		return nil
	}
	s := &stream{src: conn, raw: raw, wait: lookAgain}
	_, s.out = socketOf(dst)
	s.inform = s.askForMore()
	s.step, s.send = s.copy, s.write
	return s
}

func socketOf(c any) (net.Conn, syscall.RawConn) {
	conn, isConn := c.(net.Conn)
	sc, isSocket := c.(syscall.Conn)
	if !isConn || !isSocket {
		return nil, nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, nil
	}
	return conn, raw
}

// copyTo copies until the socket ends. What dst does not take at once is written to it in the ordinary
// way, with its time limits.
func (s *stream) copyTo(dst io.Writer) error {
	for !s.ended {
		s.looked = false
		if err := s.run(); err != nil {
			return err
		}
		if s.buf == nil {
			continue
		}
		_, err := dst.Write(s.rest)
		s.drop()
		if err != nil {
			return err
		}
	}
	return nil
}

// run copies until dst takes no more, or the socket may have more.
func (s *stream) run() error {
	err := s.raw.Read(s.step)
	if s.limited && errors.Is(err, os.ErrDeadlineExceeded) {
		s.limited = false
		return s.src.SetReadDeadline(time.Time{})
	}
	if err == nil {
		err = s.err
	}
	return err
}

// copy copies what one read returns. It returns false to wait for more.
func (s *stream) copy(fd uintptr) bool {
	s.buf = buffers.Get().(*[bufferSize]byte) //nolint:forcetypeassert // nothing else is put there
	n, drained, err := s.receive(int(fd))
	s.rest = s.buf[:max(n, 0)]
	switch {
	case errors.Is(err, syscall.EAGAIN):
		s.looked = true
		s.drop()
		return false
	case err != nil:
		s.err = os.NewSyscallError("read", err)
		s.drop()
		return true
	case n == 0:
		s.ended = true
		s.drop()
		return true
	}
	if s.out == nil || s.out.Write(s.send) != nil || len(s.rest) > 0 {
		return true // after a pause, the deadline of an earlier write has passed: the wrapper sets another
	}
	s.drop()
	if drained && s.looked {
		return !s.lookLater()
	}
	return true
}

// write writes what dst takes at once.
func (s *stream) write(fd uintptr) bool {
	if n, err := syscall.Write(int(fd), s.rest); err == nil {
		s.rest = s.rest[n:]
	}
	return true // an error comes again
}

func (s *stream) drop() {
	buffers.Put(s.buf)
	s.buf, s.rest = nil, nil
}

// lookLater schedules another read of the socket. It returns false if that is not possible.
func (s *stream) lookLater() bool {
	if !s.limited {
		s.limited = s.src.SetReadDeadline(time.Now().Add(s.wait)) == nil
	}
	return s.limited
}

// tcpInq is the option TCP_INQ of a TCP socket, and also the type of the control message that the socket
// then returns with each read. The message says how many bytes are left; the end of the stream counts as
// one more.
const (
	tcpInq    = 36
	inqLength = syscall.SizeofCmsghdr + 4
	inqSpace  = syscall.SizeofCmsghdr + 8 // with padding
)

// askForMore has the socket say whether there is more, and reports whether it can.
func (s *stream) askForMore() (can bool) {
	if _, tcp := s.src.LocalAddr().(*net.TCPAddr); !tcp {
		return false
	}
	err := s.raw.Control(func(fd uintptr) {
		can = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpInq, 1) == nil
	})
	return can && err == nil
}

// receive reads into buf. drained means that nothing is left, neither bytes nor the end.
func (s *stream) receive(fd int) (n int, drained bool, err error) {
	for {
		control := 0
		if s.inform {
			n, control, _, _, err = syscall.Recvmsg(fd, s.buf[:], s.more[:], 0)
		} else {
			n, err = syscall.Read(fd, s.buf[:])
		}
		if !errors.Is(err, syscall.EINTR) {
			return n, err == nil && control >= inqLength && s.left() == 0, err
		}
	}
}

// left returns how many bytes the socket said were left; 1 if it said something else.
func (s *stream) left() uint32 {
	level := binary.NativeEndian.Uint32(s.more[syscall.SizeofCmsghdr-8:])
	kind := binary.NativeEndian.Uint32(s.more[syscall.SizeofCmsghdr-4:])
	if level != syscall.IPPROTO_TCP || kind != tcpInq {
		return 1
	}
	return binary.NativeEndian.Uint32(s.more[syscall.SizeofCmsghdr:])
}
