// Command market measures the marketplace of stoa against peers that do the bare
// minimum of the same work, in one run and on one machine, and prints the ratios
// (bench/README.md). Absolute figures say more about the machine than about stoa.
//
// It starts bin/stoa itself, in a temporary folder and on loopback, and ends what
// it started.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stoa/bench/measure"
)

// options are what the command line says.
type options struct {
	measure.Options

	postgres string
	licenses int
	ownCore  bool // of the PostgreSQL server
}

// works is what is measured; one file each.
var works = []struct {
	name string
	// run measures in an empty folder and returns the lines of the table.
	run func(ctx context.Context, o options, dir string) ([]measure.Row, error)
}{
	{"verify", verify},
	{"list", list},
	{"pages", pages},
	{"discounts", discounts},
	{"flood", flood},
}

func main() {
	postgres := flag.String("postgres", "",
		"postgres:// URL of a database to measure on besides SQLite; schemas are made in it, and dropped")
	own := flag.Bool("own-core", false,
		"verify on PostgreSQL with the server on the last processor and everything else on the others; needs taskset")
	licenses := flag.Int("licenses", 1_000_000, "how many licenses the large shop has")
	measure.Main(20*time.Minute, func(ctx context.Context, o measure.Options, dir string) ([]measure.Row, error) {
		return run(ctx, options{o, *postgres, *licenses, *own}, dir)
	})
}

// run measures each of the works in a folder of its own.
func run(ctx context.Context, o options, dir string) ([]measure.Row, error) {
	var table []measure.Row
	for _, w := range works {
		if o.Only != "" && w.name != o.Only {
			continue
		}
		at := filepath.Join(dir, w.name)
		if err := os.Mkdir(at, 0o700); err != nil {
			return nil, err
		}
		rows, err := w.run(ctx, o, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		table = append(table, rows...)
	}
	return table, nil
}
