package order

import (
	"context"
	"time"

	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Products is what orders need of the catalog. *catalog.Service implements it.
type Products interface {
	// Get returns the product with that slug, published or not, or product.ErrNotFound.
	Get(ctx context.Context, slug string) (product.Product, error)
}

// Users are the accounts that orders are of.
type Users interface {
	license.Users

	// Language returns the language that a user chose; empty for none. It returns an errs.NotFound error for an unknown
	// user.
	Language(ctx context.Context, userID string) (string, error)
}

// Renewer renews the licenses of subscriptions, and finds those for which something is ordered. *license.Service
// implements it.
type Renewer interface {
	// Renew adds the periods of a renewal to a license, once per reference, unless match refuses the
	// license's version. A nil match accepts every version.
	Renew(ctx context.Context, licenseID string, r license.Renewal, match license.Match) (license.Listed, error)

	// GetByKey returns the license with that key, as its holder wrote it, of any product, or license.ErrNotFound.
	GetByKey(ctx context.Context, key string) (license.Listed, error)

	// TrialHost returns the host of an instance on which a product can be tried once; empty for one that does not count.
	TrialHost(instanceID string) string

	// GetOwn returns a license of the user in ctx, or license.ErrNotFound.
	GetOwn(ctx context.Context, id string) (license.Owned, error)

	// StopRenewal ends the leeway of a license, because its provider does not renew it. It reports whether
	// that changed anything.
	StopRenewal(ctx context.Context, licenseID string, why license.Unrenewed) (bool, error)
}

// Outbox sends mails that must not be lost. *mail.Outbox implements it.
type Outbox interface {
	// Seal returns a message for the database, where Trials.AddMail puts it.
	Seal(m mail.Message) (mail.Sealed, error)
	// Wake starts sending what is due.
	Wake()
}

// Poster sends mail in the background, without a guarantee. *mail.Queue implements it.
type Poster interface {
	// Post composes a message and sends it in the background. It returns at once. The context passed
	// to compose outlives the request's.
	Post(ctx context.Context, compose mail.Compose)
}

// Service applies the rules of orders: purchases, what happens to their payments, and claims of orders
// that were placed without an account. All fields are required unless they say otherwise. It is safe
// for concurrent use.
type Service struct {
	Store     Store
	Claims    ClaimStore
	Products  Products
	Licenses  Renewer
	Users     Users
	Payments  payment.Provider
	Discounts Discounts
	Vault     *license.Vault
	Now       func() time.Time

	// RenewalLeeway is how long a license whose subscription runs goes on after a paid period.
	RenewalLeeway time.Duration

	// Courier mails the receipts. It is nil if another process does.
	Courier *Courier
	// Outbox mails what becomes of trials, and what buyers take back. Nil: nobody is told.
	Outbox Outbox
	// Poster mails the links that claim orders. They begin with PublicURL.
	Poster    Poster
	PublicURL string
	// Administrators are mailed what they have to look at. Nil: nobody.
	Administrators Administrators

	// Demo marks what this service sells as made up: nobody gets a receipt, subscribers hear nothing of
	// it, and the audit log does not say that somebody did it.
	Demo bool
}
