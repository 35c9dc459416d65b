package sandbox

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the kernel would keep without a limit, or take from all programs together.
func init() {
	for name, attempt := range map[string]func() error{
		"a socket of its own":      func() error { _, err := net.Listen("unix", "@stoa-own-"+os.Getenv("ABSTRACT")); return err },
		"a pair of sockets":        func() error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
		"SCTP":                     socket(unix.SOCK_STREAM, unix.IPPROTO_SCTP),
		"MPTCP":                    socket(unix.SOCK_STREAM, unix.IPPROTO_MPTCP),
		"UDP-Lite":                 socket(unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE),
		"a larger buffer":          largerBuffer,
		"a filter of a socket":     option(unix.SOL_SOCKET, unix.SO_ATTACH_BPF),
		"another way to buffer":    option(unix.SOL_SOCKET, unix.SO_RCVBUFFORCE),
		"a protocol above TCP":     option(unix.IPPROTO_TCP, unix.TCP_ULP),
		"a group of datagrams":     option(unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP),
		"a label of flows":         option(unix.IPPROTO_IPV6, flowLabels),
		"a larger pipe":            largerPipe,
		"a lock of a file":         control(unix.F_SETLK, unix.F_OFD_SETLK, unix.F_SETLEASE, unix.F_NOTIFY),
		"shared memory of no file": mapped(unix.MAP_SHARED | unix.MAP_ANONYMOUS),
		"huge pages":               mapped(unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_HUGETLB),
		"a growing stack":          mapped(unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN),
		"a terabyte of nothing":    func() error { _, err := unix.Mmap(-1, 0, 1<<40, 0, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS); return err },
		"asynchronous files":       raw(unix.SYS_IO_SETUP, 8),
		"rules of Landlock":        raw(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1),
		"a further filter":         raw(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL),
		"splice":                   raw(unix.SYS_SPLICE, 0, 0, 0),
		"sync":                     raw(unix.SYS_SYNC),
		"files of its own":         raw(unix.SYS_CLOSE_RANGE, 1000, 1000, unix.CLOSE_RANGE_UNSHARE),
		"threads with own files":   raw(unix.SYS_CLONE, unix.CLONE_THREAD|unix.CLONE_SIGHAND|unix.CLONE_VM),
		"another name": func() error {
			return unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(unsafe.StringData("x\x00"))), 0, 0, 0)
		},
		"an access list": accessList,
		"outliving stoa": func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
	} {
		attempts[name] = attempt
	}
}

const flowLabels = 32 // IPV6_FLOWLABEL_MGR

func socket(kind, protocol int) func() error {
	return func() error { _, err := unix.Socket(unix.AF_INET, kind, protocol); return err }
}

func option(level, name int) func() error {
	return func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return nil
		}
		defer unix.Close(fd)
		return unix.SetsockoptInt(fd, level, name, 1<<20)
	}
}

// largerBuffer fails if a buffer is not larger than usual, even if asking for it succeeds.
func largerBuffer() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	usual, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 2*usual); err != nil {
		return nil // programs must not notice
	}
	if now, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF); now == usual {
		return unix.ENOBUFS
	}
	return nil
}

func largerPipe() error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil //nolint:nilerr // nothing was asked for
	}
	_, err := unix.FcntlInt(uintptr(p[1]), unix.F_SETPIPE_SZ, 1<<20)
	return err
}

// control fails if every one of these commands fails.
func control(commands ...int) func() error {
	return func() error {
		f, err := os.Open(os.Args[0])
		if err != nil {
			return nil
		}
		defer f.Close()
		for _, c := range commands {
			lock := unix.Flock_t{Type: unix.F_RDLCK, Len: 1}
			if err = unix.FcntlFlock(f.Fd(), c, &lock); !errors.Is(err, unix.EPERM) {
				return nil
			}
		}
		return err
	}
}

// accessList hangs 64 KiB of the kernel's memory on an empty file: a list of who may read it, with one user
// again and again.
func accessList() error {
	path := TempDir + "/list"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil
	}
	defer os.Remove(path)
	list := binary.LittleEndian.AppendUint32(nil, 2) // the version
	add := func(tag, access uint16, id uint32) {
		list = binary.LittleEndian.AppendUint16(list, tag)
		list = binary.LittleEndian.AppendUint16(list, access)
		list = binary.LittleEndian.AppendUint32(list, id)
	}
	const owner, user, group, mask, other = 0x01, 0x02, 0x04, 0x10, 0x20
	add(owner, 6, 0)
	for range 8_000 {
		add(user, 4, nobody)
	}
	add(group, 0, 0)
	add(mask, 4, 0)
	add(other, 0, 0)
	return unix.Setxattr(path, "system.posix_acl_access", list, 0)
}

func mapped(flags int) func() error {
	return func() error {
		_, err := unix.Mmap(-1, 0, 1<<21, unix.PROT_READ|unix.PROT_WRITE, flags)
		return err
	}
}
