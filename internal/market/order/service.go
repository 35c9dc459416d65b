package order

import (
	"context"
	"time"

	"stoa/internal/mail"
	"stoa/internal/market/license"
	"stoa/internal/market/payment"
	"stoa/internal/market/product"
)

// Products is what orders need of the catalog; Service is one.
type Products interface {
	// Get returns the product with that slug, published or not, or an errs.UnknownKey error.
	Get(ctx context.Context, slug string) (product.Product, error)
}

// Renewer renews the licenses of subscriptions; Service is one.
type Renewer interface {
	// Renew adds the periods of a renewal to a license, once for each reference, unless match
	// refuses the license's version. nil matches every version.
	Renew(ctx context.Context, licenseID string, r license.Renewal, match license.Match) (license.Listed, error)
}

// Buyers knows the accounts of users who buy.
type Buyers interface {
	// Email returns the e-mail address of a user's account, which nobody verified. It returns an
	// errs.UnknownKey error for an unknown user.
	Email(ctx context.Context, userID string) (string, error)
}

// Poster sends mail that may get lost; *mail.Queue is one.
type Poster interface {
	// Post has compose make a message, and sends it, both in the background and after the request,
	// whose ctx it does not end with. It returns at once.
	Post(ctx context.Context, compose mail.Compose)
}

// Service applies the rules of orders: purchases, what becomes of their payments, and claiming
// orders that were placed without an account. All fields are required unless they say otherwise. It
// is safe for concurrent use.
type Service struct {
	Store    Store
	Claims   ClaimStore
	Products Products
	Licenses Renewer
	Users    Buyers
	Payments payment.Provider
	Vault    *license.Vault
	Now      func() time.Time

	// Courier mails receipts. Nil: another process does.
	Courier *Courier
	// Poster mails the links with which orders are claimed; they begin with PublicURL.
	Poster Poster
	// Administrators are mailed what they have to look at. Nil: nobody.
	Administrators Administrators
	PublicURL      string
}
