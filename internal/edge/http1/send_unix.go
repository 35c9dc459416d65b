//go:build unix

package http1

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// wire is a connection as the operating system sees it.
//
// A request through net.Conn on a connection that was idle takes a probe (is it still open?), a
// write, a read that finds nothing, a wait and a read. Here the second read falls away: the probe
// has found nothing, and no event is lost between it and the wait, because all of it happens under
// one lock of the connection, and after its poller was reset.
type wire struct {
	raw  syscall.RawConn
	step func(fd uintptr) bool // made once for a connection, else allocated for each call

	out, in       []byte
	last, waiting bool
	stale         bool
	look          [1]byte // the probe's buffer
	wrote, read   int
	writeErr      error
	readErr       error
}

func newWire(conn net.Conn) *wire {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	w := &wire{raw: raw}
	w.step = w.do
	return w
}

// exchange writes out, unless the connection is stale. With last it then waits for the answer and
// reads its beginning into in. If the system takes only a part of out, it returns without waiting.
func (w *wire) exchange(out, in []byte, last bool) {
	raw, step := w.raw, w.step
	*w = wire{raw: raw, step: step, out: out, in: in, last: last}
	if err := raw.Read(step); err != nil {
		switch {
		case w.waiting:
			w.readErr = err
		default:
			w.writeErr = err
		}
	}
	w.out, w.in = nil, nil
}

// do is called at once, and again whenever there is something to read. It returns false to wait for
// that.
func (w *wire) do(fd uintptr) bool {
	if w.waiting {
		n, err := ignoringInterrupts(int(fd), w.in, syscall.Read)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return false
		case err != nil:
			w.readErr = os.NewSyscallError("read", err)
		case n == 0:
			w.readErr = io.EOF
		}
		w.read = max(n, 0)
		return true
	}
	if _, err := ignoringInterrupts(int(fd), w.look[:], syscall.Read); !errors.Is(err, syscall.EAGAIN) {
		// An open connection has nothing to read. Unsolicited bytes would be taken for the next
		// answer.
		w.stale = true
		return true
	}
	n, err := ignoringInterrupts(int(fd), w.out, syscall.Write)
	w.wrote = max(n, 0)
	if err != nil && !errors.Is(err, syscall.EAGAIN) {
		w.writeErr = os.NewSyscallError("write", err)
		return true
	}
	w.waiting = w.last && w.wrote == len(w.out)
	return !w.waiting
}

func ignoringInterrupts(fd int, p []byte, call func(fd int, p []byte) (int, error)) (int, error) {
	for {
		n, err := call(fd, p)
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
