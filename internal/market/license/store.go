package license

import (
	"context"
	"time"

	"stoa/internal/audit"
)

// Rows is what both selling and managing do with licences in the
// database.
type Rows interface {
	// CreateLicense inserts a licence of a product that is there, in version 1 and
	// without instances. It returns an errs.Conflict error when the id or the key is
	// taken, and an errs.UnknownKey error when the product is not there (any more).
	CreateLicense(ctx context.Context, l License) error

	// Get returns the licence with that id, or an errs.UnknownKey error.
	// Inside InTx it stays locked until the transaction ends.
	LicenseByID(ctx context.Context, id string) (License, error)

	// UpdateLicense overwrites the licence with that id, and raises its version by
	// one. Id, product, tier, key, creation, instances and churn stay. It returns an
	// errs.UnknownKey error when there is none.
	UpdateLicense(ctx context.Context, l License) error
}

// Store is the licences and their activations in the database, as for those
// who use and manage them.
type Store interface {
	Rows

	// LicenseByKey returns the licence with that key hash of the product with that
	// slug, and whether and how the given instance is activated: all at one moment. It returns
	// an errs.UnknownKey error when there is none: another product's is none. Inside
	// InTx the licence stays locked until the transaction ends, and the instances are
	// those after the lock was granted.
	LicenseByKey(ctx context.Context, slug, keyHash, instanceID string) (Usage, error)

	// UsageByKey is LicenseByKey for what is asked all day: it locks nothing, and of
	// the licence it returns only what verifying needs and shows, which are id,
	// product, type, features, payment, term, revocation, creation and the number of
	// instances. The rest is zero.
	UsageByKey(ctx context.Context, slug, keyHash, instanceID string) (Usage, error)

	// AddInstance records that an instance uses a licence, counts it, and stores the
	// state of the churn limit. Adding the same instance again changes nothing.
	AddInstance(ctx context.Context, licenseID string, a Activation, churn time.Time) error

	// Staging reports whether a domain has a seat of a licence, and how many staging
	// addresses of it are activated. Inside InTx, with the licence locked, nobody
	// changes that meanwhile.
	Staging(ctx context.Context, licenseID, domain string) (seated bool, addresses int, err error)

	// RemoveInstance takes back what AddInstance did, the churn apart, for an instance
	// and its staging addresses. It returns an errs.UnknownKey error when the licence
	// has no such instance.
	RemoveInstance(ctx context.Context, licenseID, instanceID string) error

	// ListLicenses returns one page of the licences that a query wants, the newest
	// first, and how many there are on all pages.
	ListLicenses(ctx context.Context, q Query) ([]Listed, int, error)

	// ListInstances returns one page of the instances of a licence, the longest
	// activated first, and how many there are on all pages.
	ListInstances(ctx context.Context, licenseID string, limit, offset int) ([]Activation, int, error)

	// HasRenewal reports whether a licence was renewed for that before. Inside InTx,
	// with the licence locked, nobody else renews it meanwhile.
	HasRenewal(ctx context.Context, licenseID, reference string) (bool, error)

	// AddRenewal records what a licence is renewed for. It returns an errs.Conflict
	// error when that is recorded already.
	AddRenewal(ctx context.Context, licenseID, reference string, at time.Time) error

	// Record is as in Store.
	Record(ctx context.Context, e audit.Entry) error

	// InTx is as in Store. InShortTx is InTx for few and short statements: many
	// that come at the same time may be committed together.
	InTx(ctx context.Context, fn func(Store) error) error
	InShortTx(ctx context.Context, fn func(Store) error) error
}

// Activation is an instance that uses a licence.
type Activation struct {
	InstanceID string
	// Development instances do not count against the limit. Whether one is, is
	// decided when it is activated.
	Development bool
	// StagingOf is the domain that a development instance is a staging address of.
	StagingOf string
	At        time.Time
}

// Listed is a licence with what lists say of its product.
type Listed struct {
	License     License
	ProductSlug string
	ProductName string
}

// Query says which licences are wanted. What is empty does not matter.
type Query struct {
	ID          string
	KeyHash     string
	ProductSlug string
	UserID      string
	// Status is that at the time At.
	Status Status
	At     time.Time

	Limit, Offset int
}
