// Package storetest is the conformance suite of package store. Every engine must
// pass all of it; a rule that a domain's Store interface states in words is
// stated here in code.
package storetest

import (
	"testing"
	"time"

	"stoa/internal/database"
)

// T0 is an arbitrary moment, at the precision the database keeps.
var T0 = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// Open returns an empty, migrated database that is closed when the test ends.
type Open func(testing.TB) *database.DB

// Run runs the suite, one sub-test a domain.
func Run(t *testing.T, open Open) {
	t.Run("Migrate", func(t *testing.T) { t.Parallel(); testMigrate(t, open) })
	t.Run("Settings", func(t *testing.T) { t.Parallel(); testSettings(t, open) })
	t.Run("Account", func(t *testing.T) { t.Parallel(); testAccount(t, open) })
	t.Run("Keyring", func(t *testing.T) { t.Parallel(); testKeyring(t, open) })
	t.Run("Catalogue", func(t *testing.T) { t.Parallel(); testCatalogue(t, open) })
	t.Run("Sales", func(t *testing.T) { t.Parallel(); testSales(t, open) })
	t.Run("Licenses", func(t *testing.T) { t.Parallel(); testLicenses(t, open) })
	t.Run("Orders", func(t *testing.T) { t.Parallel(); testOrders(t, open) })
	t.Run("Reviews", func(t *testing.T) { t.Parallel(); testReviews(t, open) })
	t.Run("Outbox", func(t *testing.T) { t.Parallel(); testOutbox(t, open) })
	t.Run("Plugin", func(t *testing.T) { t.Parallel(); testPlugin(t, open) })
	t.Run("Idempotency", func(t *testing.T) { t.Parallel(); testIdempotency(t, open) })
	t.Run("Audit", func(t *testing.T) { t.Parallel(); testAudit(t, open) })
}
