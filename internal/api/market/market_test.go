package market_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
	"stoa/internal/extension/sign"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
)

func TestWithoutAMarketItsAddressesAreUnknown(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	unknown := a.Do(t, testkit.Get("", "/api/market/v1/nothing"))
	for _, path := range []string{
		"tuf/timestamp.json", "tuf/1.root.json", "targets/" + strings.Repeat("0f", 32) + ".market.json", "packages/bare/1.0.0",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			req, err := http.NewRequestWithContext(t.Context(), method, a.URL+terms.Prefix+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			res, err := a.Client.Do(req) // the API document knows these addresses
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil || res.StatusCode != http.StatusNotFound || string(body) != string(unknown.Body) || res.Header.Get("Allow") != "" {
				t.Errorf("%s %s = %d %s, %v; want as an unknown path: %s", method, path, res.StatusCode, body, err, unknown.Body)
			}
		}
	}
	if unknown.Text(t, "error") != "NOT_FOUND" {
		t.Errorf("unknown path = %s", unknown.Body)
	}
}

func TestTheMarketSaysWhatItsProductsCarry(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		r := m.read(t)
		if r.roles() != "" || r.packages() != "" {
			t.Errorf("an empty market has the roles %q with %q", r.roles(), r.packages())
		}
		m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0", "orders:read", "network:api.example.com"))
		m.mustPublish(t, "mail-pack", acme.Sign(t, testkit.ExternalPlugin(t, "mailer", map[string]any{"minPlatform": "1.2.3"})))
		r = m.read(t)
		if got, want := r.packages(), "bare/1.0.0.zip mail-pack/1.0.0.zip"; got != want {
			t.Fatalf("packages = %s, want %s", got, want)
		}
		public := acme.Public()
		least := "1.2.3"
		for path, want := range map[string]terms.Custom{
			"bare/1.0.0.zip": {
				Kind: extension.Plugin, Slug: "courier", Version: "1.0.0", PublishedAt: testkit.T0,
				Permissions: []string{"orders:read", "network:api.example.com"},
				Publisher:   terms.Publisher{Name: "acme", Key: sign.EncodePublic(public)},
			},
			"mail-pack/1.0.0.zip": {
				Kind: extension.Plugin, Slug: "mailer", Version: "1.0.0", PublishedAt: testkit.T0, Permissions: []string{},
				Publisher: terms.Publisher{Name: "acme", Key: sign.EncodePublic(public)}, Paid: true, MinPlatform: &least,
			},
		} {
			if diff := cmp.Diff(want, r.custom[path]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		if got := m.download(t, r, "p-bare", "bare/1.0.0.zip", ""); got.Status != http.StatusOK {
			t.Errorf("download = %d %s", got.Status, got.Body)
		}
		shop := topLevel[terms.Market](t, m, r, terms.MarketFile)
		if diff := cmp.Diff(terms.Market{Name: shop.Name, URL: m.URL, PlatformID: m.PlatformID}, shop); diff != "" || shop.Name == "" {
			t.Errorf("market.json (-want +got):\n%s", diff)
		}
		if got := string(m.download(t, r, terms.Targets, terms.RecallsFile, "").Body); got != `{"version":1,"recalls":[]}` {
			t.Errorf("recalls.json = %s", got)
		}
		keys := topLevel[any](t, m, r, terms.LicenseKeysFile)
		var published any
		if err := json.Unmarshal(m.Fetch(t, "/api/marketplace/license-keys").Body, &published); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(published, keys); diff != "" {
			t.Errorf("license-keys.json (-published +target):\n%s", diff)
		}
	})
}

func TestAWithdrawnVersionLeavesItsRoleAtOnce(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
	m.mustPublish(t, "bare", plugin(t, "courier", "1.1.0"))
	before := m.read(t)
	m.withdraw(t, "bare", "1.0.0")
	r := m.read(t)
	if got := r.packages(); got != "bare/1.1.0.zip" {
		t.Errorf("packages = %s", got)
	}
	if res := m.download(t, before, "p-bare", "bare/1.0.0.zip", ""); res.Status != http.StatusNotFound {
		t.Errorf("the withdrawn archive = %d", res.Status)
	}
	m.withdraw(t, "bare", "1.1.0")
	if r := m.read(t); r.roles() != "p-bare" || r.packages() != "" {
		t.Errorf("roles = %s with %s", r.roles(), r.packages())
	}
}

func TestADeletedProductKeepsAnEmptyRole(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
	res := m.Do(t, testkit.Request{Method: http.MethodDelete, Path: "/api/v1/admin/products/bare", Token: m.admin})
	if res.Status != http.StatusOK && res.Status != http.StatusNoContent {
		t.Fatalf("delete = %d %s", res.Status, res.Body)
	}
	if r := m.read(t); r.roles() != "p-bare" || r.packages() != "" {
		t.Errorf("roles = %q with %q, want an empty p-bare", r.roles(), r.packages())
	}
}

