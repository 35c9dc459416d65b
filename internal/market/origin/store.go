package origin

import (
	"context"
	"time"

	"stoa/internal/shop/release"
	"stoa/internal/trust/audit"
)

// Mark is what metadata follows from: while it is the same, there is nothing new to sign.
type Mark struct {
	// Changes is another after each change of products, releases or settings.
	Changes int64
	// Keys names the keys that sign metadata and license answers, with their stages.
	Keys string
	// Signer is the id of the current key of KeyPurpose; empty without one.
	Signer string
	// Root is the version of the current root; 0 without a market.
	Root int64
}

// Head is what is known of metadata without reading it.
type Head struct {
	Role    string // by TUF's name
	Version int64
	// Says is a digest of what it says, apart from its version and its end.
	Says      string
	KeyID     string // of the key of KeyPurpose that signed it; empty for a root
	SignedAt  time.Time
	ExpiresAt time.Time
}

// Signed is metadata.
type Signed struct {
	Head

	Content []byte // the file
}

// Offer is a release of a public product, and what is said of it.
type Offer struct {
	release.Release

	ProductSlug string
	Paid        bool
}

// State is what a market remembers.
type State struct {
	Signed string // the Mark that everything was last compared with
	// Warned is the root about whose end administrators were mailed, and when: see dueWarning.
	Warned string

	// RestoredRoot and RestoredKey are the root and the signer that a backup brought back; zero and empty if
	// none did. Until both are others, clients may trust what was signed after the backup.
	RestoredRoot int64
	RestoredKey  string
}

// Store keeps the market in the database. Package store implements it, and its tests cover every
// sentence here.
type Store interface {
	// Mark returns what metadata follows from now.
	Mark(ctx context.Context) (Mark, error)

	// Heads returns the current metadata of every role, sorted by role.
	Heads(ctx context.Context) ([]Head, error)

	// Metadata returns a version of a role, or the current one for version 0. The error is an errs.NotFound if
	// there is none, or if it was removed.
	Metadata(ctx context.Context, role string, version int64) (Signed, error)

	// Put makes metadata the current one of its role. The version before it was replaced at SignedAt.
	Put(ctx context.Context, m Signed) error

	// Target returns the content of a target that is no package, by its name and SHA-256. The error is an
	// errs.NotFound if there is none, or if it was removed.
	Target(ctx context.Context, name, hash string) ([]byte, error)

	// PutTarget makes a content the current one of a target. The one before it was replaced at the given time.
	PutTarget(ctx context.Context, name, hash string, content []byte, at time.Time) error

	// Sweep removes what was replaced before a time, but no root.
	Sweep(ctx context.Context, before time.Time) error

	// Offers returns the described releases of products that are published or were ever sold, without those that
	// were withdrawn, by product and version.
	Offers(ctx context.Context) ([]Offer, error)

	// State returns what the market remembers; the zero State if nothing.
	State(ctx context.Context) (State, error)

	// PutState replaces that.
	PutState(ctx context.Context, s State) error

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are undone otherwise. Only one
	// such transaction runs at a time across all replicas. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}
