package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/goldentest"
)

func TestMarketplaceBodies(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		perpetual, subscription := a.BuyKey(t, "", "once"), a.BuyKey(t, "", "yearly")
		purchase := a.Send(t, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"none","unknown":1}`)
		for name, res := range map[string]testkit.Response{
			"market_purchase":              purchase,
			"market_activate":              a.Activate(t, perpetual, "a.example"),
			"market_activate_subscription": a.Activate(t, subscription, "a.example"),
			"market_verify":                a.Verify(t, "mail-pack", perpetual, "a.example"),
			"market_list":                  a.Fetch(t, testkit.Products),
			"market_product":               a.Fetch(t, testkit.Products+"/mail-pack"),
			"market_product_bare":          a.Fetch(t, testkit.Products+"/bare"),
			"market_validation":            a.Send(t, testkit.Products+"/mail-pack/purchase", `{}`),
			"market_full":                  fill(t, a),
			"market_not_found":             a.Fetch(t, testkit.Products+"/nope"),
		} {
			goldentest.JSON(t, name, res.Body)
		}
	})
}

// fill activates one instance more than a licence allows and returns the answer.
func fill(tb testing.TB, a *testkit.App) testkit.Response {
	tb.Helper()
	key := a.BuyKey(tb, "", "free")
	a.Activate(tb, key, "a.example")
	return a.Activate(tb, key, "b.example")
}

func TestMedia(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	icon := a.Fetch(t, testkit.Products+"/mail-pack").Text(t, "icon")

	res := a.Fetch(t, icon)
	if res.Status != http.StatusOK || string(res.Body) != testkit.SVG {
		t.Errorf("GET %s = %d %s", icon, res.Status, res.Body)
	}
	for name, want := range map[string]string{
		"Content-Type":            "image/svg+xml",
		"Cache-Control":           "public, max-age=31536000, immutable",
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	again := a.Do(t, testkit.Request{Method: http.MethodGet, Path: icon, Header: http.Header{"If-None-Match": {res.Header.Get("ETag")}}})
	if again.Status != http.StatusNotModified {
		t.Errorf("with If-None-Match = %d, want 304", again.Status)
	}
	for _, path := range []string{"/media/nope.svg", "/media/" + strings.Repeat("0", 64) + ".svg", "/media/..%2fstoa.db", "/media/..%2fmaster.key", "/media/%00.svg"} {
		if res := a.Fetch(t, path); res.Status != http.StatusNotFound {
			t.Errorf("GET %s = %d, want 404", path, res.Status)
		}
	}
}
