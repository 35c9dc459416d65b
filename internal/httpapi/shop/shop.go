// Package shop serves the marketplace to buyers and to the apps that are sold
// there: products, reviews, purchases, licenses and their signed verification,
// orders, and what payment providers send. Its rules are those of package market.
package shop

import (
	"log/slog"
	"time"

	"stoa/internal/keyring"
	"stoa/internal/market"
)

// Handlers serve the marketplace. All exported fields are required.
type Handlers struct {
	Log *slog.Logger
	Now func() time.Time

	Catalog  *market.CatalogService
	Licenses *market.LicenseService
	Orders   *market.OrderService
	Reviews  *market.ReviewService
	Media    Media
	// Keys sign the answers that apps rely on.
	Keys *keyring.Ring

	forged forgeries
}
