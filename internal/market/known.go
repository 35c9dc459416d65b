package market

import (
	"sync"
	"time"
)

// knownFor is how long a slug is taken for a product's without looking. Products
// can be deleted, also by another replica; a second later that is noticed.
const knownFor = time.Second

// slugs remembers the ids of products by slug, so that a mistyped licence key is
// refused without the database. The zero value is empty. It is safe for
// concurrent use.
//
// It must not decide more than that: for up to knownFor it may hold the id of a
// product that is gone, even if another one has its slug by now.
type slugs struct {
	entries sync.Map // slug → knownSlug
}

type knownSlug struct {
	id    string
	until time.Time
}

func (s *slugs) remember(slug, id string, now time.Time) {
	s.entries.Store(slug, knownSlug{id: id, until: now.Add(knownFor)})
}

func (s *slugs) forget(slug string) { s.entries.Delete(slug) }

func (s *slugs) id(slug string, now time.Time) (string, bool) {
	v, ok := s.entries.Load(slug)
	if !ok {
		return "", false
	}
	k := v.(knownSlug)
	return k.id, now.Before(k.until)
}
