// Command day measures what a shop's day costs (bench/README.md, docs/scaling.md): the
// processor time, rows and bytes of each operation, and how a whole day of a model shop,
// pressed into a minute, fares with one replica and with three.
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
	"strconv"
	"strings"
	"syscall"
	"time"

	"stoa/bench/measure"
)

type options struct {
	stoa, postgres, only string

	replicas []int
	round    time.Duration
	length   time.Duration
	shops    int
	seed     uint64
}

func main() {
	o, dir, replicas := options{}, "", ""
	flag.StringVar(&o.stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(&o.postgres, "postgres", "",
		"postgres:// URL of a database to use in place of SQLite, which has one replica; a schema is made in it, and dropped")
	flag.StringVar(&o.only, "only", "", "measure only costs or day")
	flag.StringVar(&dir, "dir", "",
		"folder for the data, on a real disk (default: the system's folder for temporary files)")
	flag.StringVar(&replicas, "replicas", "1", "with how many replicas a day is replayed, such as 1,3")
	flag.DurationVar(&o.round, "round", 3*time.Second, "how long each operation is repeated for its costs")
	flag.DurationVar(&o.length, "length", time.Minute, "how long a replayed day lasts")
	flag.IntVar(&o.shops, "shops", 1, "how many times the model shop's day is replayed at once")
	flag.Uint64Var(&o.seed, "seed", 1, "of the arrivals")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for text := range strings.SplitSeq(replicas, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1 && o.postgres == "" {
			fmt.Fprintln(os.Stderr, "bench: --replicas wants numbers, and --postgres for more than one")
			os.Exit(2)
		}
		o.replicas = append(o.replicas, n)
	}
	if err := run(ctx, o, dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures in a folder that it removes afterwards.
func run(ctx context.Context, o options, parent string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	dir, err := os.MkdirTemp(parent, "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Print(measure.Machine())
	if o.only == "" || o.only == "costs" {
		if err := within(ctx, o, dir+"/costs", 1, costs); err != nil {
			return fmt.Errorf("costs: %w", err)
		}
	}
	if o.only != "" && o.only != "day" {
		return nil
	}
	for _, n := range o.replicas {
		if err := within(ctx, o, fmt.Sprintf("%s/day%d", dir, n), n, day); err != nil {
			return fmt.Errorf("a day of %d replicas: %w", n, err)
		}
	}
	return nil
}

// within measures with a shop of its own.
func within(ctx context.Context, o options, dir string, replicas int,
	work func(context.Context, options, *shop) error,
) (err error) {
	s, err := open(ctx, o, dir, replicas)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return err
	}
	return work(ctx, o, s)
}
