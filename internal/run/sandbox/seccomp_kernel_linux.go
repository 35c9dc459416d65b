package sandbox

import "golang.org/x/sys/unix"

// No process limit counts the memory that the kernel keeps for a process besides its own, and many
// machines have no control groups. So that memory is bounded at its sources: this filter refuses calls
// that would make the kernel keep more, network bounds the buffers of sockets, and package child
// counts the sockets.

const (
	noMemory   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOMEM)
	noProtocol = unix.SECCOMP_RET_ERRNO | uint32(unix.EPROTONOSUPPORT)
	noOption   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOPROTOOPT)
	ignored    = unix.SECCOMP_RET_ERRNO // of 0: it succeeds, and nothing happens
)

// owned lists what prctl may not change: the name in the list of processes, what kills the program
// when stoa dies, and what the kernel keeps for it.
var owned = []uint32{
	unix.PR_SET_NAME, unix.PR_SET_PDEATHSIG, unix.PR_SET_SECCOMP, unix.PR_SET_MM, unix.PR_SET_MEMORY_MERGE,
}

// held lists what fcntl may not do: locks and leases, which the kernel keeps without a limit, and
// larger pipes, whose pages are limited for all programs of a user together.
var held = []uint32{
	unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_SETLEASE, unix.F_NOTIFY, unix.F_SETPIPE_SZ,
}

// filterMemory bounds memory that does not count as the process's own.
func filterMemory(f []unix.SockFilter) []unix.SockFilter {
	f = call(f, unix.SYS_FCNTL, oneOf(1, held, denied, unix.SECCOMP_RET_ALLOW)...)
	return call(f, unix.SYS_MMAP,
		loadLow(3),
		// Pages of the machine's own store, and stacks that grow beyond the limit of data.
		skipUnless(unix.BPF_JSET, unix.MAP_HUGETLB|unix.MAP_GROWSDOWN, 1), ret(noMemory),
		// Shared memory stays when it is no longer mapped, and no count of the process shows it.
		skipIf(unix.BPF_JSET, unix.MAP_ANONYMOUS), ret(unix.SECCOMP_RET_ALLOW),
		and(unix.MAP_TYPE), skipIf(unix.BPF_JEQ, unix.MAP_PRIVATE), ret(noMemory),
		ret(unix.SECCOMP_RET_ALLOW))
}

// The socket options that a program may set: those that Node.js programs use. For others, the kernel
// would keep filters, groups and the like, or larger buffers.
var (
	socketOptions = []uint32{
		unix.SO_REUSEADDR, unix.SO_REUSEPORT, unix.SO_KEEPALIVE, unix.SO_BROADCAST, unix.SO_LINGER, unix.SO_OOBINLINE,
		unix.SO_RCVTIMEO, unix.SO_SNDTIMEO,
	}
	tcpOptions = []uint32{
		unix.TCP_NODELAY, unix.TCP_KEEPIDLE, unix.TCP_KEEPINTVL, unix.TCP_KEEPCNT, unix.TCP_USER_TIMEOUT, unix.TCP_CORK,
		unix.TCP_QUICKACK, unix.TCP_DEFER_ACCEPT,
	}
	ipOptions = []uint32{
		unix.IP_TOS, unix.IP_TTL, unix.IP_RECVERR, unix.IP_MTU_DISCOVER, unix.IP_PKTINFO, unix.IP_MULTICAST_TTL,
		unix.IP_MULTICAST_LOOP, unix.IP_MULTICAST_IF,
	}
	ip6Options = []uint32{
		unix.IPV6_V6ONLY, unix.IPV6_UNICAST_HOPS, unix.IPV6_RECVERR, unix.IPV6_TCLASS, unix.IPV6_MULTICAST_HOPS,
		unix.IPV6_MULTICAST_LOOP, unix.IPV6_MULTICAST_IF,
	}
)

// filterSockets allows TCP and UDP, with buffers of the usual size. There are no unix sockets
// inside: nothing that a program reaches listens at one, and no kernel bounds their buffers for a
// network. The socket that stoa gave it needs no new one.
func filterSockets(f []unix.SockFilter) []unix.SockFilter {
	f = call(f, unix.SYS_SOCKET,
		loadLow(1), and(0xf), // without SOCK_NONBLOCK and SOCK_CLOEXEC
		skipUnless(unix.BPF_JGT, unix.SOCK_DGRAM, 1), ret(denied), // raw and the like
		loadLow(0),
		skipUnless(unix.BPF_JEQ, unix.AF_INET, 1), jump(3),
		skipUnless(unix.BPF_JEQ, unix.AF_INET6, 1), jump(1),
		ret(noSuch),
		loadLow(2), // SCTP, MPTCP and others are modules of their own
		skipUnless(unix.BPF_JEQ, 0, 1), ret(unix.SECCOMP_RET_ALLOW),
		skipUnless(unix.BPF_JEQ, unix.IPPROTO_TCP, 1), ret(unix.SECCOMP_RET_ALLOW),
		skipUnless(unix.BPF_JEQ, unix.IPPROTO_UDP, 1), ret(unix.SECCOMP_RET_ALLOW),
		ret(noProtocol))
	var body []unix.SockFilter
	for _, l := range []struct {
		level   uint32
		options []uint32
	}{
		{unix.SOL_SOCKET, socketOptions},
		{unix.IPPROTO_TCP, tcpOptions},
		{unix.IPPROTO_IP, ipOptions},
		{unix.IPPROTO_IPV6, ip6Options},
	} {
		options := oneOf(2, l.options, unix.SECCOMP_RET_ALLOW, noOption)
		if l.level == unix.SOL_SOCKET {
			// The kernel, too, grants less than what is asked for, and does not say so.
			options = append(oneOf(2, []uint32{unix.SO_SNDBUF, unix.SO_RCVBUF}, ignored), options[1:]...)
		}
		body = append(body, loadLow(1), skipUnless(unix.BPF_JEQ, l.level, uint8(len(options)))) // some ten
		body = append(body, options...)
	}
	return call(f, unix.SYS_SETSOCKOPT, append(body, ret(noOption))...)
}

// oneOf returns match if the argument is one of values, and else goes on with the filter, or
// returns otherwise if that is given.
func oneOf(arg uint32, values []uint32, match uint32, otherwise ...uint32) []unix.SockFilter {
	f := []unix.SockFilter{loadLow(arg)}
	for _, v := range values {
		f = append(f, skipUnless(unix.BPF_JEQ, v, 1), ret(match))
	}
	for _, action := range otherwise {
		f = append(f, ret(action))
	}
	return f
}

// jump skips the next n instructions.
func jump(n uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: n}
}
