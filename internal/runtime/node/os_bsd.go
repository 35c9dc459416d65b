//go:build unix && !linux

package node

import "syscall"

// sandboxAttributes puts the child into a process group of its own. Only Linux
// can be told to kill it when stoa dies.
func sandboxAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
