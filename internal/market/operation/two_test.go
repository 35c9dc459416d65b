package operation_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
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
	before, trial := p.shown(t), p.license(t)
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
	if after := p.shown(t); after != before {
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

// What somebody uploads while a package of the same name is bought is theirs: the license neither stops it nor is lost
// with it.
func TestAnUploadUnderTheNameOfWhatIsBought(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	bought := p.post(t, "purchases", object{"productSlug": "mail-pack", "tierId": "once", "grants": []string{}})
	op := p.settled(t, bought)
	if res := p.Install(t, p.admin.Access, "plugin", unsigned(t, "courier", "0.5.0")); res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	_, handoff, _ := strings.Cut(bought.Text(t, "data.checkoutUrl"), "handoff=")
	paid := p.a.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase",
		object{"tierId": "once", "paymentMethod": "card", "handoffId": handoff}))
	if paid.Status != http.StatusOK {
		t.Fatalf("%d %s", paid.Status, paid.Body)
	}
	p.Clock.Advance(2 * time.Second)
	if err := p.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantSteps(t, p.operation(t, op.Text(t, "data.operationId")), "paid", "CONFLICT")

	tend := func() {
		t.Helper()
		if err := p.Entitlements.Tend(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	tend()
	if shown := p.license(t); shown.Get(t, "data.license") != nil {
		t.Errorf("the upload has a license: %s", shown.Body)
	}
	if res := p.Do(t, testkit.Delete(p.Login(t, "root").Access, "/api/v1/admin/plugins/courier?purge=true")); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	tend()
	p.admin = p.Login(t, "root")
	wantSteps(t, p.settled(t, p.install(t, "mail-pack", "", "storage:read")),
		"activated", "downloaded", "verified", "installed", "running")
	tend()
	if shown := p.license(t); shown.Text(t, "data.license.state") != "valid" {
		t.Errorf("%s", shown.Body)
	}
}

// Whoever uninstalls a bundle and keeps what it brought keeps its license with it, until the last of it is gone.
func TestWhatABundleLeavesKeepsItsLicense(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publishAs(t, "mail-pack", extension.Bundle, acme.Sign(t, testkit.Bundle(t,
		testkit.BundleManifest("starter", "1.0.0", object{"kind": "plugin", "path": "courier.zip"}),
		map[string][]byte{"courier.zip": plugin(t, acme, "courier", "1.0.0")})))
	p.buyFrom(t, p.a)
	root := p.Login(t, "root").Access
	tend := func() {
		t.Helper()
		if err := p.Entitlements.Tend(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(path string) {
		t.Helper()
		if res := p.Do(t, testkit.Delete(root, path)); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		tend()
	}
	call := func(want int) {
		t.Helper()
		if res := p.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/courier/api/x")); res.Status != want {
			t.Errorf("a call is answered with %d, want %d", res.Status, want)
		}
	}
	tend()
	call(http.StatusOK)
	remove("/api/v1/admin/extensions/bundle/starter")
	call(http.StatusOK)
	if l, err := p.Entitlements.Get(t.Context(), extension.Bundle, "starter"); err != nil || !l.Live || !l.Seated {
		t.Errorf("%+v, %v", l, err)
	}
	if shown := p.license(t); shown.Text(t, "data.license.bundle") != "starter" || shown.Text(t, "data.license.state") != "valid" {
		t.Errorf("%s", shown.Body)
	}
	check := p.Do(t, testkit.Post(root, "/api/v1/admin/plugins/courier/license/check", nil))
	if check.Status != http.StatusOK || check.Text(t, "data.bundle") != "starter" {
		t.Errorf("%d %s", check.Status, check.Body)
	}
	list := p.a.Do(t, testkit.Get(p.root.Access, "/api/v1/admin/licenses"))
	items, _ := list.Get(t, "data.items").([]any)
	id, _ := items[0].(object)["id"].(string)
	if res := p.a.Do(t, testkit.Post(p.root.Access, "/api/v1/admin/licenses/"+id+"/revoke", nil)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	tend()
	call(http.StatusNotFound)
	remove("/api/v1/admin/plugins/courier?purge=true")
	if _, err := p.Entitlements.Get(t.Context(), extension.Bundle, "starter"); !errors.Is(err, entitlement.ErrNotFound) {
		t.Errorf("the license is still there: %v", err)
	}
}
