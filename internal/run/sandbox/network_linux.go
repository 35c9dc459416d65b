package sandbox

import (
	"fmt"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a launcher reports about the program's network, with the listeners.
const (
	buffersBounded = 'b'
	buffersUsual   = 'u'
)

// network brings up the loopback interface of this process's network namespace, and passes listeners
// on it to stoa. There is no other interface, and the program cannot add one.
func network(s Spec) error {
	report := byte(buffersUsual)
	if boundBuffers() {
		report = buffersBounded
	}
	probe, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(probe)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(probe, unix.SIOCSIFFLAGS, loopback); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	var fds []int
	own := make(map[netip.Addr]bool)
	for _, at := range s.Listen {
		addr, err := netip.ParseAddrPort(at)
		if err != nil {
			return err
		}
		if !addr.Addr().IsLoopback() && !own[addr.Addr()] {
			if err := addAddress(probe, addr.Addr(), len(own)); err != nil {
				return fmt.Errorf("address %s: %w", addr.Addr(), err)
			}
			own[addr.Addr()] = true
		}
		fd, err := listen(addr)
		if err != nil {
			return fmt.Errorf("listen at %s: %w", at, err)
		}
		fds = append(fds, fd)
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	if err := unix.Sendmsg(controlFD, []byte{report}, rights, nil, unix.MSG_NOSIGNAL); err != nil {
		return err
	}
	for _, fd := range fds {
		unix.Close(fd) // stoa has a copy
	}
	// After stoa's own listeners, whose backlog is longer. Where it cannot be set, the number of
	// sockets is bounded all the same: stoa looks at it (package child).
	_ = sysctl("core/somaxconn", backlog)
	return unix.Close(controlFD)
}

// addAddress adds an address to the loopback interface, as the nth alias.
func addAddress(probe int, a netip.Addr, n int) error {
	if a.Is4() {
		req, err := unix.NewIfreq(fmt.Sprintf("lo:%d", n))
		if err != nil {
			return err
		}
		ip := a.As4()
		if err := req.SetInet4Addr(ip[:]); err != nil {
			return err
		}
		return unix.IoctlIfreq(probe, unix.SIOCSIFADDR, req)
	}
	six, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(six)
	// struct in6_ifreq. The loopback interface is the first.
	req := struct {
		addr   [16]byte
		prefix uint32
		index  int32
	}{a.As16(), 128, 1}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(six), unix.SIOCSIFADDR,
		uintptr(unsafe.Pointer(&req))) // the kernel's interface
	if errno != 0 {
		return errno
	}
	return nil
}

func listen(addr netip.AddrPort) (int, error) {
	family, port := unix.AF_INET6, int(addr.Port())
	sa := unix.Sockaddr(&unix.SockaddrInet6{Port: port, Addr: addr.Addr().As16()})
	if addr.Addr().Is4() {
		family, sa = unix.AF_INET, &unix.SockaddrInet4{Port: port, Addr: addr.Addr().As4()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, sa); err != nil {
		return 0, err
	}
	return fd, unix.Listen(fd, 128)
}
