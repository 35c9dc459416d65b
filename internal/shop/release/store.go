package release

import (
	"context"
	"time"

	"stoa/internal/extension"
	"stoa/internal/trust/audit"
)

// Store keeps the releases in the database. Package store implements it, and package
// The tests of package store cover every sentence here.
type Store interface {
	// OfProduct returns the releases of the product with that id, in no order.
	OfProduct(ctx context.Context, productID string) ([]Release, error)

	// OfPackage returns the releases of a package, whichever product carries them, in no
	// order.
	OfPackage(ctx context.Context, kind extension.Kind, slug string) ([]Release, error)

	// Offers returns the releases of all published products, by kind and slug, without those
	// that were withdrawn.
	Offers(ctx context.Context) ([]Offer, error)

	// Create adds a release. A withdrawn one of the same product with the same version and
	// hash takes its values and is offered again. It returns an errs.Conflict error if the
	// package has that version already, and an errs.NotFound error if there is no such product.
	Create(ctx context.Context, r Release) error

	// Withdraw notes that a version of a product's package was withdrawn. The error is an
	// errs.NotFound if the product has no such version, or it was withdrawn before.
	Withdraw(ctx context.Context, productID, version string, at time.Time) error

	// Undescribed returns the releases that are not Described, without those that were withdrawn, in no order.
	Undescribed(ctx context.Context) ([]Release, error)

	// Describe sets what Described stands for. It does nothing for a release that was withdrawn, or that is no more.
	Describe(ctx context.Context, r Release) error

	// Carriers returns the slugs of all products that carry a package, withdrawn ones too, or have a role in the
	// metadata of the market, sorted.
	Carriers(ctx context.Context) ([]string, error)

	// Paths returns the Path of every release that was not withdrawn.
	Paths(ctx context.Context) ([]string, error)

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx it is
	// part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are undone
	// otherwise. Only one such transaction runs at a time across all replicas. fn may run
	// more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}
