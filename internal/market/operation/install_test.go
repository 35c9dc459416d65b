package operation_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market/entitlement"
	"stoa/internal/testkit"
)

// A free package comes from another stoa with what the administrator consented to, is upgraded, and keeps its market
// until it is uninstalled.
func TestAFreePackageIsInstalled(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		p := newPair(t, options...)
		p.publish(t, "bare", plugin(t, acme, "courier", "1.0.0", "storage:read", "events:publish"))
		want(t, p.install(t, "none", ""), http.StatusNotFound, "NOT_FOUND")
		want(t, p.install(t, "bare", "", "users:read"), http.StatusBadRequest, "VALIDATION_ERROR")
		want(t, p.post(t, "products/bare/install", object{}), http.StatusBadRequest, "VALIDATION_ERROR")
		op := p.settled(t, p.install(t, "bare", "", "storage:read"))
		wantSteps(t, op, "downloaded", "verified", "installed", "running")
		if got := p.granted(t, "courier"); !cmp.Equal(got, []any{"storage:read"}) {
			t.Errorf("granted %v", got)
		}
		shown := p.Do(t, testkit.Get(p.admin.Access, "/api/v1/admin/plugins/courier"))
		if shown.Text(t, "data.source") != "official-market" || !strings.HasPrefix(shown.Text(t, "data.signedBy"), "acme (") {
			t.Errorf("%s", shown.Body)
		}
		want(t, p.Do(t, testkit.Delete(p.admin.Access, marketsPath+p.market)), http.StatusConflict, "CONFLICT")

		p.publish(t, "bare", plugin(t, acme, "courier", "1.1.0", "storage:read", "events:publish", "storage:write"))
		if _, err := p.Markets.Check(t.Context(), p.market); err != nil {
			t.Fatal(err)
		}
		updates := p.Do(t, testkit.Get(p.admin.Access, "/api/v1/admin/market/updates"))
		items, _ := updates.Get(t, "data.items").([]any)
		if len(items) != 1 || items[0].(object)["market"] != p.market || items[0].(object)["version"] != "1.1.0" ||
			items[0].(object)["productSlug"] != "bare" {
			t.Errorf("updates: %s", updates.Body)
		}
		wantSteps(t, p.settled(t, p.install(t, "bare", "", "storage:write")), "downloaded", "verified", "installed", "running")
		if got := p.granted(t, "courier"); p.version(t, "courier") != "1.1.0" || !cmp.Equal(got, []any{"storage:read", "storage:write"}) {
			t.Errorf("upgraded: %v", got)
		}
		wantSteps(t, p.settled(t, p.install(t, "bare", "")), "installed", "running") // there is nothing new
		if res := p.Do(t, testkit.Delete(p.admin.Access, "/api/v1/admin/plugins/courier")); res.Status != http.StatusOK {
			t.Fatalf("uninstall: %d %s", res.Status, res.Body)
		}
		want(t, p.install(t, "bare", ""), http.StatusConflict, "CONFLICT") // it can be restored
		want(t, p.Do(t, testkit.Delete(p.admin.Access, marketsPath+p.market)), http.StatusConflict, "CONFLICT")
		if res := p.Do(t, testkit.Delete(p.admin.Access, "/api/v1/admin/plugins/courier?purge=true")); res.Status != http.StatusOK {
			t.Fatalf("purge: %d %s", res.Status, res.Body)
		}
		if res := p.Do(t, testkit.Delete(p.admin.Access, marketsPath+p.market)); res.Status != http.StatusOK {
			t.Errorf("remove: %d %s", res.Status, res.Body)
		}
	})
}

// A paid package needs a key. The key is kept for upgrades.
func TestALicenseKeyInstalls(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0"))
	key := p.a.BuyKey(t, "", "once")
	reason := func(res testkit.Response, why string) {
		t.Helper()
		want(t, res, http.StatusForbidden, "LICENSE_REFUSED")
		if got := res.Text(t, "error.details.reason"); got != why {
			t.Errorf("reason %s, want %s", got, why)
		}
	}
	reason(p.install(t, "mail-pack", ""), "missing")
	reason(p.install(t, "mail-pack", "STOA-0000-0000"), "not_found")
	wantSteps(t, p.settled(t, p.install(t, "mail-pack", key)), "activated", "downloaded", "verified", "installed", "running")
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.1.0"))
	wantSteps(t, p.settled(t, p.install(t, "mail-pack", "")), "activated", "downloaded", "verified", "installed", "running")
	if got := p.version(t, "courier"); got != "1.1.0" {
		t.Errorf("version %s", got)
	}
	other := p.a.BuyKey(t, "", "once") // takes the place of the key; the version stays
	wantSteps(t, p.settled(t, p.install(t, "mail-pack", other)), "activated", "installed", "running")
	of := entitlement.Subject{Kind: "plugin", Slug: "courier", Market: p.market, Product: "mail-pack"}
	if kept, _, err := p.Entitlements.Key(t.Context(), of); kept != other || err != nil {
		t.Errorf("another key is kept: %v", err)
	}
}

