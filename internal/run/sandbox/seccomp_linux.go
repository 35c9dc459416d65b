package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data, little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

// The results of refused calls. A call that libraries can do without gets the error that an older
// kernel would return.
const (
	denied  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	noSuch  = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
)

// refused lists system calls that a program which serves requests does not need, and that reach
// other processes, the kernel's own state or its less tested parts. Calls of later kernels are
// refused by number.
var refused = []uintptr{
	// Other processes and their memory.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL,
	// Programs, namespaces, mounts.
	unix.SYS_EXECVEAT, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT,
	unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_MKNODAT,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	// The kernel's own state.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_PERSONALITY, unix.SYS_VHANGUP,
	unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	// Resources whose number is limited for all programs of a user, or of the machine, together.
	unix.SYS_INOTIFY_INIT1, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MQ_OPEN,
	unix.SYS_IO_SETUP,
	// Nameless files, which hold memory or code beyond the limits, and pages that pipes keep.
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_VMSPLICE, unix.SYS_SPLICE, unix.SYS_TEE,
	// Rules and filters, which the kernel keeps without a limit. The launcher has set its own.
	unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_SECCOMP,
	// Attributes of files: a list of who may read one takes up to 128 KiB, which no file system counts.
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR,
	// Waiting for all disks of the machine.
	unix.SYS_SYNC, unix.SYS_SYNCFS,
	// Priority over others.
	unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_MBIND, unix.SYS_SET_MEMPOLICY, unix.SYS_MIGRATE_PAGES,
	unix.SYS_MOVE_PAGES,
	// Another user.
	unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID,
	unix.SYS_SETGROUPS, unix.SYS_SETFSUID, unix.SYS_SETFSGID, unix.SYS_CAPSET,
}

// absent lists calls that libraries can do without, as on older kernels.
var absent = []uintptr{
	unix.SYS_CLONE3, // its flags are in memory, where no filter sees them
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_SOCKETPAIR, // see AF_UNIX below
}

// newest is the latest system call considered here. Later ones fail as if the kernel did not have
// them.
const newest = unix.SYS_FUTEX_REQUEUE

// seccomp installs the filter for this thread and the program it becomes: the one at path, passed as
// this very pointer.
func seccomp(path *byte) error {
	filter := newFilter(uint64(uintptr(unsafe.Pointer(path)))) // compared, not used
	prog := unix.SockFprog{
		Len:    uint16(len(filter)),
		Filter: &filter[0],
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0,
		0)
}

func newFilter(path uint64) []unix.SockFilter {
	f := []unix.SockFilter{
		load(offsetArch), skipIf(unix.BPF_JEQ, auditArch), ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetNumber),
		// Also the x32 calls of amd64, which begin at 2^30.
		skipUnless(unix.BPF_JGT, uint32(newest), 1), ret(unknown),
	}
	for _, nr := range append(refused, legacy...) {
		f = append(f, skipUnless(unix.BPF_JEQ, uint32(nr), 1), ret(denied)) // a small number
	}
	for _, nr := range absent {
		f = append(f, skipUnless(unix.BPF_JEQ, uint32(nr), 1), ret(unknown)) // the same
	}
	f = call(f, unix.SYS_EXECVE,
		// Only with the launcher's pointer, which it uses once.
		loadLow(0), skipIf(unix.BPF_JEQ, uint32(path)), ret(denied), // the lower half
		loadHigh(0), skipIf(unix.BPF_JEQ, uint32(path>>32)), ret(denied),
		ret(unix.SECCOMP_RET_ALLOW))
	f = call(f, unix.SYS_CLONE,
		// Threads only, none in a new namespace, and none with a table of files of its own: the
		// limit of open files holds for each table.
		loadLow(0), skipIf(unix.BPF_JSET, unix.CLONE_THREAD), ret(denied),
		skipIf(unix.BPF_JSET, unix.CLONE_FILES), ret(denied),
		skipUnless(unix.BPF_JSET, namespaceFlags, 1), ret(denied),
		ret(unix.SECCOMP_RET_ALLOW))
	f = call(f, unix.SYS_CLOSE_RANGE,
		loadLow(2), skipUnless(unix.BPF_JSET, unix.CLOSE_RANGE_UNSHARE, 1), ret(denied), // the same
		ret(unix.SECCOMP_RET_ALLOW))
	f = call(f, unix.SYS_IOCTL,
		loadLow(1),
		skipUnless(unix.BPF_JEQ, unix.TIOCSTI, 1), ret(denied), // typing into stoa's terminal
		skipUnless(unix.BPF_JEQ, unix.TIOCLINUX, 1), ret(denied),
		ret(unix.SECCOMP_RET_ALLOW))
	f = call(f, unix.SYS_PRCTL, oneOf(0, owned, denied, unix.SECCOMP_RET_ALLOW)...)
	f = filterMemory(f)
	f = filterSockets(f)
	return append(f, ret(unix.SECCOMP_RET_ALLOW))
}

const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNS |
	unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// call appends body, which decides about one system call and must end with ret.
func call(f []unix.SockFilter, nr uint32, body ...unix.SockFilter) []unix.SockFilter {
	return append(append(f, skipUnless(unix.BPF_JEQ, nr, uint8(len(body)))), body...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func loadLow(arg uint32) unix.SockFilter  { return load(offsetArgs + 8*arg) }
func loadHigh(arg uint32) unix.SockFilter { return load(offsetArgs + 8*arg + 4) }

func and(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: k}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// skipIf skips the next instruction if the comparison with k holds.
func skipIf(op uint16, k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jt: 1, K: k}
}

// skipUnless skips n instructions if the comparison with k does not hold.
func skipUnless(op uint16, k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jf: n, K: k}
}
