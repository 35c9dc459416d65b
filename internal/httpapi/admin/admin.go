// Package admin serves the console of administrators: settings, users, the audit log,
// licenses, orders, reviews, and the catalog with its products and pictures. Its
// rules are those of packages site, account, audit and market.
package admin

import (
	"log/slog"
	"time"

	"stoa/internal/account"
	"stoa/internal/audit"
	"stoa/internal/lookup"
	"stoa/internal/market/catalog"
	"stoa/internal/market/license"
	"stoa/internal/market/order"
	"stoa/internal/market/release"
	"stoa/internal/market/review"
	"stoa/internal/overview"
	"stoa/internal/site"
	"stoa/internal/system"
)

// Handlers serve the routes of administrators. All fields are required.
type Handlers struct {
	Log *slog.Logger
	Now func() time.Time
	// Count counts what happened to orders, by outcome (ops.Metrics).
	Count func(what, outcome string)

	Accounts *account.Service
	Audit    *audit.Log
	Catalog  *catalog.Service
	Licenses *license.Service
	Orders   *order.Service
	Reviews  *review.Service
	Releases *release.Service
	Site     *site.Service
	System   *system.Service
	Overview *overview.Service
	Lookup   *lookup.Service
}
