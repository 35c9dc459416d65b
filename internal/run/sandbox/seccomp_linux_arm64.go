package sandbox

import "golang.org/x/sys/unix"

// auditArch is how the kernel names this processor to filters.
const auditArch = unix.AUDIT_ARCH_AARCH64

// legacy are further system calls that are refused, and only this processor has.
var legacy = []uintptr{unix.SYS_KEXEC_FILE_LOAD}
