package measure

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Options are what the command line of every benchmark says.
type Options struct {
	Stoa   string // path of the program
	Ops    string // its --ops-addr
	Only   string // name of the only work to measure; empty for all
	Rounds int
	Round  time.Duration

	dir string // where the folder for the run is made
}

// Main is the main function of a benchmark: it reads the command line, makes a
// folder for what run writes, shows the rows that run returns and removes the
// folder. The flags of the benchmark's own are defined before. A run that takes
// longer than limit is ended, whatever hangs.
func Main(limit time.Duration, run func(ctx context.Context, o Options, dir string) ([]Row, error)) {
	var o Options
	static := flag.Int("static", 0, "serve a static answer of that many bytes (the program starts itself so)")
	flag.StringVar(&o.Stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(
		&o.dir,
		"dir",
		"",
		"folder for the databases; on a real disk, because what is written is about fsync (default: the system's folder "+
			"for temporary files)",
	)
	flag.StringVar(&o.Ops, "ops-addr", "off", "where the stoa that is measured first serves /debug/pprof")
	flag.StringVar(&o.Only, "only", "", "measure only the work of that name")
	flag.IntVar(&o.Rounds, "rounds", 5, "rounds of each side, interleaved")
	flag.DurationVar(&o.Round, "round", 2*time.Second, "length of a round")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *static > 0 {
		err = ServeStatic(ctx, *static)
	} else {
		err = o.measure(ctx, limit, run)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o Options) measure(ctx context.Context, limit time.Duration,
	run func(context.Context, Options, string) ([]Row, error),
) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dir, err := os.MkdirTemp(o.dir, "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rows, err := run(ctx, o, dir)
	if err != nil {
		return err
	}
	return Show(rows)
}
