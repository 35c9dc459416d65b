package sandbox

import "golang.org/x/sys/unix"

// auditArch is the kernel's name of this architecture in filters.
const auditArch = unix.AUDIT_ARCH_AARCH64

// legacy lists further refused system calls, which only this architecture has.
var legacy = []uintptr{unix.SYS_KEXEC_FILE_LOAD}
