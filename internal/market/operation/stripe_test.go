package operation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/terms"
	"stoa/internal/testkit"
)

// The market takes money with Stripe: the package comes once the payment's webhook did, and stops within six hours of
// the one about a refund.
func TestAPurchaseThatStripeTakes(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t, acme.Trusted, testkit.AsMarket)
	seller := &pair{a: a, root: a.Admin(t, "root")}
	seller.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0"))
	b := newBuyer(t, a.URL, terms.Fingerprint(a.Fetch(t, terms.MetadataPath+"1.root.json").Body))

	bought := b.post(t, "purchases", object{"productSlug": "mail-pack", "tierId": "once", "grants": []string{}})
	id := b.settled(t, bought).Text(t, "data.operationId")
	_, handoff, _ := strings.Cut(bought.Text(t, "data.checkoutUrl"), "handoff=")
	placed := a.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase",
		object{"tierId": "once", "paymentMethod": "card", "handoffId": handoff}))
	if placed.Status != http.StatusOK || placed.Text(t, "licenseKey") != "" ||
		!strings.HasPrefix(placed.Text(t, "paymentUrl"), "https://checkout.stripe.com/") {
		t.Fatalf("%d %s", placed.Status, placed.Body)
	}
	later := func() testkit.Response {
		t.Helper()
		b.Clock.Advance(2 * time.Second)
		if err := b.Operations.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.operation(t, id)
	}
	wantSteps(t, later())
	if got := a.Fetch(t, terms.Prefix+"handoffs/"+handoff).Text(t, "state"); got != "pending" {
		t.Errorf("the handoff is %s", got)
	}
	sale := testkit.Sale{OrderID: placed.Text(t, "orderId")}
	a.MustDeliver(t, sale.Paid())
	wantSteps(t, later(), "paid", "activated", "downloaded", "verified", "installed", "running")

	a.MustDeliver(t, sale.Refunded())
	a.Clock.Advance(6 * time.Hour)
	b.Clock.Advance(6 * time.Hour)
	if err := b.Entitlements.Tend(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	shown := b.Do(t, testkit.Get(b.Login(t, "root").Access, "/api/v1/admin/plugins/courier"))
	if got := shown.Text(t, "data.license.state") + " " + shown.Text(t, "data.license.reason"); got != "lapsed revoked" {
		t.Errorf("the license is %s", got)
	}
	if res := b.Fetch(t, "/api/v1/shop/plugins/courier/api/x"); res.Status != http.StatusNotFound {
		t.Errorf("a call is answered with %d", res.Status)
	}
}
