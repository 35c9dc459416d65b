package license

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/trust/audit"
)

// Rows is the access to stored licenses that selling and managing them share.
type Rows interface {
	// CreateLicense inserts a license in version 1, without activations. It returns an errs.Conflict
	// error when the id or the key is taken, and an errs.NotFound error when the product does not
	// exist (any more).
	CreateLicense(ctx context.Context, l License) error

	// LicenseByID returns the license with that id, or an errs.NotFound error. Inside InTx the license
	// stays locked until the transaction ends.
	LicenseByID(ctx context.Context, id string) (License, error)

	// UpdateLicense overwrites the license with that id and increments its version. It leaves id,
	// product, key, creation time, instance counts and churn unchanged. It returns an
	// errs.NotFound error when there is no such license.
	UpdateLicense(ctx context.Context, l License) error
}

// Store is the licenses and their activations in the database.
type Store interface {
	Rows

	// LicenseByKey returns the license with that key hash, of the product with that slug, and whether
	// and how the instance is activated. All of it is read at one moment. It returns an errs.NotFound error when
	// there is none, or when it is of another product. Inside InTx the license stays locked until the
	// transaction ends, and the activation is read after the lock was granted.
	LicenseByKey(ctx context.Context, slug, keyHash, instanceID string) (Usage, error)

	// UsageByKey is LicenseByKey for the hot path: it locks nothing, and of the license it fills only
	// what Verify needs and shows, which are id, product, type, features, payment, term, leeway, trial, revocation,
	// creation time and instance counts. The rest is zero.
	UsageByKey(ctx context.Context, slug, keyHash, instanceID string) (Usage, error)

	// AddActivation inserts an activation, counts its instance, and stores the state of the churn
	// limit. Adding the same instance again changes nothing.
	AddActivation(ctx context.Context, licenseID string, a Activation, churn time.Time) error

	// Staging reports whether a domain has a seat of a license, and how many of its staging addresses
	// are activated. Inside InTx, with the license locked, nobody can change that in between.
	Staging(ctx context.Context, licenseID, domain string) (seated bool, addresses int, err error)

	// TakeTrialHost records that a trial of a product was activated on a host. It reports false, and changes nothing,
	// if the trial of another license was. Of several at once, one takes it. Deactivating does not give it back.
	TakeTrialHost(ctx context.Context, productID, host, licenseID string, at time.Time) (bool, error)

	// RemoveActivation undoes AddActivation, except for the churn, for an instance and its staging
	// addresses. It returns an errs.NotFound error
	// when the instance is not activated.
	RemoveActivation(ctx context.Context, licenseID, instanceID string) error

	// ListLicenses returns one page of the licenses that match a query, in its order, and how many
	// there are on all pages.
	ListLicenses(ctx context.Context, q Query) ([]Listed, int, error)

	// ListActivations returns one page of the activations of a license, oldest first, and how many
	// there are on all pages.
	ListActivations(ctx context.Context, licenseID string, limit, offset int) ([]Activation, int, error)

	// HasRenewal reports whether a license was renewed with that reference before. Inside InTx, with
	// the license locked, nobody else can renew it in between.
	HasRenewal(ctx context.Context, licenseID, reference string) (bool, error)

	// AddRenewal records the reference of a renewal. It returns an errs.Conflict error when the
	// reference is recorded already.
	AddRenewal(ctx context.Context, licenseID, reference string, at time.Time) error

	// TakeEnded returns up to 100 paid licenses that are not revoked and whose term and leeway ended at
	// or before now, those that ended first at the front, and records that these ends were published. It
	// returns none of them again before their terms have other ends. Inside InTx, several callers get
	// different licenses, and the record is undone with the transaction.
	TakeEnded(ctx context.Context, now time.Time) ([]License, error)

	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// Publish sends events to their subscribers. Inside InTx it is part of the transaction.
	Publish(ctx context.Context, list ...event.Event) error

	// InTx runs fn on a Store whose calls are committed together if fn returns nil and undone
	// otherwise. fn may run more than once. InShortTx is InTx for few and short statements:
	// transactions that arrive at the same time may be committed together.
	InTx(ctx context.Context, fn func(Store) error) error
	InShortTx(ctx context.Context, fn func(Store) error) error
}
