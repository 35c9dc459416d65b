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
	"runtime"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"
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
		err = serveStatic(ctx, *static)
	} else {
		err = measure(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // stop only unregisters signals
	}
}

// maxRun bounds a run, whatever hangs.
const maxRun = 10 * time.Minute

// row is one line of the table: a piece of stoa's work beside its peer's.
type row struct {
	name, peer string
	target     float64
	ours       func(ctx context.Context, d time.Duration) (int, error) // how often it was done in d
	theirs     func(ctx context.Context, d time.Duration) (int, error)

	// pids are the processes of both sides, whose processor time is counted.
	pids [2]int

	rates, peers, ratios []float64 // one of each a round; rates are per second
	cpu, peerCPU         []float64 // microseconds a piece
}

func measure(ctx context.Context, o options) (err error) {
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
		if o.only != "" && rows[i].name != o.only {
			continue
		}
		if err := rows[i].run(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", rows[i].name, err)
		}
	}
	return show(rows)
}

// run measures both sides in turns, so that what else the machine does meets
// both, after a short round that nobody counts.
func (r *row) run(ctx context.Context, o options) error {
	for i := range o.rounds + 1 {
		d := o.round
		if i == 0 {
			d /= 4
		}
		var rates, cpu [2]float64
		for side, do := range []func(context.Context, time.Duration) (int, error){r.ours, r.theirs} {
			begin, used := time.Now(), cpuOf(r.pids[side])
			n, err := do(ctx, d)
			if err != nil {
				return err
			}
			rates[side] = float64(n) / time.Since(begin).Seconds()
			cpu[side] = float64((cpuOf(r.pids[side]) - used).Microseconds()) / float64(max(n, 1))
		}
		if i > 0 {
			r.rates, r.peers, r.ratios = append(r.rates, rates[0]), append(r.peers, rates[1]), append(r.ratios, rates[0]/rates[1])
			r.cpu, r.peerCPU = append(r.cpu, cpu[0]), append(r.peerCPU, cpu[1])
		}
	}
	return nil
}

func show(rows []row) error {
	fmt.Printf("%s/%s, %d processors, %s; shared by stoa, its peers and the load\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tab, "| work\t| stoa/s\t| peer/s\t| ratio\t| lowest\t| highest\t| target\t| stoa CPU µs\t| peer CPU µs\t| peer\t|")
	fmt.Fprintln(tab, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, r := range rows {
		if len(r.ratios) == 0 {
			continue
		}
		fmt.Fprintf(tab, "| %s\t| %.0f\t| %.0f\t| %.2f\t| %.2f\t| %.2f\t| %.2f\t| %.0f\t| %.0f\t| %s\t|\n", r.name,
			median(r.rates), median(r.peers), median(r.ratios), slices.Min(r.ratios), slices.Max(r.ratios), r.target, median(r.cpu), median(r.peerCPU), r.peer)
	}
	return tab.Flush()
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
