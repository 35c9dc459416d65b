package main

import (
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
)

// tests runs the tests, and ends the PostgreSQL they started.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	defer removeMigrated()
	return pgtest.Main(t.m)
}

// TestMain makes this test binary the stoa command too, under the name stoa on
// the PATH.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"stoa": func() { stoa(patience) }})
}

// patience is how long plugins may take to start: a busy machine is not their fault.
const patience = 2 * time.Minute

// The command line as a user meets it; one file below testdata/script a subject. A copy of $MIGRATED is
// the data folder of a new shop. What stands behind [proof] is for make proof.
func TestScripts(t *testing.T) {
	t.Parallel()

	shop := migratedOnce(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("MIGRATED", shop)
			return nil
		},
		Condition: func(name string) (bool, error) { return name == "proof" && needtest.Proving(), nil },
	})
}
