//go:build !unix

package breached

import (
	"io"
	"os"
)

// mapped returns the bytes of a file.
func mapped(f *os.File, size int64) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(f, 0, size))
}
