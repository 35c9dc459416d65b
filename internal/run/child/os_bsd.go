//go:build unix && !linux

package child

import (
	"os"
	"syscall"
)

// sandboxAttributes puts the child into a process group of its own. Only Linux
// can kill it when stoa dies.
func sandboxAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// pathWithoutName is for systems where a socket can be dialed without a name.
func pathWithoutName(string) (*os.File, string) { return nil, "" }
