package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipe is the end of a pipe from a child that stoa reads. It asks the kernel for events of the pipe
// only while a Read waits: every write of the child makes an event, even one that finds the pipe full,
// and a file of package os would wake stoa for each. One goroutine may read at a time.
type pipe struct {
	mu     sync.RWMutex // held for reading while fd is used
	fd     int
	closed bool

	events *os.File // an epoll instance with fd, which reports it once
	wait   syscall.RawConn
}

// newPipe returns a pipe, and the end for the child.
func newPipe() (r io.ReadCloser, w *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	w = os.NewFile(uintptr(ends[1]), "pipe")
	p := &pipe{fd: ends[0]}
	if err = p.open(); err != nil {
		_, _ = p.Close(), w.Close()
		return nil, nil, fmt.Errorf("node: a pipe: %w", err)
	}
	return p, w, nil
}

func (p *pipe) open() error {
	if err := unix.SetNonblock(p.fd, true); err != nil {
		return err
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	// Only what does not block can be waited for.
	err = unix.SetNonblock(epoll, true)
	p.events = os.NewFile(uintptr(epoll), "epoll")
	if err != nil {
		return err
	}
	if err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, p.fd, &unix.EpollEvent{}); err != nil {
		return err
	}
	p.wait, err = p.events.SyscallConn()
	return err
}

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	for {
		n, err := p.try(b)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			if err := p.await(); err != nil {
				return 0, p.orClosed(err)
			}
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (p *pipe) try(b []byte) (int, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		return 0, os.ErrClosed
	}
	return unix.Read(p.fd, b)
}

// await returns when there is something to read.
func (p *pipe) await() error {
	var failed error
	ask := func(epoll uintptr) {
		p.mu.RLock()
		defer p.mu.RUnlock()
		if failed = os.ErrClosed; !p.closed {
			failed = unix.EpollCtl(int(epoll), unix.EPOLL_CTL_MOD, p.fd,
				&unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT})
		}
	}
	if err := p.wait.Control(ask); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return p.wait.Read(func(epoll uintptr) bool {
		n, err := unix.EpollWait(int(epoll), make([]unix.EpollEvent, 1), 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
}

// orClosed returns os.ErrClosed if that is why waiting failed: package os has an error of its own for
// a file that is closed while it is waited for.
func (p *pipe) orClosed(err error) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		return os.ErrClosed
	}
	return err
}

// Close implements io.Closer. It ends a Read that waits.
func (p *pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return os.ErrClosed
	}
	p.closed = true
	if p.events != nil {
		_ = p.events.Close() // nothing was written
	}
	return unix.Close(p.fd)
}
