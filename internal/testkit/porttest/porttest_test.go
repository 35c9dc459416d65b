package porttest_test

import (
	"testing"

	"stoa/internal/testkit/porttest"
)

// Many more than the tests need at a time: by chance alone, two of them would be the same.
func TestNoPortIsGivenTwice(t *testing.T) {
	t.Parallel()
	given := make(map[string]bool)
	for range 300 {
		addr := porttest.Free(t)
		if given[addr] {
			t.Fatalf("%s was given twice", addr)
		}
		given[addr] = true
	}
}
