package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors of a contained program beyond the standard three. The caller may use the first
// two, 3 and 4, as it likes; a launcher that fails reports why on the second.
const (
	reportFD  = 4
	controlFD = 5
)

// nobody is the user and group id of a contained program inside its user namespace. Outside, it has
// stoa's own.
const nobody = 65534

// setUp are the capabilities, inside its own user namespace, with which the launcher sets up the
// sandbox. It drops them all before it becomes the program.
var setUp = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP}

// supported returns why this machine does not support a part, as far as that can be known without
// trying.
func supported(p Part) error {
	if p == Seccomp && auditArch == 0 {
		return errors.New("no filter for " + runtime.GOARCH)
	}
	return nil
}

// Contain changes cmd, which must be complete and not started, so that it starts contained.
// cmd.ExtraFiles must hold two files: if the program cannot be contained, the launcher writes one
// JSON line, {"error":{"phase","message"}}, to the second.
//
// If no part works here, Contain changes nothing. The caller closes the Contained after it has
// started cmd, or failed to, and calls Ended when the program has exited.
func (b *Box) Contain(cmd *exec.Cmd, spec Spec) (*Contained, error) {
	if len(b.has) == 0 {
		return &Contained{}, nil
	}
	if len(cmd.ExtraFiles) != controlFD-3 {
		return nil, errors.New("sandbox: a contained program has two extra files")
	}
	o := order{Program: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Parts: b.has, Spec: spec}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	c := &Contained{}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if b.groups != nil {
		if c.group, err = b.groups.add(spec.Limits); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		c.group.join(cmd)
	}
	if b.Has(Namespaces) {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			c.Ended()
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		c.control, c.remote = os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
		c.wanted = len(spec.Listen)
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.remote)
		separate(cmd.SysProcAttr)
	}
	// Not the path of stoa's binary: another version may have replaced that file.
	cmd.Path, cmd.Args, cmd.Dir = "/proc/self/exe", []string{launcherName, string(text)}, "/"
	return c, nil
}

// separate requests new namespaces for the process.
func separate(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNS |
		unix.CLONE_NEWNET | unix.CLONE_NEWUTS
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = setUp
}

// Listeners returns the listeners inside the program's network, in the order of Spec.Listen. It
// waits until the launcher has made them, and returns an error if there are none, for example because
// the launcher failed or was killed. Afterwards Bounded is known. It may be called once, after the
// program was started. The caller closes the listeners.
func (c *Contained) Listeners() ([]net.Listener, error) {
	if c.control == nil {
		return nil, nil
	}
	c.remote.Close() // or reading would not end when the launcher does
	conn, err := net.FileConn(c.control)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	defer conn.Close()
	fds, report, err := receive(conn.(*net.UnixConn), c.wanted) //nolint:forcetypeassert // a pair of unix sockets
	if err != nil {
		return nil, err
	}
	c.bounded.Store(report == buffersBounded)
	return asListeners(fds)
}

// receive reads the message with which the launcher passes its listeners to stoa.
func receive(conn *net.UnixConn, wanted int) (fds []int, report byte, err error) {
	message, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4*wanted))
	size, n, _, _, err := conn.ReadMsgUnix(message, oob)
	if err == nil && size == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, 0, fmt.Errorf("sandbox: no listeners: %w", err)
	}
	if wanted == 0 {
		return nil, message[0], nil
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return nil, 0, fmt.Errorf("sandbox: no listeners came: %w", err)
	}
	fds, err = unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != wanted {
		return nil, 0, fmt.Errorf("sandbox: %d of %d listeners came: %w", len(fds), wanted, err)
	}
	return fds, message[0], nil
}

func asListeners(fds []int) ([]net.Listener, error) {
	var all []net.Listener
	var failed error
	for _, fd := range fds {
		unix.CloseOnExec(fd)
		f := os.NewFile(uintptr(fd), "listener")
		ln, err := net.FileListener(f)
		f.Close() // FileListener has a copy
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		all = append(all, ln)
	}
	if failed == nil {
		return all, nil
	}
	for _, ln := range all {
		ln.Close() // unused
	}
	return nil, fmt.Errorf("sandbox: %w", failed)
}

// Close releases what c holds. It may be called more than once.
func (c *Contained) Close() {
	if c.control != nil {
		c.control.Close() // nothing was written
		c.remote.Close()  // the same
	}
}
