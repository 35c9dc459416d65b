//go:build !linux

package child

import (
	"io"
	"os"
)

// newPipe returns a pipe from a child, and the end for the child.
func newPipe() (r io.ReadCloser, w *os.File, err error) { return os.Pipe() }
