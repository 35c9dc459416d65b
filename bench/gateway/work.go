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
	url    string // without what the script of the work sets
	script string // of wrk, in Lua; empty: GET url
	pid    int    // whose processor time counts, with that of its children

	rates, cpu, p99 []float64 // one a round: per second, microseconds a call, milliseconds
}

// work is what all its sides do alike. The first is stoa's, or what stoa's is compared
// with itself in.
type work struct {
	name  string
	sides []*side
}

// run measures the sides in turns, so that what else the machine does meets all, after a
// short round that nobody counts.
func (w *work) run(ctx context.Context, o options, dir string) error {
	for round := range o.rounds + 1 {
		d := o.round
		if round == 0 {
			d = max(o.round/2, time.Second)
		}
		for _, s := range w.sides {
			rate, cpu, p99, err := s.load(ctx, o, d, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round > 0 {
				s.rates, s.cpu, s.p99 = append(s.rates, rate), append(s.cpu, cpu), append(s.p99, p99)
			}
		}
	}
	return nil
}

var (
	ratePattern  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	countPattern = regexp.MustCompile(`(\d+) requests in `)
	p99Pattern   = regexp.MustCompile(`99%\s+([0-9.]+)(us|ms|s)\b`)
)

// load has wrk call a side for d.
func (s *side) load(ctx context.Context, o options, d time.Duration, dir string) (rate, cpu, p99 float64, err error) {
	// wrk takes whole seconds.
	seconds := max(1, int(d.Round(time.Second)/time.Second))
	args := []string{"-t1", "-c" + strconv.Itoa(o.connections), "-d" + strconv.Itoa(seconds) + "s", "--latency"}
	if s.script != "" {
		file := filepath.Join(dir, "wrk.lua")
		if err := os.WriteFile(file, []byte(s.script), 0o600); err != nil {
			return 0, 0, 0, err
		}
		args = append(args, "-s", file)
	}
	used := cpuOf(s.pid)
	out, err := exec.CommandContext(ctx, "wrk", append(args, s.url)...).CombinedOutput() //nolint:gosec // our own words
	used = cpuOf(s.pid) - used
	if err != nil {
		return 0, 0, 0, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	text := string(out)
	if strings.Contains(text, "Non-2xx") || strings.Contains(text, "Socket errors") {
		return 0, 0, 0, fmt.Errorf("answers failed:\n%s", out)
	}
	rate, count := number(ratePattern, text), number(countPattern, text)
	p99 = number(p99Pattern, text)
	switch m := p99Pattern.FindStringSubmatch(text); {
	case m == nil:
	case m[2] == "us":
		p99 /= 1000
	case m[2] == "s":
		p99 *= 1000
	}
	return rate, float64(used.Microseconds()) / max(count, 1), p99, nil
}

func number(pattern *regexp.Regexp, text string) float64 {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // as the pattern says
	return n
}

// cpuOf is the processor time of a process and its children: nginx has workers.
func cpuOf(pid int) time.Duration {
	used := measure.CPUOf(pid)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return used
	}
	for child := range strings.FieldsSeq(string(children)) {
		if n, err := strconv.Atoi(child); err == nil {
			used += measure.CPUOf(n)
		}
	}
	return used
}

// show prints the table of a work.
func (w *work) show() error {
	fmt.Printf("\n%s\n\n", w.name)
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tab, "| side\t| calls/s\t| lowest\t| highest\t| stoa's ratio\t| CPU µs a call\t| p99 ms\t|")
	fmt.Fprintln(tab, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	first := w.sides[0]
	for _, s := range w.sides {
		ratios := make([]float64, len(s.rates))
		for i := range s.rates {
			ratios[i] = first.rates[i] / max(s.rates[i], 1)
		}
		fmt.Fprintf(tab, "| %s\t| %.0f\t| %.0f\t| %.0f\t| %.2f\t| %.1f\t| %.2f\t|\n", s.name,
			measure.Median(s.rates), slices.Min(s.rates), slices.Max(s.rates), measure.Median(ratios),
			measure.Median(s.cpu), measure.Median(s.p99))
	}
	return tab.Flush()
}
