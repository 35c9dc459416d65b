// Package traffic counts the calls to plugins: in total for each plugin since the process began, and
// for plugins and installations as points over the last hour and the last day.
//
// All counts are in this process's memory, which is bounded: each replica counts its own calls, and
// a restart begins from zero. The package does not know what a call is (package gateway), who reads
// the counts (packages ops and api/extension) or which plugins exist.
package traffic

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxPlugins is how many plugins are counted separately. Only slugs of installed packages get
	// here, never names that clients made up.
	maxPlugins = 1000
	// maxInstallations is how many installations are counted separately. Each takes up to 14 KiB,
	// as does each plugin.
	maxInstallations = 1000
)

// Others takes the place of the slug for plugins beyond the first thousand that were called. It is
// not a valid slug.
const Others = "_others"

// Call describes a call that has ended.
type Call struct {
	At      time.Time // when it ended
	Outcome Outcome
	Status  int // of the answer; 0 if the client got none

	// Platform is how long stoa itself took until it handed the call to the plugin, without the
	// time spent waiting for the client's body.
	Platform time.Duration
	// Plugin is how long the plugin took until its answer began.
	Plugin  time.Duration
	Reached bool // the call was handed to the plugin
}

// Book holds the counts of one process. NewBook makes one. It is safe for concurrent use.
type Book struct {
	// Since is when the counts began from zero.
	Since time.Time

	unknown *series // calls that named no plugin that can be called
	others  *series

	mu      sync.Mutex
	plugins map[string]*series
	places  map[string]*place // by installation id
	tidied  int64             // the minute in which places were last freed
}

// place is where the calls of an installation are counted.
type place struct {
	*series

	slug string
	gone atomic.Bool // the installation lost this place
}

// NewBook returns an empty Book.
func NewBook() *Book {
	return &Book{
		Since: time.Now(), unknown: newSeries(), others: newSeries(),
		plugins: make(map[string]*series), places: make(map[string]*place),
	}
}

// Installation counts the calls of one installation. It is made once and used for many calls. It is
// safe for concurrent use.
type Installation struct {
	book     *Book
	slug, id string
	plugin   *series
	own      atomic.Pointer[place]
	asked    atomic.Int64 // the last minute in which there was no place
}

// Installation returns the counter for an installation. slug is that of an installed package.
func (b *Book) Installation(slug, id string) *Installation {
	b.mu.Lock()
	defer b.mu.Unlock()
	plugin, ok := b.plugins[slug]
	switch {
	case ok:
	case len(b.plugins) < maxPlugins:
		plugin = newSeries()
		b.plugins[slug] = plugin
	default:
		plugin = b.others
	}
	return &Installation{book: b, slug: slug, id: id, plugin: plugin}
}

// Count counts a call of the installation.
func (i *Installation) Count(c Call) {
	i.plugin.add(c)
	own := i.own.Load()
	if own == nil || own.gone.Load() {
		if own = i.find(c.At.Unix() / 60); own == nil {
			return
		}
	}
	own.add(c)
}

// Refuse counts a call that reached no installation. It is not counted by the name that the client
// sent, which may be anything.
func (b *Book) Refuse(c Call) { b.unknown.add(c) }

// find returns the installation's place, or nil if it has none. It looks for a free one once a
// minute.
func (i *Installation) find(minute int64) *place {
	if i.asked.Load() == minute {
		return nil
	}
	b := i.book
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[i.id]
	if p == nil {
		if len(b.places) >= maxInstallations {
			b.tidy(minute)
		}
		if len(b.places) >= maxInstallations {
			i.asked.Store(minute)
			return nil
		}
		p = &place{series: newSeries(), slug: i.slug}
		b.places[i.id] = p
	}
	i.own.Store(p)
	return p
}

// tidy frees a quarter of the places, at most once a minute: those of the installations with the
// fewest calls in the last hour. So the installations with the most calls keep their places, however
// many there are.
func (b *Book) tidy(minute int64) {
	if b.tidied == minute {
		return
	}
	b.tidied = minute
	type busy struct {
		id    string
		calls uint64
	}
	list := make([]busy, 0, len(b.places))
	for id, p := range b.places {
		list = append(list, busy{id, p.calls(minute)})
	}
	slices.SortFunc(list, func(x, y busy) int { return cmp.Compare(x.calls, y.calls) })
	for _, x := range list[:len(list)/4] {
		b.places[x.id].gone.Store(true)
		delete(b.places, x.id)
	}
}
