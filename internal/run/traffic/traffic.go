// Package traffic counts the calls to plugins: for each plugin since the process began, and
// for plugins and installations as points over the last hour and the last day.
//
// Everything is in this process's memory, which is bounded: another replica has counts of
// its own, and a restart begins from zero. The package does not know what a call is
// (package gateway), who reads the counts (packages ops and api/extension) or which
// plugins exist.
package traffic

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxPlugins is how many plugins are counted apart. A name of a client's never gets
	// here, only those of packages that were installed.
	maxPlugins = 1000
	// maxInstallations is how many installations are counted apart. Each takes up to
	// 14 KiB, as does each plugin.
	maxInstallations = 1000
)

// Others is in the place of a slug for plugins beyond the first thousand that were
// called. It is no valid slug.
const Others = "_others"

// Call is what is counted of a call that has ended.
type Call struct {
	At      time.Time // when it ended
	Outcome Outcome
	Status  int // of the answer; 0 if the client got none

	// Platform is how long stoa itself took until it handed the call to the plugin,
	// without waiting for the client's body.
	Platform time.Duration
	// Plugin is how long the plugin took until its answer began.
	Plugin  time.Duration
	Reached bool // the call was handed to the plugin
}

// Book holds the counts of one process. NewBook makes one. It is safe for concurrent use.
type Book struct {
	// Since is when the counts began from zero.
	Since time.Time

	nobody *series // calls that named no plugin that can be called
	others *series

	mu      sync.Mutex
	plugins map[string]*series
	places  map[string]*place // by installation id
	tidied  int64             // the minute in which places were last freed
}

// place is where the calls of an installation are counted.
type place struct {
	*series

	slug string
	gone atomic.Bool // another installation has it now
}

// NewBook returns an empty Book.
func NewBook() *Book {
	return &Book{
		Since: time.Now(), nobody: newSeries(), others: newSeries(),
		plugins: make(map[string]*series), places: make(map[string]*place),
	}
}

// Installation counts the calls of an installation of a plugin. It is made once and
// used for many calls, and is safe for concurrent use.
type Installation struct {
	book     *Book
	slug, id string
	plugin   *series
	own      atomic.Pointer[place]
	asked    atomic.Int64 // the minute in which there was no place
}

// Installation returns what counts the calls of an installation. slug is that of an
// installed package.
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

// Refuse counts a call that reached no installation. What the client named is not
// counted: it may be anything.
func (b *Book) Refuse(c Call) { b.nobody.add(c) }

// find returns the installation's place, or nil if it has none. It looks once a minute.
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

// tidy takes a quarter of the places, once a minute, from those installations that had
// the fewest calls in the last hour. So those with the most calls keep theirs, however
// many installations there are.
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
