// Package shop serves the marketplace to buyers and to the apps that are sold there: products, reviews,
// purchases, licenses and their signed verification, orders, and the webhooks of payment providers. Its
// rules are those of the packages below internal/shop.
package shop

import (
	"log/slog"
	"time"

	"stoa/internal/account"
	"stoa/internal/api/limit"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
	"stoa/internal/shop/site"
	"stoa/internal/trust/keyring"
)

// Handlers serve the marketplace. All exported fields are required.
type Handlers struct {
	Log *slog.Logger
	Now func() time.Time
	// Count counts events by outcome (ops.Metrics).
	Count func(what, outcome string)

	Catalog   *catalog.Service
	Licenses  *license.Service
	Orders    *order.Service
	Reviews   *review.Service
	Releases  *release.Service
	Media     Media
	Site      *site.Service
	Accounts  *account.Service
	Discounts *discount.Service
	// Limits count requests with a discount code.
	Limits limit.Counter
	// Keys sign the answers that apps rely on.
	Keys *keyring.Ring

	forged forgeries
}
