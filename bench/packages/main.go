// Command packages measures how long stoa takes to install packages, beside sha256sum
// and unzip of the same file, and to start with a thousand of them (bench/README.md).
//
// It starts bin/stoa itself, in a temporary folder and on loopback, and ends what it
// started.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"stoa/bench/measure"
)

type options struct {
	stoa, postgres      string
	rounds              int
	packages, instances int
	ops                 string
}

func main() {
	var o options
	flag.StringVar(&o.stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(&o.postgres, "postgres", "",
		"postgres:// URL of a database to start on besides SQLite; a schema is made in it, and dropped")
	flag.StringVar(&o.ops, "ops-addr", "off", "where the stoa that installs serves /debug/pprof")
	dir := flag.String("dir", "", "folder for the data, on a real disk (default: the system's folder for temporary files)")
	only := flag.String("only", "", "measure only install or start")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each side, in turns")
	flag.IntVar(&o.packages, "packages", 1000, "installed packages at a start")
	flag.IntVar(&o.instances, "instances", 100_000, "instances at a start")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, parent, only string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp(parent, "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Println(measure.Machine())
	if only == "" || only == "install" {
		if err := install(ctx, o, dir); err != nil {
			return err
		}
	}
	if only == "" || only == "start" {
		return starts(ctx, o, dir)
	}
	return nil
}

func median[T int64 | float64 | time.Duration](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
