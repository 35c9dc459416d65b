// Command market measures the marketplace of stoa against peers that do the bare
// minimum of the same work, in one run and on one machine, and prints the ratios
// (bench/README.md). Absolute figures say more about the machine than about stoa.
//
// It starts bin/stoa itself, in a temporary folder and on loopback, and ends what
// it started.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"stoa/bench/measure"
)

// options are what the command line says.
type options struct {
	stoa     string
	dir      string
	ops      string
	only     string
	postgres string
	licenses int
	rounds   int
	round    time.Duration
}

// works is what is measured; one file each.
var works = []struct {
	name string
	// run measures in an empty folder and returns the lines of the table.
	run func(ctx context.Context, o options, dir string) ([]measure.Row, error)
}{
	{"verify", verify},
	{"list", list},
}

func main() {
	var o options
	static := flag.Int("static", 0, "serve a static answer of that many bytes (the program starts itself so)")
	flag.StringVar(&o.stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(&o.dir, "dir", "", "folder for the databases (default: the system's folder for temporary files)")
	flag.StringVar(&o.ops, "ops-addr", "off", "where the stoa that is measured first serves /debug/pprof")
	flag.StringVar(&o.only, "only", "", "measure only this: verify or list")
	flag.StringVar(&o.postgres, "postgres", "", "postgres:// URL of a database to measure on besides SQLite; schemas are made in it, and dropped")
	flag.IntVar(&o.licenses, "licenses", 1_000_000, "how many licences the large shop has")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each side, interleaved")
	flag.DurationVar(&o.round, "round", 2*time.Second, "length of a round")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *static > 0 {
		err = measure.ServeStatic(ctx, *static)
	} else {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // stop only unregisters signals
	}
}

// maxRun bounds a run, whatever hangs.
const maxRun = 20 * time.Minute

func run(ctx context.Context, o options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	dir, err := os.MkdirTemp(o.dir, "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var table []measure.Row
	for _, w := range works {
		if o.only != "" && w.name != o.only {
			continue
		}
		at := dir + "/" + w.name
		if err := os.Mkdir(at, 0o700); err != nil {
			return err
		}
		rows, err := w.run(ctx, o, at)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		table = append(table, rows...)
	}
	return measure.Show(table)
}
