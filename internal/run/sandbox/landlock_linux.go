package sandbox

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockVersion returns the kernel's version of Landlock, or 0 without it.
func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

const (
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readAll  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	execute  = readFile | unix.LANDLOCK_ACCESS_FS_EXECUTE

	// No links, sockets, pipes or devices.
	writeAll = readAll | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR

	renameAcross = unix.LANDLOCK_ACCESS_FS_REFER // from version 2 on
	truncate     = unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// system lists the system files that programs may read when they have no separate file tree: to
// resolve names, verify certificates, count processors.
var system = []string{
	"/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
	"/etc/ssl", "/usr/share/ca-certificates", "/etc/localtime", "/usr/share/zoneinfo",
	"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu/online",
}

// landlock forbids every file that s does not name, whatever the file tree contains, and from
// version 6 on also signals to other processes and abstract sockets.
func landlock(s Spec, ownTree bool) error {
	version := landlockVersion()
	if version == 0 {
		return errors.New("this kernel does not have it, or it is switched off")
	}
	ruleset, err := newRuleset(version)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	read := s.Read
	if ownTree {
		read = append(read, "/proc", "/etc")
	} else {
		read = append(read, system...)
	}
	type rule struct {
		paths  []string
		access uint64
	}
	rules := []rule{
		{s.Execute, execute},
		{read, readAll},
		{[]string{"/dev/null"}, readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE},
		{[]string{"/dev/urandom"}, readFile},
	}
	if ownTree && s.Limits.TempBytes > 0 {
		rules = append(rules, rule{[]string{TempDir}, writeAll | handled(version)&(renameAcross|truncate)})
	}
	for _, rule := range rules {
		for _, path := range rule.paths {
			if err := allow(ruleset, path, rule.access); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// handled returns the accesses to files that this version knows.
func handled(version int) uint64 {
	files := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1)
	if version >= 2 {
		files |= renameAcross
	}
	if version >= 3 {
		files |= truncate
	}
	if version >= 5 {
		files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return files
}

// newRuleset returns a ruleset that forbids everything that this version can forbid.
func newRuleset(version int) (int, error) {
	attr := struct{ files, net, scoped uint64 }{files: handled(version)}
	size := unsafe.Sizeof(attr.files)
	if version >= 6 {
		attr.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Sizeof(attr)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size,
		0)
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}

// allow allows access at path, and below it if it is a folder.
func allow(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &^= unix.LANDLOCK_ACCESS_FS_READ_DIR // means nothing for a file, which the kernel refuses
	}
	var rule [12]byte // struct landlock_path_beneath_attr is packed
	*(*uint64)(unsafe.Pointer(&rule[0])) = access
	*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd) // a descriptor
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule[0])), 0, 0, 0) // the kernel's interface
	if errno != 0 {
		return errno
	}
	return nil
}
