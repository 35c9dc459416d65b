package child

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// sandboxAttributes puts the child into a session of its own, which the scheduler
// treats as one whatever the number of its threads (autogroup), and lets the kernel
// kill it when stoa dies, however that happens.
func sandboxAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// pathWithoutName opens the socket at name and returns a path that leads to it after
// name is removed, as long as the file is open. nil: there is no such path here.
func pathWithoutName(name string) (*os.File, string) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, ""
	}
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	if _, err := os.Stat(path); err != nil {
		_ = unix.Close(fd)
		return nil, ""
	}
	return os.NewFile(uintptr(fd), name), path
}
