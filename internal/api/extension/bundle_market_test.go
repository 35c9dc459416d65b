package extension_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// A signed bundle of the market is installed with items that have no signature of their own:
// who signed the bundle signed them.
func TestTheMarketSellsBundles(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	publish := func(pkg []byte) testkit.Response {
		return m.Do(t, testkit.Request{
			Method: http.MethodPut, Path: "/api/v1/admin/products/bare/package?kind=bundle", Token: m.admin,
			Body: pkg, Header: http.Header{"Content-Type": {"application/zip"}},
		})
	}
	wantAnswer(t, publish(starterBundle(t, "1.0.0")), http.StatusBadRequest, "INVALID_ARCHIVE") // not signed
	nested := testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0", object{"kind": "bundle", "path": "a.zip"}),
		map[string][]byte{"a.zip": starterBundle(t, "1.0.0")})
	wantAnswer(t, publish(acme.Sign(t, nested)), http.StatusBadRequest, "INVALID_BUNDLE")
	wantAnswer(t, publish(acme.Sign(t, starterBundle(t, "1.0.0"))), http.StatusCreated, "")
	res := m.install(t, "bare", "")
	wantAnswer(t, res, http.StatusCreated, "")
	for _, path := range []string{starter, extensions + "/plugin/pay", aurora} {
		got := m.Do(t, testkit.Get(m.admin, path))
		if got.Get(t, "data.source") != "official-market" || got.Get(t, "data.signedBy") != "acme" {
			t.Errorf("%s = %s", path, got.Body)
		}
	}
	// An item that is signed by a stranger is refused all the same.
	stranger := testkit.Bundle(t, testkit.BundleManifest("starter", "1.1.0", object{"kind": "plugin", "path": "a.zip"}),
		map[string][]byte{"a.zip": testkit.Publisher("stranger").Sign(t, pay(t, "1.1.0"))})
	wantAnswer(t, m.Install(t, m.admin, "bundle", acme.Sign(t, stranger)), http.StatusBadRequest, "INVALID_BUNDLE")
}

// versions are the published versions of the product mail-pack; withdrawn ones have a cross.
func (m market) versions(tb testing.TB) string {
	tb.Helper()
	var list []string
	for _, item := range m.Do(tb, testkit.Get(m.admin, "/api/v1/admin/products/mail-pack/packages")).
		Get(tb, "data.items").([]any) {
		v := item.(object)
		text := v["version"].(string)
		if v["withdrawnAt"] != nil {
			text += "x"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestAVersionIsWithdrawnFromTheMarket(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		const path = "/api/v1/admin/products/mail-pack/packages"
		one, two := acme.Sign(t, idle(t, "courier", "1.9.0")), acme.Sign(t, idle(t, "courier", "1.10.0"))
		wantAnswer(t, m.publish(t, "mail-pack", one), 201, "")
		wantAnswer(t, m.publish(t, "mail-pack", two), 201, "")
		if got := m.versions(t); got != "1.10.0 1.9.0" {
			t.Errorf("versions = %s", got)
		}
		page := m.Do(t, testkit.Get(m.admin, path+"?limit=1&page=2"))
		if items := page.Get(t, "data.items").([]any); len(items) != 1 || items[0].(object)["version"] != "1.9.0" {
			t.Errorf("page = %s", page.Body)
		}
		for range 2 {
			res := m.Do(t, remove(m.admin, path+"/1.10.0"))
			if res.Status != http.StatusOK || res.Get(t, "data.withdrawnAt") == nil {
				t.Errorf("withdraw = %d %s", res.Status, res.Body)
			}
		}
		if got, files := m.versions(t), m.packages(t); got != "1.10.0x 1.9.0" || len(files) != 1 {
			t.Errorf("versions = %s, archives = %v", got, files)
		}
		offered := func() any { return m.Fetch(t, "/api/marketplace/products/mail-pack").Get(t, "package.version") }
		if got := offered(); got != "1.9.0" {
			t.Errorf("offered = %v", got)
		}
		res := m.install(t, "mail-pack", m.BuyMailPack(t))
		if wantAnswer(t, res, 201, ""); res.Get(t, "data.version") != "1.9.0" {
			t.Errorf("installed = %s", res.Body)
		}
		if updates := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/market/updates")); len(updates.Get(t, "data.items").([]any)) != 0 {
			t.Errorf("updates = %s", updates.Body)
		}
		// The version has the same contents for ever.
		other := acme.Sign(t, testkit.ExternalPlugin(t, "courier", object{"version": "1.10.0", "name": "Other"}))
		wantAnswer(t, m.publish(t, "mail-pack", other), 409, "VERSION_CONFLICT")
		wantAnswer(t, m.publish(t, "mail-pack", two), 201, "")
		if got, files := m.versions(t), m.packages(t); got != "1.10.0 1.9.0" || len(files) != 2 || offered() != "1.10.0" {
			t.Errorf("published again: %s, archives = %v, offered %v", got, files, offered())
		}
		log := string(m.Do(t, testkit.Get(m.admin, "/api/v1/admin/audit?action=product.withdraw")).Body)
		if strings.Count(log, `"action":"product.withdraw"`) != 1 {
			t.Errorf("audit log = %s", log)
		}
		for _, unknown := range []string{"/api/v1/admin/products/nope/packages/1.0.0", path + "/3.0.0", path + "/x"} {
			testkit.WantError(t, m.Do(t, remove(m.admin, unknown)), http.StatusNotFound, "NOT_FOUND")
		}
		testkit.WantError(t, m.Do(t, testkit.Get(m.admin, "/api/v1/admin/products/nope/packages")), http.StatusNotFound,
			"NOT_FOUND")
	})
}
