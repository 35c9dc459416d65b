// Package admin serves the console of administrators: settings, users, the audit log,
// licenses, orders, reviews, and the catalog with its products and pictures. Its
// rules are those of packages site, account, audit and market.
package admin

import (
	"log/slog"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/impersonate"
	"stoa/internal/account/invite"
	"stoa/internal/account/leave"
	"stoa/internal/account/staff"
	"stoa/internal/account/takeout"
	"stoa/internal/message/template"
	"stoa/internal/operate/figures"
	"stoa/internal/operate/lookup"
	"stoa/internal/operate/overview"
	"stoa/internal/operate/signin"
	"stoa/internal/operate/system"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
	"stoa/internal/shop/site"
	"stoa/internal/trust/audit"
)

// Handlers serve the routes of administrators. All fields are required.
type Handlers struct {
	Log *slog.Logger
	Now func() time.Time
	// Count counts what happened to orders, by outcome (ops.Metrics).
	Count func(what, outcome string)

	Accounts    *account.Service
	Staff       *staff.Service
	Leaving     *leave.Service
	Takeout     *takeout.Service
	Keys        *apikey.Keys
	StandIns    *impersonate.Service
	Audit       *audit.Log
	Catalog     *catalog.Service
	Licenses    *license.Service
	Orders      *order.Service
	Discounts   *discount.Service
	Templates   *template.Service
	Reviews     *review.Service
	Releases    *release.Service
	Site        *site.Service
	SignIn      *signin.Service
	System      *system.Service
	Overview    *overview.Service
	Figures     *figures.Service
	Lookup      *lookup.Service
	Invitations *invite.Service
}
