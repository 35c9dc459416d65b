package child

import "syscall"

// alive reports whether a process with that id exists. Our children are reaped.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
