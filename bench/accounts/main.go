// Command accounts measures the accounts of stoa against peers that do the bare
// minimum of the same work, in one run and on one machine, and prints the ratios
// (bench/README.md). Absolute figures say more about the machine than about stoa.
//
// It starts bin/stoa itself, on SQLite in a temporary folder and on loopback, and
// ends what it started.
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
	stoa   string
	dir    string
	ops    string
	only   string
	rounds int
	round  time.Duration
}

func main() {
	var o options
	static := flag.Int("static", 0, "serve a static answer of that many bytes (the program starts itself so)")
	flag.StringVar(&o.stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(&o.dir, "dir", "", "folder for the databases; on a real disk, because refresh is about fsync (default: the system's folder for temporary files)")
	flag.StringVar(&o.ops, "ops-addr", "off", "where stoa serves /debug/pprof meanwhile")
	flag.StringVar(&o.only, "only", "", "measure only login, me or refresh")
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
const maxRun = 10 * time.Minute

func run(ctx context.Context, o options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	dir, err := os.MkdirTemp(o.dir, "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := start(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()

	rows := b.rows()
	for i := range rows {
		if o.only != "" && rows[i].Name != o.only {
			continue
		}
		if err := rows[i].Run(ctx, o.rounds, o.round); err != nil {
			return fmt.Errorf("%s: %w", rows[i].Name, err)
		}
	}
	return measure.Show(rows)
}
