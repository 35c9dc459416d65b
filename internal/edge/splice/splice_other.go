//go:build !linux

package splice

import "syscall"

type pipe struct{}

type step struct{}

// New returns nil: nothing can be moved on this system.
func New(syscall.RawConn, int64) *Source { return nil }

// Close does nothing.
func (s *Source) Close() {}

// To is not called on this system.
func (s *Source) To(syscall.RawConn, int64) (int64, error) { panic("splice: no sources here") }
