// Command mutants removes the defenses of accounts one after another, and shows that a test notices each. It runs
// at the root of the repository:
//
//	go run ./internal/takeover/mutants
//
// Each row of its tables is a mutant: a place in the code, what stands there without the defense, and the tests that
// must fail then. All mutants are compiled into one test binary for each package with such tests, and switched on one
// at a time through the environment. The code in the checkout is not touched.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	only := flag.String("only", "", "run the mutants whose names match this pattern")
	at := flag.Int("jobs", 2, "how many `tests` run at once")
	each := flag.Duration("each", 3*time.Minute, "how long one test may take")
	both := flag.Bool("both", false, "run the tests on PostgreSQL, too; within internal/testkit/withpg")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *only, runner{at: max(1, *at), each: *each, both: *both})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, r runner) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var list []mutant
	for _, m := range mutants() {
		if pattern.MatchString(m.name) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no mutant is named like %q", only)
	}
	if r.dir, err = os.MkdirTemp("", "stoa-mutants-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(r.dir) }()

	begin := time.Now()
	// All are compiled, so that the build is the same whichever run.
	if err := r.build(ctx, mutants(), packagesOf(list)); err != nil {
		return err
	}
	built := time.Since(begin)
	if err := r.unharmed(ctx, list); err != nil {
		return err
	}
	lived := r.kill(ctx, list)
	fmt.Printf("%d mutants, %d killed, %d not, in %s, of which building took %s\n",
		len(list), len(list)-lived, lived, time.Since(begin).Round(time.Second), built.Round(time.Second))
	if lived > 0 {
		return fmt.Errorf("%d mutants were not killed", lived)
	}
	return nil
}
