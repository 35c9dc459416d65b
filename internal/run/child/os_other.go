//go:build !unix

package child

import (
	"os"
	"syscall"
)

func sandboxAttributes() *syscall.SysProcAttr { return nil }

func pathWithoutName(string) (*os.File, string) { return nil, "" }

func terminate(p *os.Process) { p.Kill() } //nolint:errcheck,gosec // fails only when the process is gone

func killGroup(p *os.Process) error { return p.Kill() }
