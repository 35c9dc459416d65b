package needtest

import (
	"os"
	"testing"
)

// Proving reports whether the run proves what takes long: STOA_PROOF is set, as in make proof and
// make proof-short (docs/proof.md).
func Proving() bool { return os.Getenv("STOA_PROOF") != "" }

// Long skips a test that belongs to make proof or make proof-short, unless the run proves. why says what
// takes long.
func Long(tb testing.TB, why string) {
	tb.Helper()
	if !Proving() {
		tb.Skip("left to make proof: " + why)
	}
}

// Rounds returns few, or all when the run proves: how often a test repeats what may go wrong at any moment.
func Rounds(few, all int) int {
	if Proving() {
		return all
	}
	return few
}
