package market

import (
	"sync"
	"time"
)

// knownFor is how long a slug is taken for a product's without looking. Products
// can be deleted, also by another replica; a second later that is noticed.
const knownFor = time.Second

// slugs remembers which slugs products have that are public, so that a mistyped
// licence key is refused without the database. The zero value is empty. It is safe for
// concurrent use.
//
// It must not decide more than that: for up to knownFor it may hold a product that
// is gone or withdrawn, even if another one has its slug by now. Licences are
// looked up by the slug itself.
type slugs struct {
	until sync.Map // slug → time.Time
}

func (s *slugs) remember(slug string, now time.Time) { s.until.Store(slug, now.Add(knownFor)) }

func (s *slugs) forget(slug string) { s.until.Delete(slug) }

func (s *slugs) has(slug string, now time.Time) bool {
	until, ok := s.until.Load(slug)
	return ok && now.Before(until.(time.Time))
}
