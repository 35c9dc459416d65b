// Package needtest decides which tests run: one that needs a program which the machine lacks
// is skipped on a laptop, but fails in CI; one that takes long is left to make proof.
package needtest

import (
	"os"
	"os/exec"
	"testing"
)

// Lacks skips the test, or fails it in CI. what says what is missing and how to get it.
func Lacks(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("CI") != "" {
		tb.Fatal(what)
	}
	tb.Skip(what)
}

// Program returns the path of a program. If it is missing, it calls Lacks; how says how
// to get the program, and may be empty.
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
