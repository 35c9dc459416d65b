package market_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"stoa/internal/app"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
)

const (
	handoffs = terms.Prefix + "handoffs"
	trials   = terms.Prefix + "trials"
)

// secret returns the n-th secret of another stoa, and its hash.
func secret(n byte) (text, hash string) {
	raw := sha256.Sum256([]byte{n})
	sum := sha256.Sum256(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:]), hex.EncodeToString(sum[:])
}

// wish is what b.example.org sends to buy a tier of mail-pack, with the first secret.
func wish(tier string, changes map[string]any) map[string]any {
	_, hash := secret(1)
	body := map[string]any{
		"productSlug": "mail-pack", "tierId": tier, "instance": "b.example.org", "platformId": "b",
		"returnUrl": "https://b.example.org/console/markets?operation=1", "secretHash": hash,
	}
	maps.Copy(body, changes)
	return body
}

// begin begins a handoff and returns its id.
func (m market) begin(tb testing.TB, tier string, changes map[string]any) string {
	tb.Helper()
	res := m.Send(tb, handoffs, wish(tier, changes))
	if res.Status != http.StatusCreated {
		tb.Fatalf("handoff = %d %s", res.Status, res.Body)
	}
	return res.Text(tb, "handoffId")
}

// order is a request to buy a tier of mail-pack for a handoff.
func order(token, tier, handoff string) testkit.Request {
	return testkit.Post(token, testkit.Products+"/mail-pack/purchase",
		map[string]any{"tierId": tier, "paymentMethod": "card", "handoffId": handoff})
}

// ordered buys a tier for a handoff and returns the order, whose answer has no key.
func (m market) ordered(tb testing.TB, tier, handoff string) testkit.Sale {
	tb.Helper()
	res := m.Do(tb, order("", tier, handoff))
	if res.Status != http.StatusOK || res.Text(tb, "licenseKey") != "" {
		tb.Fatalf("purchase = %d %s", res.Status, res.Body)
	}
	url, _ := res.Get(tb, "paymentUrl").(string)
	return testkit.Sale{OrderID: res.Text(tb, "orderId"), URL: url}
}

// claim claims with the first secret.
func (m market) claim(tb testing.TB, handoff string) testkit.Response {
	tb.Helper()
	text, _ := secret(1)
	return m.claimWith(tb, handoff, text)
}

func (m market) claimWith(tb testing.TB, handoff, text string) testkit.Response {
	tb.Helper()
	return m.Send(tb, handoffs+"/"+handoff+"/claim", map[string]any{"secret": text})
}

// state returns the state of a handoff, and when it ends.
func (m market) state(tb testing.TB, handoff string) string {
	tb.Helper()
	res := m.Fetch(tb, handoffs+"/"+handoff)
	return res.Text(tb, "state") + " until " + res.Text(tb, "expiresAt")
}

// newStripeMarket is newMarket with live payments.
func newStripeMarket(tb testing.TB, options ...testkit.Option) market {
	tb.Helper()
	a, _ := testkit.NewStripeShop(tb, append(options, testkit.AsMarket)...)
	return market{a, a.Admin(tb, "root").Access}
}

// offerTrials lets the tiers once and monthly of mail-pack be tried for 14 days.
func (m market) offerTrials(tb testing.TB) {
	tb.Helper()
	_, err := m.Catalog.ImportBytes(tb.Context(), fmt.Appendf(nil, `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack,
		category: c, shortDescription: s, description: d, icon: /i.svg, pricingTiers: [
		{id: free, name: Free, price: 0}, {id: once, name: Once, price: 49.90, maxInstances: 3, trialDays: 14},
		{id: monthly, name: Monthly, price: 5, billingPeriod: monthly, trialDays: 14}]}]}`))
	if err != nil {
		tb.Fatal(err)
	}
}

// try asks for a trial of the tier once.
func try(host, email string) testkit.Request {
	return testkit.Post("", trials, map[string]any{
		"productSlug": "mail-pack", "tierId": "once", "instance": host, "email": email,
	})
}

// tried starts a trial and returns its key.
func (m market) tried(tb testing.TB, host, email string) string {
	tb.Helper()
	res := m.Do(tb, try(host, email))
	if res.Status != http.StatusCreated {
		tb.Fatalf("trial = %d %s", res.Status, res.Body)
	}
	return res.Text(tb, "licenseKey")
}

// paysLater is the event of a page that was left with a payment that takes days.
func paysLater(s testkit.Sale) []byte {
	return s.Session("evt_later_", "checkout.session.completed", "unpaid")
}

// eachReplicas runs test on each engine, with two processes of one market and a connection to its database.
func eachReplicas(t *testing.T, test func(t *testing.T, a, b market, db *sql.DB)) {
	t.Helper()
	for driver, url := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "pgx": dbtest.Postgres} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()

			at, dir := url(t), t.TempDir()
			shared := func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL, cfg.DataDir = at, dir }
			a := newMarket(t, shared)
			b := market{testkit.New(t, shared, func(_ testing.TB, cfg *app.Config) {
				cfg.Market, cfg.PublicURL = true, a.URL
			}), a.admin}
			if driver == "sqlite" {
				at = "file:" + at + "?_pragma=busy_timeout(300000)"
			}
			db, err := sql.Open(driver, at)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			test(t, a, b, db)
		})
	}
}
