package traffic

import (
	"slices"
	"sync"
	"time"
)

// How far back the points go.
const (
	minutes = 60
	hours   = 24
)

// series holds the counts of one plugin or one installation.
type series struct {
	mu sync.Mutex

	byMinute, byHour []cell // oldest first, without empty ones

	total    Totals
	platform Histogram
	plugin   Histogram
}

func newSeries() *series {
	return &series{platform: newHistogram(platformBounds), plugin: newHistogram(pluginBounds)}
}

// cell counts the calls of one minute or hour.
type cell struct {
	slot   int64 // minutes or hours since 1970
	calls  uint32
	failed uint32
	times  times
}

// add counts a call.
func (s *series) add(c Call) {
	minute, took := c.At.Unix()/60, timeBucket(c.Platform+c.Plugin)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total[c.Outcome][class(c.Status)]++
	s.platform.add(c.Platform)
	if c.Reached {
		s.plugin.add(c.Plugin)
	}
	s.byMinute = current(s.byMinute, minute, minutes)
	s.byMinute[len(s.byMinute)-1].add(c.Outcome, took)
	s.byHour = current(s.byHour, minute/60, hours)
	s.byHour[len(s.byHour)-1].add(c.Outcome, took)
}

func (c *cell) add(o Outcome, took int) {
	c.calls++
	if o.Failed() {
		c.failed++
	}
	c.times[took]++
}

// current returns cells that end with that of slot, or with a later one if the clock was set back,
// without those that are too old to keep.
func current(cells []cell, slot int64, keep int) []cell {
	n := len(cells)
	if n > 0 && cells[n-1].slot >= slot {
		return cells
	}
	old := 0
	for old < n && cells[old].slot <= slot-int64(keep) {
		old++
	}
	return append(slices.Delete(cells, 0, old), cell{slot: slot})
}

// calls returns how many calls there were in the last hour.
func (s *series) calls(minute int64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var n uint64
	for _, c := range s.byMinute {
		if c.slot > minute-minutes {
			n += uint64(c.calls)
		}
	}
	return n
}

// times counts calls by the time until the answer began.
type times [32]uint32

// timeBounds are the upper bounds of the buckets of times, in seconds: half a millisecond, then
// 1.45 times the one before, up to 50 s. The last bucket also counts longer times.
var timeBounds = func() (bounds [len(times{})]float64) {
	for i, b := 0, 0.0005; i < len(bounds); i++ {
		bounds[i] = b
		b *= 1.45
	}
	return bounds
}()

func timeBucket(took time.Duration) int {
	s := took.Seconds()
	for i, bound := range timeBounds {
		if s <= bound {
			return i
		}
	}
	return len(timeBounds) - 1
}

// p95 estimates the time within which 95 % of the calls were answered, from the buckets. It is 0
// without calls.
func p95(counts *[len(times{})]uint64) time.Duration {
	var n uint64
	for _, c := range counts {
		n += c
	}
	if n == 0 {
		return 0
	}
	want, below, low := 0.95*float64(n), 0.0, 0.0
	for i, c := range counts {
		if c > 0 && below+float64(c) >= want {
			part := (want - below) / float64(c)
			return time.Duration((low + (timeBounds[i]-low)*part) * float64(time.Second))
		}
		below, low = below+float64(c), timeBounds[i]
	}
	return time.Duration(low * float64(time.Second))
}
