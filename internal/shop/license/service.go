package license

import (
	"context"
	"time"

	"stoa/internal/shop/product"
	"stoa/internal/trust/keyring"
)

// Products is what licenses need of the catalog. *catalog.Service implements it.
type Products interface {
	// Get returns the product with that slug, published or not, or product.ErrNotFound.
	Get(ctx context.Context, slug string) (product.Product, error)

	// CheckPublic returns product.ErrNotFound for a product that is neither published nor was ever
	// sold. Its answer may be cached for up to a second.
	CheckPublic(ctx context.Context, slug string) error
}

// Users is what licenses and orders need of the accounts.
type Users interface {
	// Email returns the e-mail address of a user's account, which is unverified. It returns an
	// errs.NotFound error for an unknown user.
	Email(ctx context.Context, userID string) (string, error)
}

// Service applies the rules of licenses. All fields are required unless they say otherwise.
// It is safe for concurrent use.
type Service struct {
	Store    Store
	Products Products
	Users    Users
	Vault    *Vault
	Now      func() time.Time

	// PublicURL is the issuer named in leases.
	PublicURL string
	// LeaseKeys, of KeyPurpose, sign leases. Leases says how long leases last.
	LeaseKeys *keyring.Ring
	Leases    LeaseTerms

	// DevInstances take no seat. Churn limits how often a license moves to new instances. Both may be
	// zero.
	DevInstances DevInstances
	Churn        ChurnLimit
}
