package shop_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/goldentest"
)

// The usual sequence: list, details, purchase, activate, verify.
func TestFromTheListToAVerifiedLicense(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		slug := a.Fetch(t, testkit.Products).JSON(t)["products"].([]any)[0].(map[string]any)["slug"].(string)
		detail := a.Fetch(t, testkit.Products+"/"+slug)
		tier := detail.JSON(t)["pricingTiers"].([]any)[2].(map[string]any)["id"].(string)

		bought := a.Send(t, testkit.Products+"/"+slug+"/purchase", map[string]any{
			"tierId": tier, "paymentMethod": "invoice",
			"billingInfo": map[string]any{"name": "Ada", "email": "ada@example.com", "company": "Engines"},
		})
		key := bought.Text(t, "licenseKey")
		if v, there := bought.JSON(t)["paymentUrl"]; !there || v != nil {
			t.Errorf("paymentUrl = %v (there: %v), want null", v, there)
		}
		order, err := a.Orders.Store.OrderByID(t.Context(), bought.Text(t, "orderId"))
		if err != nil || order.UserID != "anonymous" || order.Status() != "paid" || order.Amount.Minor != 500 ||
			order.Billing.Company != "Engines" {
			t.Errorf("order = %+v, %v", order, err)
		}

		testkit.WantRefused(t, a.Verify(t, slug, key, "shop.example.com"), "not_activated")
		on := a.Activate(t, key, " Shop.Example.com ")
		if on.Status != http.StatusOK || on.Get(t, "license.currentInstances") != 1.0 ||
			on.Text(t, "license.licenseKey") != key {
			t.Errorf("activate = %d %s", on.Status, on.Body)
		}
		if got := on.Text(t, "license.expiresAt"); got != "2030-04-01T12:00:00.000Z" {
			t.Errorf("expiresAt = %q, want a month from now", got)
		}
		ok := a.Verify(t, slug, strings.ToLower(key), "SHOP.example.com")
		if ok.Get(t, "valid") != true || ok.Text(t, "license.licenseKey") != key ||
			fmt.Sprint(ok.Get(t, "features")) != "[Mails Support]" {
			t.Errorf("verify = %d %s", ok.Status, ok.Body)
		}
		if got := a.Fetch(t, testkit.Products+"/"+slug).Get(t, "downloadCount"); got != 101.0 {
			t.Errorf("downloadCount = %v, want the purchase counted", got)
		}

		a.Clock.Advance(31*24*time.Hour - time.Millisecond)
		if a.Verify(t, slug, key, "shop.example.com").Get(t, "valid") != true {
			t.Error("the license ended before its term")
		}
		a.Clock.Advance(time.Millisecond)
		testkit.WantRefused(t, a.Verify(t, slug, key, "shop.example.com"), "expired")
		testkit.WantFlatError(t, a.Activate(t, key, "shop.example.com"), 400, "ACTIVATION_FAILED")
	})
}

func TestMarketplaceBodies(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
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

// fill activates one instance more than a license allows and returns the answer.
func fill(tb testing.TB, a *testkit.App) testkit.Response {
	tb.Helper()
	key := a.BuyKey(tb, "", "free")
	a.Activate(tb, key, "a.example")
	return a.Activate(tb, key, "b.example")
}
