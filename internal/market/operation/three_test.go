package operation_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/terms"
	"stoa/internal/testkit"
)

// buyFrom buys a package of mail-pack on a market, and pays for it.
func (b *buyer) buyFrom(t *testing.T, market *testkit.App, grants ...string) {
	t.Helper()
	bought := b.post(t, "purchases", object{"productSlug": "mail-pack", "tierId": "once", "grants": append([]string{}, grants...)})
	op := b.settled(t, bought)
	_, handoff, _ := strings.Cut(bought.Text(t, "data.checkoutUrl"), "handoff=")
	paid := market.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase",
		object{"tierId": "once", "paymentMethod": "card", "handoffId": handoff}))
	if paid.Status != http.StatusOK {
		t.Fatalf("%d %s", paid.Status, paid.Body)
	}
	b.Clock.Advance(2 * time.Second)
	if err := b.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if op = b.operation(t, op.Text(t, "data.operationId")); op.Text(t, "data.state") != "done" {
		t.Fatalf("%s", op.Body)
	}
}

// Three stoas: a shop buys of two markets, and one of them goes away for good. What came from it runs for ten days
// and stops; what came from the other one never notices.
func TestOneOfTwoMarketsIsAway(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	near := &pair{a: testkit.NewShop(t, acme.Trusted, testkit.AsMarket)}
	near.root = near.a.Admin(t, "root")
	near.publish(t, "mail-pack", plugin(t, acme, "letter", "1.0.0"))
	m, err := p.Markets.Add(t.Context(), near.a.URL, terms.Fingerprint(near.a.Fetch(t, terms.MetadataPath+"1.root.json").Body))
	if err != nil {
		t.Fatal(err)
	}
	near.buyer = &buyer{App: p.App, admin: p.admin, market: m.ID}
	p.buyFrom(t, p.a, "storage:read")
	near.buyFrom(t, near.a)

	p.way.mu.Lock()
	p.way.liar = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	p.way.mu.Unlock()
	const day = 24 * time.Hour
	settings := p.shown(t)
	var passed time.Duration
	for _, row := range []struct {
		after          time.Duration
		away, nearby   string
		refusesCourier bool
	}{
		{0, "valid ", "valid ", false},
		{7*day - time.Minute, "valid ", "valid ", false},
		{7 * day, "grace ", "valid ", false},
		{10*day - time.Minute, "grace ", "valid ", false},
		{10*day + time.Second, "lapsed unreachable", "valid ", true},
		{11 * day, "lapsed unreachable", "valid ", true},
	} {
		for passed < row.after { // as often as a running stoa looks
			step := min(row.after-passed, 5*time.Hour)
			passed += step
			for _, a := range []*testkit.App{p.App, p.a, near.a} {
				a.Clock.Advance(step)
			}
			if err := p.Entitlements.Tend(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		for slug, want := range map[string]string{"courier": row.away, "letter": row.nearby} {
			res := p.Do(t, testkit.Get(p.Login(t, "root").Access, "/api/v1/admin/plugins/"+slug))
			if got := res.Text(t, "data.license.state") + " " + res.Text(t, "data.license.reason"); got != want {
				t.Errorf("after %s: %s is %q, want %q", row.after, slug, got, want)
			}
			call := p.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/"+slug+"/api/x"))
			if refused := call.Status == http.StatusNotFound; refused != (row.refusesCourier && slug == "courier") {
				t.Errorf("after %s: a call of %s is answered with %d %s", row.after, slug, call.Status, call.Body)
			}
		}
	}
	if got := p.shown(t); got != settings {
		t.Errorf("the instance was\n%s\nand is\n%s", settings, got)
	}
}

// shown returns the default instance of courier without its runtime.
func (b *buyer) shown(t *testing.T) string {
	t.Helper()
	res := b.Do(t, testkit.Get(b.Login(t, "root").Access, "/api/v1/admin/plugins/courier/instances"))
	items, _ := res.Get(t, "data.items").([]any)
	one := items[0].(object)
	delete(one, "runtime")
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
