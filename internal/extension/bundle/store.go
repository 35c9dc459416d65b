package bundle

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/extension"
	"stoa/internal/trust/audit"
)

// Store is where bundles live. Package store implements it for SQLite and PostgreSQL;
// its tests hold every sentence here to it. Changes are made inside
// install.Transactions.InTurn, one at a time.
type Store interface {
	// Get returns the bundle with that slug, or an errs.NotFound error.
	Get(ctx context.Context, slug string) (Bundle, error)

	// FindArchive returns the bundle whose present version was installed from the archive
	// with that hash, or an errs.NotFound error.
	FindArchive(ctx context.Context, zipHash string) (Bundle, error)

	// List returns at most limit bundles, after the first offset, by slug; and how many
	// there are in all.
	List(ctx context.Context, limit, offset int) ([]Bundle, int, error)

	// Put adds a bundle, in place of one with the same slug.
	Put(ctx context.Context, b Bundle) error

	// Delete removes a bundle. The error is an errs.NotFound if there is none.
	Delete(ctx context.Context, slug string) error

	// Lapsed reports whether the license of a bundle has lapsed by now.
	Lapsed(ctx context.Context, slug string, now time.Time) (bool, error)

	// Others returns the slugs of the bundles other than slug whose present version has the
	// package with that kind and id, sorted.
	Others(ctx context.Context, slug string, kind extension.Kind, packageID string) ([]string, error)

	// Own notes that a bundle has installed the package with that kind and id, which its
	// present version has.
	Own(ctx context.Context, slug string, kind extension.Kind, packageID string) error

	// Publish adds events. Inside a transaction they are part of it.
	Publish(ctx context.Context, list ...event.Event) error

	// Record appends an entry to the audit log, as audit.Store does. Inside a transaction it
	// is part of it.
	Record(ctx context.Context, e audit.Entry) error
}
