package node

import (
	"sync"
	"sync/atomic"
)

// Processes returns how many processes of plugins there are, for metrics.
func (rt *Runtime) Processes() int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	count, shared := 0, make(map[*sharedProcess]bool)
	for p := range rt.processes {
		if p.shared == nil {
			count++
		} else {
			shared[p.shared] = true
		}
	}
	return count + len(shared)
}

// lostLines counts, for each package, the lines that its plugins printed and the log did not
// take. The zero value is empty. It is safe for concurrent use.
type lostLines struct {
	mu  sync.Mutex
	all map[string]*atomic.Int64
}

// of returns what counts for a package.
func (l *lostLines) of(slug string) *atomic.Int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[slug] == nil {
		if l.all == nil {
			l.all = make(map[string]*atomic.Int64)
		}
		l.all[slug] = new(atomic.Int64)
	}
	return l.all[slug]
}

// DroppedLines returns how many lines of each package were dropped, because it printed too much,
// for metrics.
func (rt *Runtime) DroppedLines() map[string]int64 {
	rt.lost.mu.Lock()
	defer rt.lost.mu.Unlock()
	all := make(map[string]int64, len(rt.lost.all))
	for slug, lost := range rt.lost.all {
		all[slug] = lost.Load()
	}
	return all
}
