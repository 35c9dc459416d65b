// Package admin serves the console of administrators: users, the audit log,
// licenses, orders, reviews, and the catalog with its products and pictures. Its
// rules are those of packages account, audit and market.
package admin

import (
	"time"

	"stoa/internal/account"
	"stoa/internal/audit"
	"stoa/internal/market"
)

// Handlers serve the routes of administrators. All fields are required.
type Handlers struct {
	Now func() time.Time

	Accounts *account.Service
	Audit    *audit.Log
	Catalog  *market.CatalogService
	Licenses *market.LicenseService
	Orders   *market.OrderService
	Reviews  *market.ReviewService
}
