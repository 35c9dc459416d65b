package node

import "syscall"

// sandboxAttributes puts the child into a session of its own, which the scheduler
// treats as one whatever the number of its threads (autogroup), and lets the kernel
// kill it when stoa dies, however that happens.
func sandboxAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
