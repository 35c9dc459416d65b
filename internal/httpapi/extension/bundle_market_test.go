package extension_test

import (
	"net/http"
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
