//go:build unix

package child

import (
	"os"
	"syscall"
)

func terminate(p *os.Process) {
	p.Signal(syscall.SIGTERM) //nolint:errcheck,gosec // fails only when the process is gone
}

// killGroup kills the process and everything it may have started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
