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
	"time"

	"stoa/bench/measure"
)

func main() {
	var c comparison
	flag.StringVar(&c.before, "before", "",
		"another build of stoa: only logins are measured then, of both builds in turn (scripts/bench-login makes both)")
	flag.StringVar(&c.postgres, "postgres", "",
		"with --before: postgres:// URL to measure on; schemas are made in it, and dropped")
	measure.Main(10*time.Minute, func(ctx context.Context, o measure.Options, dir string) ([]measure.Row, error) {
		if c.before != "" {
			return nil, c.run(ctx, o, dir)
		}
		return run(ctx, o, dir)
	})
}

// run measures login, me and refresh.
func run(ctx context.Context, o measure.Options, dir string) (measured []measure.Row, err error) {
	b, err := start(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()

	for _, row := range b.rows() {
		if o.Only != "" && row.Name != o.Only {
			continue
		}
		if err := row.Run(ctx, o.Rounds, o.Round); err != nil {
			return nil, fmt.Errorf("%s: %w", row.Name, err)
		}
		measured = append(measured, row)
	}
	return measured, nil
}
