package license

import (
	"context"
	"time"

	"stoa/internal/keyring"
	"stoa/internal/market/product"
)

// Products is what licenses need of the catalog; Service is one.
type Products interface {
	// Get returns the product with that slug, published or not, or an errs.UnknownKey error.
	Get(ctx context.Context, slug string) (product.Product, error)

	// CheckPublic returns an errs.UnknownKey error for a product that is neither published nor was
	// ever sold. It may answer from memory, for up to a second.
	CheckPublic(ctx context.Context, slug string) error
}

// Users knows the accounts that licenses belong to.
type Users interface {
	// Email returns the e-mail address of a user's account, which nobody verified. It returns an
	// errs.UnknownKey error for an unknown user.
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

	// PublicURL is the issuer that leases name.
	PublicURL string
	// LeaseKeys, of KeyPurpose, sign leases, which last as Leases says.
	LeaseKeys *keyring.Ring
	Leases    LeaseTerms

	// DevInstances need no seat, Churn limits how often seats change hands. Both may be zero.
	DevInstances DevInstances
	Churn        ChurnLimit
}