// What a market offers is what its catalog says, and what it signed.
func TestProductsOfAMarket(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "bare", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	p.publish(t, "mail-pack", acme.Sign(t, testkit.ExternalPlugin(t, "mails", object{"version": "2.0.0", "minPlatform": "99.0.0"})))
	list := p.Do(t, testkit.Get(p.admin.Access, marketsPath+p.market+"/products?limit=10"))
	if list.Status != http.StatusOK {
		t.Fatalf("%d %s", list.Status, list.Body)
	}
	got := make(map[string]object)
	for _, item := range list.Get(t, "data.items").([]any) {
		got[item.(object)["productSlug"].(string)] = item.(object)
	}
	bare, paid := got["bare"], got["mail-pack"]
	signed, _ := bare["package"].(object)
	if !cmp.Equal(bare["ways"], []any{"free"}) || signed["slug"] != "courier" || signed["compatible"] != true ||
		!cmp.Equal(signed["permissions"], []any{"storage:read"}) || signed["signer"].(object)["name"] != "acme" || bare["installed"] != nil {
		t.Errorf("free: %v", bare)
	}
	newer, _ := paid["package"].(object)
	if !cmp.Equal(paid["ways"], []any{}) || newer["minPlatform"] != "99.0.0" || newer["compatible"] != false || len(paid["tiers"].([]any)) == 0 {
		t.Errorf("paid: %v", paid)
	}
	want(t, p.install(t, "mail-pack", goodKey), http.StatusConflict, "CONFLICT") // it needs a newer stoa
	p.settled(t, p.install(t, "bare", ""))
	found := p.Do(t, testkit.Get(p.admin.Access, marketsPath+p.market+"/products?q=bare"))
	items, _ := found.Get(t, "data.items").([]any)
	if len(items) != 1 || !cmp.Equal(items[0].(object)["installed"], any(object{"version": "1.0.0", "sameProduct": true})) {
		t.Errorf("installed: %s", found.Body)
	}
	want(t, p.Do(t, testkit.Get(p.admin.Access, marketsPath+"none/products")), http.StatusNotFound, "NOT_FOUND")
}

// A package that came from elsewhere is not replaced by one of a market, and an upload over one of a market is one that
// was uploaded.
func TestPackagesFromElsewhere(t *testing.T) {
	t.Parallel()

	s := newStage(t, false)
	upload := func(version string) {
		t.Helper()
		res := s.Install(t, s.admin.Access, "plugin", unsigned(t, "tool", version))
		if res.Status != http.StatusCreated && res.Status != http.StatusOK {
			t.Fatalf("upload: %d %s", res.Status, res.Body)
		}
	}
	wantSteps(t, s.settled(t, s.install(t, "tool", "")), "downloaded", "verified", "installed", "running")
	upload("1.5.0")
	want(t, s.install(t, "tool", ""), http.StatusConflict, "CONFLICT")
	if res := s.Do(t, testkit.Delete(s.admin.Access, marketsPath+s.market)); res.Status != http.StatusOK {
		t.Errorf("the market is not in use: %d %s", res.Status, res.Body)
	}
}

// Going back to the version before an upload goes back to the market.
func TestARollbackGoesBackToTheMarket(t *testing.T) {
	t.Parallel()

	s := newStage(t, false)
	s.settled(t, s.install(t, "tool", ""))
	s.Install(t, s.admin.Access, "plugin", unsigned(t, "tool", "1.5.0"))
	if res := s.Do(t, testkit.Post(s.admin.Access, "/api/v1/admin/plugins/tool/rollback", nil)); res.Status != http.StatusOK {
		t.Fatalf("rollback: %d %s", res.Status, res.Body)
	}
	want(t, s.Do(t, testkit.Delete(s.admin.Access, marketsPath+s.market)), http.StatusConflict, "CONFLICT")
	s.offer(t, false, plugin(t, acme, "tool", "2.0.0", "storage:read", "events:publish"), "2.0.0")
	wantSteps(t, s.settled(t, s.install(t, "tool", "")), "downloaded", "verified", "installed", "running")
}

// The local market is asked by the same address, and answers as before.
func TestTheLocalMarket(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "bare", plugin(t, acme, "courier", "1.0.0", "storage:read", "users:email"))
	list := p.a.Do(t, testkit.Get(p.root.Access, marketsPath+"self/products"))
	i := slices.IndexFunc(list.Get(t, "data.items").([]any), func(item any) bool { return item.(object)["productSlug"] == "bare" })
	if i < 0 || !cmp.Equal(list.Get(t, "data.items").([]any)[i].(object)["ways"], any([]any{"free"})) {
		t.Errorf("offers: %s", list.Body)
	}
	body := object{"grants": []string{"storage:read"}}
	if res := p.a.Do(t, testkit.Post(p.root.Access, marketsPath+"self/products/bare/install", body)); res.Status != http.StatusCreated ||
		res.Text(t, "data.slug") != "courier" {
		t.Errorf("install: %d %s", res.Status, res.Body)
	}
	if got := (&buyer{App: p.a, admin: p.root}).granted(t, "courier"); !cmp.Equal(got, []any{"storage:read"}) {
		t.Errorf("it may do %v, and the consent was to read what it stores", got)
	}
	purchase := object{"productSlug": "mail-pack", "tierId": "once", "grants": []string{}}
	want(t, p.a.Do(t, testkit.Post(p.root.Access, marketsPath+"self/purchases", purchase)), http.StatusConflict, "CONFLICT")
	purchase["email"] = "ada@example.com"
	want(t, p.a.Do(t, testkit.Post(p.root.Access, marketsPath+"self/trials", purchase)), http.StatusConflict, "CONFLICT")
}
