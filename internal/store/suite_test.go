// Package store_test is the conformance suite of package store, which every engine
// must pass. What a domain's Store interface promises in words is a test here.
package store_test

import (
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
)

// T0 is an arbitrary moment, at the precision the database keeps.
var T0 = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// Open returns an empty, migrated database that is closed when the test ends.
type Open func(testing.TB) *database.DB

// runSuite runs the suite, with one sub-test for each domain or part of one.
func runSuite(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"Migrate": testMigrate, "Settings": testSettings, "Account": testAccount, "Leaving": testLeaving, "Invitations": testInvitations, "Keyring": testKeyring,
		"Products": testProducts, "Licenses": testLicenses, "Orders": testOrders, "Claims": testClaims,
		"Discounts": testDiscounts, "Templates": testTemplates, "Receipts": testReceipts, "Mails": testMails, "Reviews": testReviews, "Plugin": testPlugin, "Idempotency": testIdempotency,
		"Audit": testAudit, "Themes": testThemes, "Releases": testReleases, "Market": testMarket, "Bundles": testBundles,
		"Deliveries": testDeliveries, "Webhooks": testWebhooks,
		"PluginStorage": testPluginStorage, "Site": testSite, "SignIn": testSignIn, "Overview": testOverview, "Figures": testFigures, "Lookup": testLookup,
		"Sorts": testSorts, "ShopGeneration": testShopGeneration, "Revocations": testRevocations, "Settling": testSettling, "Impersonations": testImpersonations, "Readers": testReaders, "Duties": testDuties, "Markets": testMarkets, "Entitlements": testEntitlements, "Operations": testOperations, "OperationEnds": testOperationEnds, "OperationTurns": testOperationTurns, "Origins": testOrigins, "Elsewhere": testElsewhere, "Handoffs": testHandoffs, "MasterKeys": testMasterKeys,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, open) })
	}
}

// wantKind fails the test unless err is of that kind.
func wantKind(tb testing.TB, err error, kind errs.Kind) {
	tb.Helper()
	if errs.KindOf(err) != kind {
		tb.Errorf("error = %v, want kind %q", err, kind)
	}
}

// mustBe is wantKind for an error that needs a name.
func mustBe(tb testing.TB, what string, err error, want errs.Kind) {
	tb.Helper()
	if got := errs.KindOf(err); got != want {
		tb.Errorf("%s = %v (kind %q), want kind %q", what, err, got, want)
	}
}
