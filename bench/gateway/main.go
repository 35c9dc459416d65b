// Command gateway measures calls to plugins through stoa against bare proxies that do
// none of its work, in one run and on one machine (bench/README.md): a tuned
// httputil.ReverseProxy, Caddy and nginx, and for internal plugins the same Fastify
// without stoa. Absolute figures say more about the machine than about stoa.
//
// It starts everything itself, in a temporary folder and on loopback, and ends what it
// started. wrk generates the load.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"stoa/bench/measure"
)

// options are what the command line says.
type options struct {
	stoa, ops, only string
	before, sides   string
	postgres        string
	rounds          int
	round           time.Duration
	connections     int
}

func main() {
	var o options
	serve := flag.String("serve", "", "be one of the servers: upstream, or proxy=URL (the program starts itself so)")
	flag.StringVar(&o.stoa, "stoa", "bin/stoa", "the program to measure")
	flag.StringVar(&o.before, "before", "", "another build of stoa, to compare with in the same rounds")
	flag.StringVar(&o.sides, "sides", "", "measure only these peers, such as ReverseProxy,nginx; empty: all")
	flag.StringVar(&o.ops, "ops-addr", "off", "where stoa serves /debug/pprof")
	flag.StringVar(&o.postgres, "postgres", "",
		"postgres:// URL of a database for stoa, in place of SQLite; schemas are made in it, and dropped")
	flag.StringVar(&o.only, "only", "", "measure only works whose name contains this")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each side, interleaved")
	flag.DurationVar(&o.round, "round", 2*time.Second, "length of a round")
	flag.IntVar(&o.connections, "connections", 32, "connections of the load generator")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch target, isProxy := strings.CutPrefix(*serve, "proxy="); {
	case isProxy:
		err = serveProxy(ctx, target)
	case *serve == "upstream":
		err = serveUpstream(ctx)
	default:
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures all works in a folder that it removes afterwards.
func run(ctx context.Context, o options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	dir, err := os.MkdirTemp("", "stoa-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// nginx gives its workers another user.
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // nothing in it is secret
		return err
	}
	s, err := start(ctx, o, dir)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return err
	}
	fmt.Print(measure.Machine())
	for _, w := range s.works(o.sides) {
		if o.only != "" && !strings.Contains(w.name, o.only) {
			continue
		}
		if err := w.run(ctx, o, dir); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if err := w.show(); err != nil {
			return err
		}
	}
	return nil
}
