package operation_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// product returns what is offered of a product.
func (b *buyer) product(t *testing.T, market, slug string) testkit.Response {
	t.Helper()
	return b.Do(t, testkit.Get(b.admin.Access, marketsPath+market+"/products/"+slug))
}

// One product is as the list has it, of another stoa and of this one.
func TestOneProductOfAMarket(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "bare", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	p.publish(t, "mail-pack", plugin(t, acme, "mails", "2.0.0"))
	p.settled(t, p.install(t, "bare", "", "storage:read"))
	for market, at := range map[string]*buyer{p.market: p.buyer, "self": {App: p.a, admin: p.root}} {
		list := at.Do(t, testkit.Get(at.admin.Access, marketsPath+market+"/products?limit=100"))
		items, _ := list.Get(t, "data.items").([]any)
		if len(items) < 2 {
			t.Fatalf("%s: %s", market, list.Body)
		}
		for _, item := range items { // also those that carry no package
			slug, _ := item.(object)["productSlug"].(string)
			one := at.product(t, market, slug)
			if one.Status != http.StatusOK {
				t.Fatalf("%s: %d %s", slug, one.Status, one.Body)
			}
			if diff := cmp.Diff(item, one.Get(t, "data")); diff != "" {
				t.Errorf("%s of %s (-list +one):\n%s", slug, market, diff)
			}
		}
		for _, none := range []string{"none", "No", "%2e%2e", "a%2Fb"} {
			want(t, at.product(t, market, none), http.StatusNotFound, "NOT_FOUND")
		}
	}
	want(t, p.product(t, "none", "bare"), http.StatusNotFound, "NOT_FOUND")
	want(t, p.product(t, "none", "%2e%2e"), http.StatusNotFound, "NOT_FOUND")

	p.a.BuyKey(t, "", "once")
	for _, slug := range []string{"bare", "mail-pack"} {
		if res := p.a.Do(t, testkit.Patch(p.root.Access, "/api/v1/admin/products/"+slug, `{"published":false}`)); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
	}
	for market, at := range map[string]*buyer{p.market: p.buyer, "self": {App: p.a, admin: p.root}} {
		one := at.product(t, market, "mail-pack") // who bought it gets updates
		if one.Text(t, "data.package.version") != "2.0.0" || !cmp.Equal(one.Get(t, "data.ways"), any([]any{"key"})) {
			t.Errorf("%s: not sold any more: %d %s", market, one.Status, one.Body)
		}
	}
	want(t, (&buyer{App: p.a, admin: p.root}).product(t, "self", "bare"), http.StatusNotFound, "NOT_FOUND") // never sold
	bare := p.product(t, p.market, "bare")
	if bare.Status != http.StatusOK || bare.Get(t, "data.package") != nil || bare.Text(t, "data.name") != "Bare" {
		t.Errorf("a draft again: %d %s", bare.Status, bare.Body)
	}
}

// What is not sold any more is updated, and its key replaced: it is offered with what was signed alone.
func TestAProductThatIsNotSoldAnyMore(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	const catalog = "/api/marketplace/products/tool"
	s.serve(catalog, http.StatusOK, object{"slug": "tool", "name": "The tool", "pricingTiers": []object{
		{"id": "a", "name": "One", "price": 9, "currency": "EUR", "trialDays": 14},
	}})
	sold := s.product(t, s.market, "tool")
	if !cmp.Equal(sold.Get(t, "data.ways"), any([]any{"trial", "buy", "key"})) || sold.Text(t, "data.name") != "The tool" {
		t.Errorf("sold: %s", sold.Body)
	}
	s.settled(t, s.install(t, "tool", goodKey))
	s.offer(t, true, plugin(t, acme, "tool", "1.1.0", "storage:read", "events:publish"), "1.1.0")
	for name, serve := range map[string]http.HandlerFunc{
		"gone": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error":"NOT_FOUND"}`))
		},
		"broken": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"another": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"slug":"other","name":"Other"}`))
		},
	} {
		s.m.Serve(catalog, serve)
		one := s.product(t, s.market, "tool")
		if one.Text(t, "data.package.version") != "1.1.0" || one.Text(t, "data.installed.version") != "1.0.0" || one.Text(t, "data.name") != "The tool" ||
			!cmp.Equal(one.Get(t, "data.ways"), any([]any{"key"})) || !cmp.Equal(one.Get(t, "data.tiers"), any([]any{})) {
			t.Errorf("%s: %d %s", name, one.Status, one.Body)
		}
	}
	wantSteps(t, s.settled(t, s.install(t, "tool", "")), "activated", "downloaded", "verified", "installed", "running")
	s.m.Stop()
	want(t, s.product(t, s.market, "tool"), http.StatusBadGateway, "MARKET_UNREACHABLE")
}
