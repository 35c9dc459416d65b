// Command hooks measures what telling plugins costs (bench/README.md): how much longer an
// operation takes that records a hook, and how fast pending deliveries drain to a quick
// receiver while the gateway answers calls.
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
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"stoa/bench/measure"
)

type options struct {
	stoa, ops, postgres, only string

	rounds  int
	round   time.Duration
	pending int
	rate    int
}

func main() {
	var o options
	flag.StringVar(&o.stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(&o.ops, "ops-addr", "off", "where stoa serves /debug/pprof")
	flag.StringVar(&o.postgres, "postgres", "",
		"postgres:// URL of a database to measure on besides SQLite; a schema is made in it, and dropped")
	flag.StringVar(&o.only, "only", "", "measure only record or drain")
	dir := flag.String("dir", "", "folder for the data, on a real disk (default: the system's folder for temporary files)")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each side, in turns")
	flag.DurationVar(&o.round, "round", 4*time.Second, "length of a round")
	flag.IntVar(&o.pending, "pending", 10_000, "deliveries that wait when a drain begins")
	flag.IntVar(&o.rate, "rate", 300, "calls a second to the gateway, with and without a drain")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures on each database, in a folder that it removes afterwards.
func run(ctx context.Context, o options, parent string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	dir, err := os.MkdirTemp(parent, "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Println(measure.Machine())
	at := filepath.Join(dir, "stoa.db")
	if err := measureOn(ctx, o, "SQLite", dir, at, "sqlite", "file:"+at+"?_pragma=busy_timeout(10000)"); err != nil {
		return err
	}
	if o.postgres == "" {
		return nil
	}
	url, drop, err := measure.Schema(ctx, o.postgres, "bench_hooks")
	if err != nil {
		return err
	}
	return errors.Join(measureOn(ctx, o, "PostgreSQL", filepath.Join(dir, "postgres"), url, "pgx", url), drop())
}

// measureOn measures on one database.
func measureOn(ctx context.Context, o options, engine, data, database, driver, dsn string) (err error) {
	b, err := start(ctx, o, data, database, driver, dsn)
	defer func() { err = errors.Join(err, b.stop()) }()
	if err != nil {
		return err
	}
	fmt.Printf("\n%s\n", engine)
	for _, one := range []struct {
		name string
		do   func(context.Context, options) error
	}{{"record", b.record}, {"drain", b.drains}} {
		if o.only == "" || strings.Contains(one.name, o.only) {
			if err := one.do(ctx, o); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
		}
	}
	return nil
}
