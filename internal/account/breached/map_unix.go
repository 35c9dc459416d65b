//go:build unix

package breached

import (
	"os"
	"syscall"
)

// mapped returns the bytes of a file, which the system reads when they are looked at, and may forget.
func mapped(f *os.File, size int64) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}
