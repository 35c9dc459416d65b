package traffic

import (
	"cmp"
	"slices"
	"time"
)

// Summary summarizes the calls of a period.
type Summary struct {
	Calls, Errors uint64
	// P95 is the time within which the answers to 95 % of the calls began: an estimate that is
	// off by a quarter at most, and 0 without calls.
	P95 time.Duration
}

// Point is the summary of the minute or the hour that begins at At.
type Point struct {
	At time.Time
	Summary
}

// Window is a summary of a period, and its points, oldest first. The last point is not over yet.
type Window struct {
	Summary

	Step   time.Duration
	Points []Point
}

// Report is the traffic of the last 60 minutes, and of the last 24 hours.
type Report struct{ Hour, Day Window }

// Listed is the traffic of one plugin or installation.
type Listed struct {
	Slug           string
	InstallationID string // "" for a plugin
	Hour, Day      Summary
}

// sum adds up cells.
type sum struct {
	calls, failed uint64
	times         [len(times{})]uint64
}

func (s *sum) add(c *cell) {
	s.calls += uint64(c.calls)
	s.failed += uint64(c.failed)
	for i, n := range c.times {
		s.times[i] += uint64(n)
	}
}

func (s *sum) merge(other *sum) {
	s.calls += other.calls
	s.failed += other.failed
	for i, n := range other.times {
		s.times[i] += n
	}
}

func (s *sum) summary() Summary { return Summary{Calls: s.calls, Errors: s.failed, P95: p95(&s.times)} }

// sums adds up series.
type sums struct {
	minute, hour int64 // the current ones
	byMinute     [minutes]sum
	byHour       [hours]sum
}

func newSums(now time.Time) *sums {
	minute := now.Unix() / 60
	return &sums{minute: minute, hour: minute / 60}
}

func (t *sums) add(s *series) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.byMinute {
		if at := s.byMinute[i].slot - (t.minute - minutes + 1); 0 <= at && at < minutes {
			t.byMinute[at].add(&s.byMinute[i])
		}
	}
	for i := range s.byHour {
		if at := s.byHour[i].slot - (t.hour - hours + 1); 0 <= at && at < hours {
			t.byHour[at].add(&s.byHour[i])
		}
	}
}

func (t *sums) report() Report {
	return Report{
		Hour: window(t.byMinute[:], t.minute, time.Minute), Day: window(t.byHour[:], t.hour, time.Hour),
	}
}

// window returns the Window of a list of sums, the last of which is that of slot.
func window(list []sum, slot int64, step time.Duration) Window {
	w := Window{Step: step, Points: make([]Point, len(list))}
	var all sum
	for i := range list {
		all.merge(&list[i])
		at := time.Unix((slot-int64(len(list)-1-i))*int64(step/time.Second), 0).UTC()
		w.Points[i] = Point{At: at, Summary: list[i].summary()}
	}
	w.Summary = all.summary()
	return w
}

// total returns the sums of both windows, without points.
func (t *sums) total() (hour, day Summary) {
	var h, d sum
	for i := range t.byMinute {
		h.merge(&t.byMinute[i])
	}
	for i := range t.byHour {
		d.merge(&t.byHour[i])
	}
	return h.summary(), d.summary()
}

// All returns the traffic of all plugins together.
func (b *Book) All(now time.Time) Report {
	t := newSums(now)
	for _, s := range b.pluginSeries() {
		t.add(s)
	}
	return t.report()
}

// Plugin returns the traffic of a plugin.
func (b *Book) Plugin(slug string, now time.Time) Report {
	b.mu.Lock()
	s := b.plugins[slug]
	b.mu.Unlock()
	return reportOf(s, now)
}

// InstallationOf returns the traffic of an installation. It is empty for an installation without a
// place in the book.
func (b *Book) InstallationOf(slug, id string, now time.Time) Report {
	b.mu.Lock()
	p := b.places[id]
	b.mu.Unlock()
	if p == nil || p.slug != slug {
		return reportOf(nil, now)
	}
	return reportOf(p.series, now)
}

func reportOf(s *series, now time.Time) Report {
	t := newSums(now)
	if s != nil {
		t.add(s)
	}
	return t.report()
}

// Plugins returns at most n plugins that had calls on the last day, those with the most
// errors in the last hour first.
func (b *Book) Plugins(n int, now time.Time) []Listed {
	var list []Listed
	for slug, s := range b.pluginSeries() {
		list = appendListed(list, Listed{Slug: slug}, s, now)
	}
	return worst(list, n)
}

// Installations returns at most n installations of a plugin that had calls on the last
// day, those with the most errors in the last hour first.
func (b *Book) Installations(slug string, n int, now time.Time) []Listed {
	b.mu.Lock()
	own := make(map[string]*series)
	for id, p := range b.places {
		if p.slug == slug {
			own[id] = p.series
		}
	}
	b.mu.Unlock()
	var list []Listed
	for id, s := range own {
		list = appendListed(list, Listed{Slug: slug, InstallationID: id}, s, now)
	}
	return worst(list, n)
}

func appendListed(list []Listed, x Listed, s *series, now time.Time) []Listed {
	t := newSums(now)
	t.add(s)
	if x.Hour, x.Day = t.total(); x.Day.Calls == 0 {
		return list
	}
	return append(list, x)
}

// worst returns n of the list: those with the most errors in the last hour, then on the last day,
// then those with the most calls.
func worst(list []Listed, n int) []Listed {
	slices.SortFunc(list, func(x, y Listed) int {
		return cmp.Or(
			cmp.Compare(y.Hour.Errors, x.Hour.Errors), cmp.Compare(y.Day.Errors, x.Day.Errors),
			cmp.Compare(y.Hour.Calls, x.Hour.Calls), cmp.Compare(y.Day.Calls, x.Day.Calls),
			cmp.Compare(x.Slug, y.Slug), cmp.Compare(x.InstallationID, y.InstallationID))
	})
	return list[:min(n, len(list))]
}

// pluginSeries returns the series of all plugins.
func (b *Book) pluginSeries() map[string]*series {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make(map[string]*series, len(b.plugins)+1)
	for slug, s := range b.plugins {
		list[slug] = s
	}
	list[Others] = b.others
	return list
}
