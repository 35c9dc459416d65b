//go:build unix

package store

import (
	"os"
	"syscall"
)

// flock takes an exclusive lock on f and reports whether it got it. The lock lasts until f is closed or
// the process ends.
func flock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
