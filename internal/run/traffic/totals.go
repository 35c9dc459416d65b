package traffic

import (
	"cmp"
	"slices"
	"time"
)

// Totals counts calls by outcome and by the first digit of their status; 0 means no status.
type Totals [outcomes][6]uint64

func class(status int) int {
	if status < 100 || status >= 600 {
		return 0
	}
	return status / 100
}

// Each calls f for each count that is not 0.
func (t *Totals) Each(f func(o Outcome, class int, n uint64)) {
	for o := range t {
		for class, n := range t[o] {
			if n > 0 {
				f(Outcome(o), class, n)
			}
		}
	}
}

// Histogram counts durations since the process began.
type Histogram struct {
	Bounds []float64 // upper bounds in seconds
	Counts []uint64  // of each bucket alone; the one after the last bound counts the rest
	Sum    float64   // in seconds
}

// The bounds of the histograms of metrics, in seconds.
var (
	platformBounds = []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .1, .5, 1}
	pluginBounds   = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
)

func newHistogram(bounds []float64) Histogram {
	return Histogram{Bounds: bounds, Counts: make([]uint64, len(bounds)+1)}
}

func (h *Histogram) add(took time.Duration) {
	s := took.Seconds()
	i := 0
	for i < len(h.Bounds) && s > h.Bounds[i] {
		i++
	}
	h.Counts[i]++
	h.Sum += s
}

// Counted holds the counts of a plugin or of one installation since the process began.
type Counted struct {
	Slug           string // "" for calls that named no plugin that can be called
	InstallationID string // "" for a plugin
	Totals         Totals

	Platform, Plugin Histogram
}

// counted returns a copy of the counts since the process began.
func (s *series) counted(slug, id string) Counted {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Counted{Slug: slug, InstallationID: id, Totals: s.total, Platform: s.platform, Plugin: s.plugin}
	c.Platform.Counts, c.Plugin.Counts = slices.Clone(c.Platform.Counts), slices.Clone(c.Plugin.Counts)
	return c
}

// Totals returns the counts of each plugin.
func (b *Book) Totals() []Counted {
	list := []Counted{b.unknown.counted("", "")}
	for slug, s := range b.pluginSeries() {
		list = append(list, s.counted(slug, ""))
	}
	return list
}

// Busiest returns the counts of the n installations with the most calls. The counts of an
// installation start again from 0 if it was called too rarely to keep its place.
func (b *Book) Busiest(n int) []Counted {
	b.mu.Lock()
	places := make(map[string]*place, len(b.places))
	for id, p := range b.places {
		places[id] = p
	}
	b.mu.Unlock()
	type ranked struct {
		Counted

		calls uint64
	}
	list := make([]ranked, 0, len(places))
	for id, p := range places {
		r := ranked{Counted: p.counted(p.slug, id)}
		r.Totals.Each(func(_ Outcome, _ int, n uint64) { r.calls += n })
		list = append(list, r)
	}
	slices.SortFunc(list, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.calls, x.calls), cmp.Compare(x.InstallationID, y.InstallationID))
	})
	busiest := make([]Counted, 0, n)
	for _, r := range list[:min(n, len(list))] {
		busiest = append(busiest, r.Counted)
	}
	return busiest
}
