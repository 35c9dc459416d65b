package proof

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"stoa/internal/testkit/pgtest"
)

// TestMain stops the PostgreSQL of the tests, and removes the program.
func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	if program.dir != "" {
		_ = os.RemoveAll(program.dir)
	}
	os.Exit(code)
}

// program is stoa, built once for all tests.
var program struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// stoa returns the path of the program.
func stoa(tb testing.TB) string {
	tb.Helper()
	program.once.Do(func() {
		if program.path = os.Getenv("STOA_TEST_BINARY"); program.path != "" && !raceDetector {
			return // make has built it
		}
		//nolint:usetesting // outlives the test that comes first
		if program.dir, program.err = os.MkdirTemp("", "stoa-proof-"); program.err != nil {
			return
		}
		program.path = filepath.Join(program.dir, "stoa")
		args := []string{"build", "-o", program.path}
		if raceDetector {
			args = append(args, "-race")
		}
		out, err := exec.Command("go", append(args, "stoa/cmd/stoa")...).CombinedOutput()
		if err != nil {
			program.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if program.err != nil {
		tb.Fatal(program.err)
	}
	return program.path
}

// short reports whether the tests show in seconds that what they prove holds, with a tenth of the
// amounts: STOA_PROOF=short, as in make proof-short.
func short() bool { return os.Getenv("STOA_PROOF") == "short" }

// notShort skips a test that takes half a minute or more, if the run is short.
func notShort(tb testing.TB) {
	tb.Helper()
	if short() {
		tb.Skip("make proof runs this: it waits for leases, or restarts everything")
	}
}

// amount is how often a test does what it does n times at STOA_PROOF=1: a tenth of that, but at
// least twice, in a short run.
func amount(tb testing.TB, n int) int {
	tb.Helper()
	if short() {
		return max(2, n/10)
	}
	return n * effort(tb)
}

// effort is the factor by which a run does more than at STOA_PROOF=1.
func effort(tb testing.TB) int {
	tb.Helper()
	text := os.Getenv("STOA_PROOF")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("STOA_PROOF=%q: want a whole number from 1, or short", text)
	}
	return n
}

// newSeed returns and prints the seed of a test: a new one each time, or STOA_PROOF_SEED.
func newSeed(tb testing.TB) uint64 {
	tb.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("STOA_PROOF_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatalf("STOA_PROOF_SEED=%q: want a number", text)
		}
	}
	tb.Logf("seed %d: STOA_PROOF=%s STOA_PROOF_SEED=%d go test ./internal/proof -run '^%s$'", seed,
		os.Getenv("STOA_PROOF"), seed, tb.Name())
	return seed
}
