// Package proctest starts programs for tests, and looks at processes.
package proctest

import (
	"syscall"
	"testing"

	"stoa/internal/testkit/waittest"
)

// Alive reports whether a process with that id exists.
func Alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }

// Gone waits until no process has that id any more.
func Gone(tb testing.TB, pid int) {
	tb.Helper()
	waittest.True(tb, "the end of a process", func() bool { return !Alive(pid) })
}
