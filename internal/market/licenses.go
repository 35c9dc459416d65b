package market

import (
	"context"
	"time"
)

// Licenses is the licences and their activations in the database, as for those
// who use and manage them.
type Licenses interface {
	// LicenseByKey returns the licence of that product with that key hash, how many
	// instances are activated and whether the given one is. It returns an
	// errs.NotFound error when there is none: another product's is none. Inside
	// InTx the licence stays locked until the transaction ends, and the instances
	// are those after the lock was granted.
	LicenseByKey(ctx context.Context, productID, keyHash, instanceID string) (Usage, error)

	// AddInstance records that an instance uses a licence. Adding the same instance
	// twice is not an error.
	AddInstance(ctx context.Context, licenseID, instanceID string, at time.Time) error

	// InTx is as in Catalogue.
	InTx(ctx context.Context, fn func(Licenses) error) error
}
