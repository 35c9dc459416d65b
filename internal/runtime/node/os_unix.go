//go:build unix

package node

import (
	"os"
	"syscall"
)

// noFollow opens a file that is itself, and no link to one: in a folder that users
// share, others choose where links lead. It waits for nobody, as for a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func terminate(p *os.Process) {
	p.Signal(syscall.SIGTERM) //nolint:errcheck,gosec // fails only when the process is gone
}

// killGroup kills the process and everything it may have started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// lock takes an exclusive lock on f and reports whether it got it. The lock lasts
// until f is closed or the process ends.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
