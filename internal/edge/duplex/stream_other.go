//go:build !linux

package duplex

import "io"

// stream is not used on this system.
type stream struct{}

func newStream(_, _ any) *stream { return nil }

func (*stream) copyTo(io.Writer) error { panic("duplex: no streams here") }
