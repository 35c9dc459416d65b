package node

import "syscall"

// sandboxAttributes puts the child into a process group of its own and lets the
// kernel kill it when stoa dies, however that happens.
func sandboxAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
