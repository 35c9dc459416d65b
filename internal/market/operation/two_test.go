package operation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// Two stoas: the buyer pays on A, and the package runs on B with the license that B claimed.
func TestAPurchaseBetweenTwoStoas(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	bought := p.post(t, "purchases", object{"productSlug": "mail-pack", "tierId": "once", "grants": []string{"storage:read"}})
	op := p.settled(t, bought)
	_, handoff, ok := strings.Cut(bought.Text(t, "data.checkoutUrl"), "/checkout/mail-pack/once?handoff=")
	if !ok || op.Text(t, "data.state") != "pending" {
		t.Fatalf("%s %s", bought.Body, op.Body)
	}
	paid := p.a.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase",
		object{"tierId": "once", "paymentMethod": "card", "handoffId": handoff}))
	if paid.Status != http.StatusOK || paid.Text(t, "licenseKey") != "" {
		t.Fatalf("%d %s", paid.Status, paid.Body)
	}
	p.Clock.Advance(2 * time.Second)
	if err := p.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	op = p.operation(t, op.Text(t, "data.operationId"))
	wantSteps(t, op, "paid", "activated", "downloaded", "verified", "installed", "running")
}

func trialOf(email string) object {
	return object{"productSlug": "mail-pack", "tierId": "once", "email": email, "grants": []string{"storage:read"}}
}

// tries has A offer its plugin courier for a trial of two weeks, and B try it.
func (p *pair) tries(t *testing.T) {
	t.Helper()
	if _, err := p.a.Catalog.ImportBytes(t.Context(), []byte(`{currency: EUR, products: [{slug: mail-pack, name: Mail Pack,
		category: c, shortDescription: s, description: d, icon: /i.svg,
		pricingTiers: [{id: once, name: Once, price: 49.90, trialDays: 14}]}]}`)); err != nil {
		t.Fatal(err)
	}
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	tried := p.settled(t, p.post(t, "trials", trialOf("ada@example.com")))
	wantSteps(t, tried, "activated", "downloaded", "verified", "installed", "running")
}

// license returns the plugin courier, with its license.
func (p *pair) license(t *testing.T) testkit.Response {
	t.Helper()
	return p.Do(t, testkit.Get(p.Login(t, "root").Access, "/api/v1/admin/plugins/courier"))
}

// Two stoas: what was tried is bought in place. The package, its instance and the key stay.
func TestATrialBetweenTwoStoas(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.tries(t)
	before, trial := p.shown(t, "courier"), p.license(t)
	if trial.Text(t, "data.license.state") != "trial" || trial.Text(t, "data.license.expiresAt") == "" {
		t.Errorf("%s", trial.Body)
	}
	want(t, p.post(t, "trials", trialOf("ada@example.com")), http.StatusConflict, "TRIAL_USED")

	p.buyFrom(t, p.a, "storage:read")
	bought := p.license(t)
	if bought.Text(t, "data.license.state") != "valid" || bought.Get(t, "data.license.expiresAt") != nil ||
		bought.Text(t, "data.license.keyTail") != trial.Text(t, "data.license.keyTail") {
		t.Errorf("%s", bought.Body)
	}
	if after := p.shown(t, "courier"); after != before {
		t.Errorf("the instance was\n%s\nand is\n%s", before, after)
	}
}

// Two stoas: a trial that nobody buys ends with its last day.
func TestATrialThatNobodyBuysEnds(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.tries(t)
	for _, row := range []struct {
		after  time.Duration
		state  string
		status int
	}{
		{14*24*time.Hour - time.Minute, "trial ", http.StatusOK},
		{time.Minute + time.Second, "lapsed trial_ended", http.StatusNotFound},
	} {
		p.Clock.Advance(row.after)
		p.a.Clock.Advance(row.after)
		if err := p.Entitlements.Tend(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		shown := p.license(t)
		if got := shown.Text(t, "data.license.state") + " " + shown.Text(t, "data.license.reason"); got != row.state {
			t.Errorf("the license is %q, want %q", got, row.state)
		}
		if call := p.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/courier/api/x")); call.Status != row.status {
			t.Errorf("a call is answered with %d %s", call.Status, call.Body)
		}
	}
}
