package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"stoa/bench/measure"
)

// side is who does a work: stoa, or a peer of it.
type side struct {
	name   string
	url    string  // without what the script of the work sets
	script string  // of wrk, in Lua; empty: GET url
	pids   []int   // whose processor time counts, with that of their children
	wanted float64 // of this side's rate for stoa, at least; 0: nothing

	samples []sample // one a round
}

// sample is what one round of one side gave.
type sample struct {
	rate   float64 // per second
	cpu    float64 // microseconds a call, in all processes
	own    float64 // of these, in the first process itself: without the workers of nginx, and Node.js below stoa
	failed float64 // connections that broke, and answers other than 2xx

	p50, p90, p99, p999, longest float64 // milliseconds
}

// time fills in how long calls took, which is sorted. There is at least one.
func (m *sample) time(took []time.Duration) {
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[min(int(share*float64(len(took))), len(took)-1)].Microseconds()) / 1000
	}
	m.p50, m.p90, m.p99, m.p999, m.longest = at(0.5), at(0.9), at(0.99), at(0.999), at(1)
}

// work is what all its sides do alike. The first is stoa's, or what stoa's is compared
// with itself in.
type work struct {
	name        string
	connections int // 0: as the command line says
	sides       []*side
	// load has n connections do the work with a side for d.
	load func(ctx context.Context, s *side, n int, d time.Duration, dir string) (sample, error)
}

// run measures the sides in turns, so that what else the machine does meets all, after a
// short round that nobody counts.
func (w *work) run(ctx context.Context, o options, dir string) error {
	n := w.connections
	if n == 0 {
		n = o.connections
	}
	for round := range o.rounds + 1 {
		d := o.round
		if round == 0 {
			d = max(o.round/2, time.Second)
		}
		for _, s := range w.sides {
			got, err := w.load(ctx, s, n, d, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round > 0 {
				s.samples = append(s.samples, got)
			}
		}
	}
	return nil
}

// report has wrk print what calls took, in microseconds, and what failed.
const report = `
done = function(summary, latency)
	local e = summary.errors
	io.write(string.format("calls=%d us=%d failed=%d p50=%d p90=%d p99=%d p999=%d longest=%d\n", summary.requests,
		summary.duration, e.connect + e.read + e.write + e.timeout + e.status, latency:percentile(50),
		latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.max))
end`

var reported = regexp.MustCompile(`(?m)^calls=.*$`)

// loadHTTP has wrk call a side from one thread, so that it takes little of the processors.
func loadHTTP(ctx context.Context, s *side, n int, d time.Duration, dir string) (sample, error) {
	return loadFrom(ctx, 1, s, n, d, dir)
}

// loadLarge is loadHTTP from two threads. One cannot read as fast as stoa moves large answers, which leaves them in
// no processor's cache: on two processors, a quarter of the time was idle.
func loadLarge(ctx context.Context, s *side, n int, d time.Duration, dir string) (sample, error) {
	return loadFrom(ctx, 2, s, n, d, dir)
}

func loadFrom(ctx context.Context, threads int, s *side, n int, d time.Duration, dir string) (sample, error) {
	// wrk takes whole seconds.
	seconds := max(1, int(d.Round(time.Second)/time.Second))
	file := filepath.Join(dir, "wrk.lua")
	if err := os.WriteFile(file, []byte(s.script+report), 0o600); err != nil {
		return sample{}, err
	}
	args := []string{
		"-t" + strconv.Itoa(threads), "-c" + strconv.Itoa(max(threads, n)), "-d" + strconv.Itoa(seconds) + "s",
		"-s", file, s.url,
	}
	before := s.used()
	out, err := exec.CommandContext(ctx, "wrk", args...).CombinedOutput() //nolint:gosec // our own words
	all, own := s.used().since(before)
	if err != nil {
		return sample{}, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	values := make(map[string]float64)
	for field := range strings.FieldsSeq(string(reported.Find(out))) {
		name, value, _ := strings.Cut(field, "=")
		values[name], _ = strconv.ParseFloat(value, 64) // as report writes them
	}
	if values["calls"] <= values["failed"] {
		return sample{}, fmt.Errorf("no call succeeded:\n%s", out)
	}
	const inMs = 1000
	return sample{
		rate: values["calls"] / (values["us"] / 1e6), cpu: all / values["calls"], own: own / values["calls"],
		failed: values["failed"],
		p50:    values["p50"] / inMs, p90: values["p90"] / inMs, p99: values["p99"] / inMs, p999: values["p999"] / inMs,
		longest: values["longest"] / inMs,
	}, nil
}

// median is the median of what value returns for each round.
func (s *side) median(value func(sample) float64) float64 {
	all := make([]float64, len(s.samples))
	for i, one := range s.samples {
		all[i] = value(one)
	}
	return measure.Median(all)
}

// ratios are what stoa's value, first's, is of that of s: one a round, in the order of their size.
func (s *side) ratios(first *side, of func(sample) float64) []float64 {
	all := make([]float64, len(s.samples))
	for i := range s.samples {
		all[i] = of(first.samples[i]) / max(of(s.samples[i]), 1)
	}
	slices.Sort(all)
	return all
}

// processorTime is in microseconds.
type processorTime struct{ all, own float64 }

func (s *side) used() (t processorTime) {
	for i, pid := range s.pids {
		if i == 0 {
			t.own = float64(measure.CPUOf(pid).Microseconds())
		}
		t.all += float64(measure.TreeCPUOf(pid).Microseconds())
	}
	return t
}

func (t processorTime) since(before processorTime) (all, own float64) {
	return t.all - before.all, t.own - before.own
}

// show prints the table of a work.
func (w *work) show() error {
	fmt.Printf("\n%s\n\n", w.name)
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tab,
		"| side\t| calls/s\t| stoa's ratio\t| wanted\t| CPU µs a call\t| its own\t| stoa's ratio\t"+
			"| p50 ms\t| p90\t| p99\t| p99.9\t| longest\t| failed\t|")
	fmt.Fprintln(tab, strings.Repeat("|---\t", 13)+"|")
	rate, cpu := func(m sample) float64 { return m.rate }, func(m sample) float64 { return m.cpu }
	for _, s := range w.sides {
		rates, cpus := s.ratios(w.sides[0], rate), s.ratios(w.sides[0], cpu)
		last := len(rates) - 1
		wanted := ""
		if s.wanted > 0 {
			wanted = fmt.Sprintf("%.2f", s.wanted)
		}
		fmt.Fprintf(tab,
			"| %s\t| %.0f\t| %.2f, %.2f to %.2f\t| %s\t| %.1f\t| %.1f\t| %.2f, %.2f to %.2f\t"+
				"| %.2f\t| %.2f\t| %.2f\t| %.2f\t| %.1f\t| %.0f\t|\n",
			s.name, s.median(rate), measure.Median(rates), rates[0], rates[last], wanted,
			s.median(cpu), s.median(func(m sample) float64 { return m.own }),
			measure.Median(cpus), cpus[0], cpus[last], s.median(func(m sample) float64 { return m.p50 }),
			s.median(func(m sample) float64 { return m.p90 }), s.median(func(m sample) float64 { return m.p99 }),
			s.median(func(m sample) float64 { return m.p999 }), s.median(func(m sample) float64 { return m.longest }),
			s.median(func(m sample) float64 { return m.failed }))
	}
	return tab.Flush()
}
