package market

import (
	"context"
	"time"

	"stoa/internal/keyring"
)

// LicenseProducts is what licenses need of the catalog; CatalogService is one.
type LicenseProducts interface {
	// Product returns the product with that slug, published or not, or an errs.NotFound error.
	Product(ctx context.Context, slug string) (Product, error)

	// CheckPublic returns an errs.NotFound error for a product that is neither published nor was
	// ever sold. It may answer from memory, for up to a second.
	CheckPublic(ctx context.Context, slug string) error
}

// LicenseUsers knows the accounts that licenses belong to.
type LicenseUsers interface {
	// Email returns the e-mail address of a user's account, which nobody verified. It returns an
	// errs.NotFound error for an unknown user.
	Email(ctx context.Context, userID string) (string, error)
}

// LicenseService applies the rules of licenses. All fields are required unless they say otherwise.
// It is safe for concurrent use.
type LicenseService struct {
	Store    Licenses
	Products LicenseProducts
	Users    LicenseUsers
	Keys     *Keys
	Now      func() time.Time

	// PublicURL is the issuer that leases name.
	PublicURL string
	// LeaseKeys, of KeyPurpose, sign leases, which last as Leases says.
	LeaseKeys *keyring.Ring
	Leases    LeaseTerms

	// DevInstances need no seat, Churn limits how often seats change hands. Both may be zero.
	DevInstances DevInstances
	Churn        ChurnLimit
}
