// Package needtest says what becomes of a test whose machine lacks something: a
// laptop may, CI may not.
package needtest

import (
	"os"
	"os/exec"
	"testing"
)

// Lacks skips the test, or fails it in CI. It says what is missing, and how to get
// it.
func Lacks(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatal(what)
	}
	tb.Skip(what)
}

// Program returns the path of a program. Without it, see Lacks; how says how to get
// it, or is empty.
func Program(tb testing.TB, name, how string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if how != "" {
			how = " (" + how + ")"
		}
		Lacks(tb, name+" is not installed"+how)
	}
	return path
}
