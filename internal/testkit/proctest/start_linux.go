package proctest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Start starts cmd, which is killed if the tests are. follow, unless it is nil, is called once cmd has
// started and must return when its output ends. exited is closed when cmd has ended and was waited for.
func Start(cmd *exec.Cmd, follow func()) (exited <-chan struct{}, err error) {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr = &attr
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // Pdeathsig fires when the thread that started the process ends
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		if follow != nil {
			follow()
		}
		_ = cmd.Wait()
	}()
	return ended, <-started
}