// A draft is nobody's business, and neither is its name.
func TestADraftHasNoRoleUntilItIsPublished(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.mustPublish(t, "hidden", plugin(t, "secret", "1.0.0"))
	if r := m.read(t); r.roles() != "" {
		t.Errorf("roles = %s", r.roles())
	}
	wantRefusal(t, m.Do(t, testkit.Get("", terms.PackagePath+"hidden/1.0.0")), http.StatusNotFound, "NOT_FOUND")
	publish := func(yes bool) {
		res := m.Do(t, testkit.Request{
			Method: http.MethodPatch, Path: "/api/v1/admin/products/hidden", Token: m.admin, Body: map[string]any{"published": yes},
		})
		if res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
	}
	publish(true)
	if r := m.read(t); r.packages() != "hidden/1.0.0.zip" {
		t.Errorf("packages = %s", r.packages())
	}
	publish(false)
	if r := m.read(t); r.roles() != "p-hidden" || r.packages() != "" {
		t.Errorf("roles = %s with %s", r.roles(), r.packages())
	}
}

func TestAChangeOfTheShopSignsAtOnce(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	before := m.read(t).Targets[terms.Targets].Signed.Version
	res := m.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: "/api/v1/admin/settings", Token: m.admin, Body: map[string]any{"shopName": "Other Shop"},
	})
	if res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	r := m.read(t)
	if shop := topLevel[terms.Market](t, m, r, terms.MarketFile); shop.Name != "Other Shop" {
		t.Errorf("market.json = %+v", shop)
	}
	if after := r.Targets[terms.Targets].Signed.Version; after <= before {
		t.Errorf("targets %d after %d", after, before)
	}
	// What the market does not say changes nothing.
	before = r.Timestamp.Signed.Version
	res = m.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: "/api/v1/admin/settings", Token: m.admin, Body: map[string]any{"accent": "#123456"},
	})
	if after := m.read(t).Timestamp.Signed.Version; res.Status != http.StatusOK || after != before {
		t.Errorf("%d: timestamp %d after %d", res.Status, after, before)
	}
}

func TestTimestampsAreAskedForWithTheirTag(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	const path = terms.MetadataPath + "timestamp.json"
	first := m.Do(t, testkit.Get("", path))
	if len(first.Body) > terms.MaxTimestamp || first.Header.Get("Cache-Control") != "no-cache" || first.Header.Get("ETag") == "" {
		t.Errorf("%d bytes, %v", len(first.Body), first.Header)
	}
	again := func() int {
		return m.Do(t, testkit.Request{
			Method: http.MethodGet, Path: path, Header: http.Header{"If-None-Match": {first.Header.Get("ETag")}},
		}).Status
	}
	if got := again(); got != http.StatusNotModified {
		t.Errorf("the same timestamp = %d", got)
	}
	m.Clock.Advance(10 * time.Minute)
	if err := m.Market.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := again(); got != http.StatusOK {
		t.Errorf("a later timestamp = %d", got)
	}
	m.read(t)
}

func TestFilesThatTheMarketDoesNotHave(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	hash := strings.Repeat("0f", 32)
	for _, path := range []string{
		"tuf/root.json", "tuf/2.root.json", "tuf/1.p-bare.json", "tuf/1.x.json", "tuf/x", "targets/x", "targets/market.json",
		"targets/" + hash + ".market.json", "targets/bare/" + hash + ".1.0.0.zip", "targets/nope/" + hash + ".1.0.0.zip",
		"packages/bare/1.0.0", "packages/nope/1.0.0", "packages/bare/x",
	} {
		wantRefusal(t, m.Do(t, testkit.Get("", terms.Prefix+path)), http.StatusNotFound, "NOT_FOUND")
	}
}

func wantRefusal(tb testing.TB, res testkit.Response, status int, code string) {
	tb.Helper()
	if res.Status != status || res.Text(tb, "error") != code {
		tb.Errorf("answer = %d %s, want %d %s", res.Status, res.Body, status, code)
	}
}

