package entitlement

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
	"stoa/internal/trust/audit"
)

// Release is a seat that is to be given back.
type Release struct {
	ID       string
	Market   string
	Product  string
	Instance string
	Sealed   string // the key, bound to the ID

	Due         time.Time // of the next try
	Until       time.Time // of the last one
	TryingUntil time.Time // somebody is asking the market; zero if nobody is
}

// Store keeps licenses. Package store implements it.
type Store interface {
	// List returns all licenses, by kind and slug.
	List(ctx context.Context) ([]License, error)
	// Get returns the license of a package; the error has the kind NotFound if it has none. Inside InTx it
	// locks it.
	Get(ctx context.Context, kind extension.Kind, slug string) (License, error)
	// Deciding returns the license that decides about an installed plugin, its own or that of a bundle that brought it.
	// The error has the kind NotFound if there is none.
	Deciding(ctx context.Context, slug string) (License, error)
	// Create adds a license. The error has the kind Conflict if the package has one.
	Create(ctx context.Context, l License) error
	// Update changes everything but id, kind and slug.
	Update(ctx context.Context, l License) error
	// Saw makes now the LastSeen of all licenses that have an earlier one. That is no change of a license.
	Saw(ctx context.Context, now time.Time) error
	// Delete removes a license, if there is one with that id.
	Delete(ctx context.Context, id string) error
	// Stopped returns the installed plugins that the license of a package may decide about, those of its own
	// package or those that its bundle installed or upgraded, by slug: true if the one that decides about it,
	// which may be another, has lapsed on record.
	Stopped(ctx context.Context, kind extension.Kind, slug string) (map[string]bool, error)

	// Releases returns all seats that are to be given back, the oldest first. Inside InTx it locks them.
	Releases(ctx context.Context) ([]Release, error)
	// PutRelease adds one, or replaces its times.
	PutRelease(ctx context.Context, r Release) error
	// DeleteRelease removes one, if it is there.
	DeleteRelease(ctx context.Context, id string) error

	// Plugins returns the plugins. Inside InTx their changes are part of the transaction.
	Plugins() plugin.Store
	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error
	// InTx runs fn on a Store whose changes are kept if fn returns nil and undone otherwise. fn may run
	// more than once. Licenses are locked before packages.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Errors returned by Service.
var (
	ErrNotFound = errs.New(errs.NotFound, "NOT_FOUND", "This package has no license.")
	// ErrOther keeps the license of what can be restored.
	ErrOther = errs.New(errs.Conflict, "CONFLICT",
		"A package of this name was uninstalled, can be restored, and has a license of another product. "+
			"Remove it for good first.")
	// ErrRefused says in details.reason what the market signed.
	ErrRefused = errs.New(errs.Forbidden, "LICENSE_REFUSED",
		"The market does not allow to use the product with this license key. details.reason tells why.")
)
