package theme

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/extension"
	"stoa/internal/trust/audit"
)

// Store is where the versions of themes and the states of targets live. Package store
// implements it for SQLite and PostgreSQL; its tests hold every sentence here to it.
// An uninstalled version has a DeletedAt and stays in the database.
type Store interface {
	// Versions returns all versions of a theme, uninstalled or not, in no order.
	Versions(ctx context.Context, target Target, slug string) ([]Version, error)

	// FindPlace returns where the files of an installed version are, or an
	// errs.NotFound error. It is cheap.
	FindPlace(ctx context.Context, target Target, slug, version string) (Place, error)

	// FindKind returns the kind of the installed version with that ID, or an
	// errs.NotFound error. It is cheap.
	FindKind(ctx context.Context, id string) (extension.Kind, error)

	// FindArchive returns the version of that kind that was installed from the archive
	// with that hash, or an errs.NotFound error. An uninstalled one is not found.
	FindArchive(ctx context.Context, kind extension.Kind, zipHash string) (Version, error)

	// ListThemes returns the installed versions of the themes of one page of those that
	// match q, by kind and slug, each theme's versions next to one another; and how many
	// themes there are on all pages.
	ListThemes(ctx context.Context, q Query) ([]Version, int, error)

	// PutVersion adds a version, in place of one with the same target, slug and version.
	PutVersion(ctx context.Context, v Version) error

	// DeleteVersions marks the installed versions of a theme as uninstalled.
	DeleteVersions(ctx context.Context, target Target, slug string, at time.Time) error

	// PurgeVersions removes all versions of a theme, uninstalled or not.
	PurgeVersions(ctx context.Context, target Target, slug string) error

	// PurgeVersion removes the version with that id, if there is one.
	PurgeVersion(ctx context.Context, id string) error

	// State returns what a target shows: the zero State at first. Inside InTx it locks
	// the target until the end: other transactions that ask for its state wait.
	State(ctx context.Context, target Target) (State, error)

	// PutState sets what a target shows.
	PutState(ctx context.Context, target Target, s State) error

	// Lapsed reports whether the license that decides about a theme, its own or that of a bundle that brought it,
	// has lapsed by now.
	Lapsed(ctx context.Context, kind extension.Kind, slug string, now time.Time) (bool, error)

	// InstallPaths returns the InstallPath of every version of a kind, uninstalled or
	// not, because their files stay.
	InstallPaths(ctx context.Context, kind extension.Kind) ([]string, error)

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx it is
	// part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// Publish sends events to their subscribers. Inside InTx it is part of the transaction.
	Publish(ctx context.Context, list ...event.Event) error

	// InTx runs fn on a Store whose changes are kept if fn returns nil and undone
	// otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

// onceStore reads the versions of each theme once, for a change that looks at them several times and
// does not change them.
type onceStore struct {
	Store
	read map[string][]Version // by target and slug
}

func readOnce(st Store) Store { return &onceStore{st, make(map[string][]Version)} }

// Versions implements Store. The caller must not change the list.
func (o *onceStore) Versions(ctx context.Context, target Target, slug string) ([]Version, error) {
	key := string(target) + "/" + slug
	if versions, ok := o.read[key]; ok {
		return versions, nil
	}
	versions, err := o.Store.Versions(ctx, target, slug)
	if err == nil {
		o.read[key] = versions
	}
	return versions, err
}

// Place is where the files of a version are.
type Place struct {
	ID          string
	Kind        extension.Kind
	InstallPath string // relative to the data folder
	ZipHash     string
	Replaced    bool // see Version
}