func TestPaidPackagesNeedALicense(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	pkg := plugin(t, "mailer", "1.0.0")
	m.mustPublish(t, "mail-pack", pkg)
	m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
	r := m.read(t)
	key := m.BuyMailPack(t)
	get := func(product, authorization string) testkit.Response {
		req := testkit.Get("", terms.PackagePath+product+"/1.0.0")
		if authorization != "" {
			req.Header = http.Header{"Authorization": {authorization}}
		}
		return m.Do(t, req)
	}
	for authorization, reason := range map[string]string{
		"": "missing", "Bearer " + key: "missing", "License": "missing", "License nonsense": "not_found",
		"License STOA-7QK2M-9XW4T-B3HNC-5VJ8R-D6PYE-J7H2Z": "not_found",
	} {
		res := get("mail-pack", authorization)
		wantRefusal(t, res, http.StatusForbidden, "LICENSE_REFUSED")
		if got := res.Text(t, "details.reason"); got != reason {
			t.Errorf("%q: reason %s, want %s", authorization, got, reason)
		}
	}
	res := get("mail-pack", "License "+key)
	if res.Status != http.StatusOK || string(res.Body) != string(pkg) || res.Header.Get("Content-Type") != "application/zip" {
		t.Errorf("with a license: %d, %v", res.Status, res.Header)
	}
	if caches := res.Header.Get("Cache-Control"); !strings.Contains(caches, "private") {
		t.Errorf("a paid package may be kept by caches for others: %s", caches)
	}
	if res := m.download(t, r, "p-mail-pack", "mail-pack/1.0.0.zip", key); res.Status != http.StatusOK {
		t.Errorf("the target with a license: %d %s", res.Status, res.Body)
	}
	wantRefusal(t, m.download(t, r, "p-mail-pack", "mail-pack/1.0.0.zip", ""), http.StatusForbidden, "LICENSE_REFUSED")
	if res := get("bare", ""); res.Status != http.StatusOK {
		t.Errorf("a free package: %d %s", res.Status, res.Body)
	}
	if seats := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/licenses")).Body; strings.Contains(string(seats), `"activations":1`) {
		t.Errorf("a download took a seat: %s", seats)
	}
	m.withdraw(t, "mail-pack", "1.0.0")
	wantRefusal(t, get("mail-pack", "License "+key), http.StatusNotFound, "NOT_FOUND")
}

// A package that needs a newer stoa is published all the same: others may be newer.
func TestAPackageForANewerStoaIsPublishedAndNotInstalled(t *testing.T) {
	t.Parallel()

	m := newMarket(t) // 1.2.3-test
	for version, status := range map[string]int{"1.2.3": http.StatusCreated, "1.2.4": http.StatusConflict} {
		pkg := acme.Sign(t, testkit.ExternalPlugin(t, "needy", map[string]any{"minPlatform": version}))
		res := m.Do(t, testkit.Request{
			Method: http.MethodPost, Path: "/api/v1/admin/extensions/plugin/install", Token: m.admin, Body: pkg,
			Header: http.Header{"Content-Type": {"application/zip"}},
		})
		if version == "1.2.4" && (res.Status != status || res.Text(t, "error.code") != "CONFLICT") {
			t.Errorf("install = %d %s, want %d", res.Status, res.Body, status)
		}
	}
	m.mustPublish(t, "bare", acme.Sign(t, testkit.ExternalPlugin(t, "needy", map[string]any{"minPlatform": "99.0.0"})))
	if c := m.read(t).custom["bare/1.0.0.zip"]; c.MinPlatform == nil || *c.MinPlatform != "99.0.0" {
		t.Errorf("custom = %+v", c)
	}
	bad := acme.Sign(t, testkit.ExternalPlugin(t, "needy2", map[string]any{"minPlatform": ">=1"}))
	if res := m.publish(t, "mail-pack", bad); res.Status != http.StatusBadRequest || res.Text(t, "error.code") != "INVALID_MANIFEST" {
		t.Errorf("a nonsense minPlatform: %d %s", res.Status, res.Body)
	}
}

// What a bundle asks for is what its items ask for.
func TestABundleNeedsWhatItsItemsNeed(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	item := func(slug, least string, permissions ...string) []byte {
		return testkit.ExternalPlugin(t, slug, map[string]any{"permissions": permissions, "minPlatform": least})
	}
	pkg := testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0",
		map[string]any{"kind": "plugin", "path": "a.zip"}, map[string]any{"kind": "plugin", "path": "b.zip"}),
		map[string][]byte{"a.zip": item("one", "1.9.0", "orders:read", "users:read"), "b.zip": item("two", "1.10.0", "users:read")})
	res := m.Do(t, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/admin/products/bare/package?kind=bundle", Token: m.admin,
		Body: acme.Sign(t, pkg), Header: http.Header{"Content-Type": {"application/zip"}},
	})
	if res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	c := m.read(t).custom["bare/1.0.0.zip"]
	if diff := cmp.Diff([]string{"orders:read", "users:read"}, c.Permissions); diff != "" || *c.MinPlatform != "1.10.0" {
		t.Errorf("custom = %+v", c)
	}
}
