//go:build unix

package tempfolder

import (
	"os"
	"syscall"
)

// noFollow opens a file that is itself, and no link to one: in a folder that users
// share, others choose where links lead. It waits for nobody, as for a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock takes an exclusive lock on f and reports whether it got it. The lock lasts
// until f is closed or the process ends.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
