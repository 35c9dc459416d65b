package child

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// socket is where a child listens. Where the system allows it, stoa removes its file
// at once: nothing is left behind when stoa is killed. It is safe for concurrent use.
type socket struct {
	mu     sync.RWMutex
	path   string   // to dial
	kept   *os.File // the socket itself, where it can be dialed without a name
	dir    string   // the folder of path, if that still exists
	closed bool
}

// listen opens a socket. The caller passes the listener to the child, closes its own
// copy, and closes the socket.
func (m *Machine) listen() (s *socket, listener *os.File, err error) {
	// A folder with a name that no other process can guess.
	dir, err := os.MkdirTemp(m.Dir, "*")
	if err != nil {
		return nil, nil, err
	}
	s = &socket{path: filepath.Join(dir, "s"), dir: dir}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		return nil, nil, err
	}
	// Only the child keeps the socket open: connections are refused once it is gone.
	defer ln.Close()
	ln.SetUnlinkOnClose(false)
	if listener, err = ln.File(); err != nil {
		return nil, nil, err
	}
	s.unlink()
	return s, listener, nil
}

// unlink removes the name of s if it can be dialed without.
func (s *socket) unlink() {
	kept, path := pathWithoutName(s.path)
	if kept == nil {
		return
	}
	if os.RemoveAll(s.dir) == nil {
		s.dir = ""
	}
	s.kept, s.path = kept, path
}

// dial connects to the child. It fails once s is closed: the number of its descriptor
// may then belong to another socket.
func (s *socket) dial(ctx context.Context) (net.Conn, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: net.ErrClosed}
	}
	return new(net.Dialer).DialContext(ctx, "unix", s.path)
}

// close releases s. It may be called more than once.
func (s *socket) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.kept != nil {
		_ = s.kept.Close()
		s.kept = nil
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // else it is removed with the folder of this stoa
		s.dir = ""
	}
}
