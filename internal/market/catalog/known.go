package catalog

import (
	"time"

	"stoa/internal/cache"
)

// How long a slug is taken for that of a public product without asking the database, and how many
// are remembered. Products can be deleted, by another replica too; a second later that is noticed.
const (
	knownFor = time.Second
	maxKnown = 10_000
)

// slugs remembers the slugs of public products, so that a mistyped license key is refused without
// the database. The zero value is empty. It is safe for concurrent use.
//
// It must not decide more than that: for up to knownFor it may name a product that is gone or
// withdrawn, even if another one has its slug by now. Store are looked up by the slug itself.
type slugs struct {
	until cache.Cache[string, time.Time]
}

func (s *slugs) remember(slug string, now time.Time) { s.until.Put(slug, now.Add(knownFor), maxKnown) }

func (s *slugs) forget(slug string) { s.until.Remove(slug) }

func (s *slugs) has(slug string, now time.Time) bool {
	until, ok := s.until.Get(slug)
	return ok && now.Before(until)
}
