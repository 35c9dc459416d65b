package splice

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const (
	// pipeSize is how much a pipe holds, in bytes: the more it takes at once, the less a byte costs.
	pipeSize = 1 << 20
	// maxPipes bounds what the kernel holds of bodies that clients take slowly: further ones are copied.
	maxPipes = 32
)

// pipe is where the kernel keeps what it has taken from one socket and not given to another one.
type pipe struct{ out, in int }

// pipes has an entry for each pipe that may be used: one that is empty, or nil for one to be made.
var pipes = func() chan *pipe {
	all := make(chan *pipe, maxPipes)
	for range maxPipes {
		all <- nil
	}
	return all
}()

// newPipe returns nil if all are in use, or none can be made.
func newPipe() *pipe {
	var p *pipe
	select {
	case p = <-pipes:
	default:
		return nil
	}
	if p != nil {
		return p
	}
	var fds [2]int
	if syscall.Pipe2(fds[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK) != nil {
		pipes <- nil
		return nil
	}
	p = &pipe{fds[0], fds[1]}
	const setSize = 1031 // F_SETPIPE_SZ
	if size, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(p.out), setSize, pipeSize); size != pipeSize {
		p.close() // the user is at the system's limit for pipes, and copying costs less than a small one
		pipes <- nil
		return nil
	}
	return p
}

func (p *pipe) close() {
	_, _ = syscall.Close(p.in), syscall.Close(p.out)
}

// step is one system call of a Source, again and again until the socket is ready.
type step struct {
	take, give func(fd uintptr) bool // made once: else each use would allocate one
	started    bool                  // the system can move bytes
	held       int64                 // how much the pipe holds
	most       int64                 // how much is moved
	n          int64                 // how much was moved
	failed     error
}

// New returns the next n bytes of a socket; nil if they cannot be moved now.
func New(socket syscall.RawConn, n int64) *Source {
	p := newPipe()
	if p == nil {
		return nil
	}
	s := &Source{raw: socket, left: n, pipe: p}
	s.take = func(fd uintptr) bool { return s.call(int(fd), s.pipe.in) }
	s.give = func(fd uintptr) bool { return s.call(s.pipe.out, int(fd)) }
	return s
}

// Close gives back what a Source holds.
func (s *Source) Close() {
	if s.held > 0 {
		s.pipe.close()
		s.pipe = nil
	}
	pipes <- s.pipe
	s.pipe = nil
}

// To does one step of a move. If the Source holds no bytes, To takes some from its socket; otherwise it gives at most
// most of those that it holds to the other socket. It never does both in one call, so that waiting for the Source does
// not count against whoever reads from the other socket. It returns how many bytes it gave, and why that socket takes
// no more. After such an error, and once Err is not nil, nothing more can be moved. If the system does not let this
// process move bytes, the error is errors.ErrUnsupported itself, and nothing was moved.
func (s *Source) To(socket syscall.RawConn, most int64) (moved int64, err error) {
	if s.held == 0 {
		s.most = min(s.left, pipeSize)
		err := s.raw.Read(s.take)
		if err == nil {
			err = s.failed
		}
		if !s.started && isUnsupported(err) {
			return 0, errors.ErrUnsupported
		}
		if s.started = true; !s.ended(s.n, err) {
			s.held = s.n
		}
		return 0, nil
	}
	for most = min(most, s.held); moved < most; {
		s.most = most - moved
		if err = socket.Write(s.give); err == nil {
			err = s.failed
		}
		if err != nil {
			return moved, fmt.Errorf("splice: %w", opaque{err})
		}
		s.held, s.left, moved = s.held-s.n, s.left-s.n, moved+s.n
	}
	return moved, nil
}

// isUnsupported reports whether the system does not know the call, a filter of system calls refuses it, or the source
// is of a kind that it does not take.
func isUnsupported(err error) bool {
	return errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL)
}

// opaque is an error of a socket that has taken less than all: whatever it says, it is not errors.ErrUnsupported.
type opaque struct{ error }

// Is is for errors.Is.
func (o opaque) Is(target error) bool {
	return target != errors.ErrUnsupported && errors.Is(o.error, target)
}

// call moves what can be moved at once. It returns false to wait for the socket: the pipe is ready, since it is
// empty before bytes are taken and holds those that are given.
func (s *Source) call(from, to int) bool {
	const nonblock = 2 // SPLICE_F_NONBLOCK
	for {
		n, err := syscall.Splice(from, nil, to, nil, int(s.most), nonblock)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return false
		}
		s.n, s.failed = max(int64(n), 0), os.NewSyscallError("splice", err) //nolint:unconvert // an int on some systems
		return true
	}
}
