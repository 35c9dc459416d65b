package sandbox

import "golang.org/x/sys/unix"

// auditArch is the kernel's name of this architecture in filters.
const auditArch = unix.AUDIT_ARCH_X86_64

// legacy lists further refused system calls, which only this architecture has.
var legacy = []uintptr{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_INOTIFY_INIT, unix.SYS_MKNOD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL,
	unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL,
}
