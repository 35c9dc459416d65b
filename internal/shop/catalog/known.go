package catalog

import (
	"time"

	"stoa/internal/base/cache"
)

const (
	// knownFor is how long a slug counts as public without asking the database. Products can be
	// deleted, also by another replica; that is noticed a second later.
	knownFor = time.Second
	maxKnown = 10_000
)

// KnownSlugs remembers which slugs belonged to a public product a moment ago, so that a mistyped
// license key is refused without asking the database. NewKnownSlugs makes one. It is safe for
// concurrent use.
//
// Nothing else may rely on it: for up to knownFor it also knows the slug of a product that is gone or
// withdrawn, even if another product has the slug by then. Look products up by their slug instead.
type KnownSlugs struct {
	until *cache.Cache[string, time.Time]
}

// NewKnownSlugs returns a KnownSlugs that knows none.
func NewKnownSlugs() *KnownSlugs {
	return &KnownSlugs{until: cache.New[string, time.Time](maxKnown)}
}

func (k *KnownSlugs) remember(slug string, now time.Time) { k.until.Put(slug, now.Add(knownFor)) }

func (k *KnownSlugs) forget(slug string) { k.until.Remove(slug) }

func (k *KnownSlugs) has(slug string, now time.Time) bool {
	until, ok := k.until.Get(slug)
	return ok && now.Before(until)
}
