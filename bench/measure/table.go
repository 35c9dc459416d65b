package measure

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Row is one line of the table: a piece of stoa's work beside its peer's.
type Row struct {
	Name, Peer string
	Target     float64
	Ours       func(ctx context.Context, d time.Duration) (int, error) // how often it was done in d
	Theirs     func(ctx context.Context, d time.Duration) (int, error)

	// PIDs are the processes of both sides, whose processor time is counted.
	PIDs [2]int

	rates, peers, ratios []float64 // one of each a round; rates are per second
	cpu, peerCPU         []float64 // microseconds a piece
}

// Run measures both sides in turns, so that what else the machine does meets
// both, after a short round that nobody counts.
func (r *Row) Run(ctx context.Context, rounds int, round time.Duration) error {
	for i := range rounds + 1 {
		d := round
		if i == 0 {
			d /= 4
		}
		var rates, cpu [2]float64
		for side, do := range []func(context.Context, time.Duration) (int, error){r.Ours, r.Theirs} {
			begin, used := time.Now(), CPUOf(r.PIDs[side])
			n, err := do(ctx, d)
			if err != nil {
				return err
			}
			rates[side] = float64(n) / time.Since(begin).Seconds()
			cpu[side] = float64((CPUOf(r.PIDs[side]) - used).Microseconds()) / float64(max(n, 1))
		}
		if i > 0 {
			r.rates, r.peers = append(r.rates, rates[0]), append(r.peers, rates[1])
			r.ratios = append(r.ratios, rates[0]/rates[1])
			r.cpu, r.peerCPU = append(r.cpu, cpu[0]), append(r.peerCPU, cpu[1])
		}
	}
	return nil
}

// Machine is a line about where figures are from, and what else the machine had to do.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d processors, %s; shared by stoa, its peers and the load; load average before: %s\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), loadBefore)
}

// loadBefore is how many threads wanted to run in the 1, 5 and 15 minutes before this program began.
var loadBefore = loadAverage()

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg") // only Linux has it
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], " ")
}

// Show prints the table of the rows that were run, if there are any.
func Show(rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Println(Machine())
	tab := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tab,
		"| work\t| stoa/s\t| peer/s\t| ratio\t| lowest\t| highest\t| target\t| stoa CPU µs\t| peer CPU µs\t| peer\t|")
	fmt.Fprintln(tab, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, r := range rows {
		if len(r.ratios) == 0 {
			continue
		}
		fmt.Fprintf(tab, "| %s\t| %.0f\t| %.0f\t| %.2f\t| %.2f\t| %.2f\t| %.2f\t| %.0f\t| %.0f\t| %s\t|\n", r.Name,
			Median(r.rates), Median(r.peers), Median(r.ratios), slices.Min(r.ratios), slices.Max(r.ratios), r.Target,
			Median(r.cpu), Median(r.peerCPU), r.Peer)
	}
	return tab.Flush()
}

// Median returns the median of a list.
func Median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
