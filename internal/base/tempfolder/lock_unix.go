//go:build unix

package tempfolder

import (
	"os"
	"syscall"
)

// noFollow does not follow links: in a shared folder, other users choose where links lead. Nor does
// it block, as opening a pipe would.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock takes an exclusive lock on f and reports whether it got it. The lock lasts
// until f is closed or the process ends.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
