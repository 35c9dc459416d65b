package node

import "sync"

// startPlaces bounds how many processes of one package start at the same time, to half of
// those that may start in all: a plugin that takes long to start, or never gets ready,
// delays its own instances and leaves the other half to others. It remembers the packages
// of which an instance starts or waits to. It is safe for concurrent use.
type startPlaces struct {
	mu sync.Mutex
	by map[string]*packagePlaces // by slug
}

type packagePlaces struct {
	taken chan struct{}
	users int // that have a place or wait for one
}

// enter waits for a place, or returns false when ending is closed first. The caller calls
// leave once.
func (s *startPlaces) enter(slug string, most int, ending <-chan struct{}) (leave func(), ok bool) {
	s.mu.Lock()
	if s.by == nil {
		s.by = make(map[string]*packagePlaces)
	}
	p := s.by[slug]
	if p == nil {
		p = &packagePlaces{taken: make(chan struct{}, most)}
		s.by[slug] = p
	}
	p.users++
	s.mu.Unlock()
	forget := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if p.users--; p.users == 0 {
			delete(s.by, slug)
		}
	}
	select {
	case p.taken <- struct{}{}:
		return func() { <-p.taken; forget() }, true
	case <-ending:
		forget()
		return nil, false
	}
}

// startTurn waits until p may start, or returns false when it is asked to end first. The
// caller calls started when p is ready or has failed.
func (p *process) startTurn() (started func(), ok bool) {
	leave, ok := p.rt.places.enter(p.in.Package.Manifest.Slug, max(1, cap(p.rt.starting)/2), p.ending)
	if !ok {
		return nil, false
	}
	select {
	case p.rt.starting <- struct{}{}:
		return func() { <-p.rt.starting; leave() }, true
	case <-p.ending:
		leave()
		return nil, false
	}
}
