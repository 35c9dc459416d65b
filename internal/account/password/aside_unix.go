//go:build unix

package password

import (
	"os"
	"os/exec"
	"syscall"
)

// asideNice is the priority of hashes (nice 2): a tenth of the processors when other requests want all
// of them, and all when nobody else wants them.
const asideNice = 10

// ownGroup has cmd run in a process group of its own, as lowerPriority needs.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// lowerPriority lowers the priority of all threads of this process, which is alone in its group: on Linux
// a priority is a thread's, and new threads have that of the one that makes them. Where it is not allowed,
// as in some sandboxes, the system shares the processors evenly between the two processes.
func lowerPriority() {
	if syscall.Getpgrp() == syscall.Getpid() {
		_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, asideNice)
	}
}

// pollable returns a file that goroutines read without a thread that waits in the kernel. Such a thread
// keeps its processor from the hash that it has just read, for milliseconds while others compute.
func pollable(f *os.File) *os.File {
	if syscall.SetNonblock(int(f.Fd()), true) != nil {
		return f
	}
	return os.NewFile(f.Fd(), f.Name())
}
