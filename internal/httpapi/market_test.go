package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// The typical order of use of spec A: list, details, purchase, activate, verify.
func TestFromTheListToAVerifiedLicense(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		slug := a.Fetch(t, testkit.Products).JSON(t)["products"].([]any)[0].(map[string]any)["slug"].(string)
		detail := a.Fetch(t, testkit.Products+"/"+slug)
		tier := detail.JSON(t)["pricingTiers"].([]any)[2].(map[string]any)["id"].(string)

		bought := a.Send(t, testkit.Products+"/"+slug+"/purchase", map[string]any{
			"tierId": tier, "paymentMethod": "invoice", "billingInfo": map[string]any{"name": "Ada", "email": "ada@example.com", "company": "Engines"},
		})
		key := bought.Text(t, "licenseKey")
		if v, there := bought.JSON(t)["paymentUrl"]; !there || v != nil {
			t.Errorf("paymentUrl = %v (there: %v), want null", v, there)
		}
		order, err := a.Market.Sales.OrderByID(t.Context(), bought.Text(t, "orderId"))
		if err != nil || order.UserID != "anonymous" || order.Status() != "paid" || order.Amount.Minor != 500 || order.Billing.Company != "Engines" {
			t.Errorf("order = %+v, %v", order, err)
		}

		testkit.WantRefused(t, a.Verify(t, slug, key, "shop.example.com"), "not_activated")
		on := a.Activate(t, key, " Shop.Example.com ")
		if on.Status != http.StatusOK || on.Get(t, "license.currentInstances") != 1.0 || on.Text(t, "license.licenseKey") != key {
			t.Errorf("activate = %d %s", on.Status, on.Body)
		}
		if got := on.Text(t, "license.expiresAt"); got != "2030-04-01T12:00:00.000Z" {
			t.Errorf("expiresAt = %q, want a month from now", got)
		}
		ok := a.Verify(t, slug, strings.ToLower(key), "SHOP.example.com")
		if ok.Get(t, "valid") != true || ok.Text(t, "license.licenseKey") != key || fmt.Sprint(ok.Get(t, "features")) != "[Mails Support]" {
			t.Errorf("verify = %d %s", ok.Status, ok.Body)
		}
		if got := a.Fetch(t, testkit.Products+"/"+slug).Get(t, "downloadCount"); got != 101.0 {
			t.Errorf("downloadCount = %v, want the purchase counted", got)
		}

		a.Clock.Advance(31*24*time.Hour - time.Millisecond)
		if a.Verify(t, slug, key, "shop.example.com").Get(t, "valid") != true {
			t.Error("the licence ended before its term")
		}
		a.Clock.Advance(time.Millisecond)
		testkit.WantRefused(t, a.Verify(t, slug, key, "shop.example.com"), "expired")
		testkit.WantFlatError(t, a.Activate(t, key, "shop.example.com"), 400, "ACTIVATION_FAILED")
	})
}

func TestProductList(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	tests := []struct {
		query, want string // slugs in order
		total       float64
	}{
		{"", "mail-pack bare", 2},
		{"?category=marketing", "mail-pack", 1},
		{"?category=secret", "", 0},
		{"?category=%00", "VALIDATION_ERROR category", 0},
		{"?page=2&limit=1", "bare", 2},
		{"?page=3&limit=1", "", 2},
		{"?page=1000001&limit=100", "", 2},
		{"?page=9223372036854775807&limit=100", "", 2},
		{"?page=99999999999999999999", "", 2},
		{"?page=&limit=", "mail-pack bare", 2},
		{"?limit=100", "mail-pack bare", 2},
		{"?sort=price", "bare mail-pack", 2},
		{"?sort=newest", "bare mail-pack", 2},
		{"?sort=name", "bare mail-pack", 2},
		{"?sort=rating", "mail-pack bare", 2},
		{"?sort=downloads", "mail-pack bare", 2},
		{"?q=MAIL+sends", "mail-pack", 1},
		{"?q=%25", "", 0},
		{"?q=_are", "", 0},
		{"?featured=true", "mail-pack", 1},
		{"?featured=false", "bare", 1},
		{"?trending=true", "", 0},
		{"?page=0", "VALIDATION_ERROR page", 0},
		{"?page=-99999999999999999999", "VALIDATION_ERROR page", 0},
		{"?limit=0", "VALIDATION_ERROR limit", 0},
		{"?limit=101", "VALIDATION_ERROR limit", 0},
		{"?page=x&limit=-1&sort=best&featured=1", "VALIDATION_ERROR page limit featured sort", 0},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()

			res := a.Fetch(t, testkit.Products+tt.query)
			if want, invalid := strings.CutPrefix(tt.want, "VALIDATION_ERROR "); invalid {
				testkit.WantFlatError(t, res, 400, "VALIDATION_ERROR")
				if got := testkit.IssuePaths(t, res); got != want {
					t.Errorf("issues = %q, want %q", got, want)
				}
				return
			}
			var slugs []string
			for _, p := range res.JSON(t)["products"].([]any) {
				slugs = append(slugs, p.(map[string]any)["slug"].(string))
			}
			if got := strings.Join(slugs, " "); got != tt.want || res.Get(t, "pagination.total") != tt.total {
				t.Errorf("products = %q of %v, want %q of %v", got, res.Get(t, "pagination.total"), tt.want, tt.total)
			}
			if got := fmt.Sprint(res.Get(t, "filters.categories")); got != "[marketing other]" {
				t.Errorf("categories = %s", got)
			}
		})
	}
}

func TestPurchaseRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	tests := []struct {
		name, slug, body string
		code, issues     string
	}{
		{"nothing", "mail-pack", `{}`, "VALIDATION_ERROR", "tierId paymentMethod"},
		{"no body", "mail-pack", ``, "VALIDATION_ERROR", ""},
		{"null", "mail-pack", `{"tierId":null,"paymentMethod":"card"}`, "VALIDATION_ERROR", "tierId"},
		{"wrong types", "mail-pack", `{"tierId":1,"paymentMethod":[],"billingInfo":{"name":1,"email":true,"company":{}}}`, "VALIDATION_ERROR", "tierId paymentMethod billingInfo.name billingInfo.email billingInfo.company"},
		{"billingInfo not an object", "mail-pack", `{"tierId":"free","paymentMethod":"card","billingInfo":"Ada"}`, "VALIDATION_ERROR", "billingInfo"},
		{"control characters", "mail-pack", `{"tierId":"free","paymentMethod":"a\u0000"}`, "VALIDATION_ERROR", "paymentMethod"},
		{"malformed", "mail-pack", `{"tierId":`, "VALIDATION_ERROR", ""},
		{"unknown product", "nope", `{"tierId":"free","paymentMethod":"card"}`, "PURCHASE_FAILED", ""},
		{"unpublished product", "hidden", `{"tierId":"only","paymentMethod":"card"}`, "PURCHASE_FAILED", ""},
		{"no such slug", "%00", `{"tierId":"free","paymentMethod":"card"}`, "PURCHASE_FAILED", ""},
		{"unknown tier", "mail-pack", `{"tierId":"gold","paymentMethod":"card"}`, "PURCHASE_FAILED", ""},
		{"tier of another product", "mail-pack", `{"tierId":"only","paymentMethod":"card"}`, "PURCHASE_FAILED", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Send(t, testkit.Products+"/"+tt.slug+"/purchase", tt.body)
			testkit.WantFlatError(t, res, 400, tt.code)
			if got := testkit.IssuePaths(t, res); tt.issues != "" && got != tt.issues {
				t.Errorf("issues = %q, want %q", got, tt.issues)
			}
		})
	}
}

func TestPurchaseBelongsToWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	user := a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/auth/register", Body: map[string]any{"email": "ada@example.com", "username": "ada", "password": "secret1"}})
	req := testkit.Request{Method: http.MethodPost, Path: testkit.Products + "/mail-pack/purchase", Token: user.Text(t, "data.access_token"), Body: `{"tierId":"once","paymentMethod":"card"}`}
	order, err := a.Market.Sales.OrderByID(t.Context(), a.Do(t, req).Text(t, "orderId"))
	if err != nil || order.UserID != user.Text(t, "data.user.id") || order.UserID == "" {
		t.Errorf("order of %q (%v), want of %q", order.UserID, err, user.Text(t, "data.user.id"))
	}
	req.Token = "nonsense"
	testkit.WantFlatError(t, a.Do(t, req), 401, "UNAUTHORIZED")
}

// CONTRACT 3: STOA_PAYMENTS=live without a provider.
func TestLivePaymentsWithoutAProviderSellFreeTiersOnly(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.Payments = "live" })

	a.BuyKey(t, "", "free")
	res := a.Send(t, testkit.Products+"/mail-pack/purchase", `{"tierId":"once","paymentMethod":"card"}`)
	testkit.WantFlatError(t, res, 400, "PURCHASE_FAILED")
	if !strings.Contains(res.Text(t, "message"), "takes no payments") {
		t.Errorf("message = %q", res.Text(t, "message"))
	}
	if got := a.Fetch(t, testkit.Products+"/mail-pack").Get(t, "downloadCount"); got != 101.0 {
		t.Errorf("downloadCount = %v, want only the free one counted", got)
	}
}

func TestActivateRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")
	other := a.Send(t, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"card"}`).Text(t, "licenseKey")
	typo := key[:len(key)-1] + map[bool]string{true: "0", false: "1"}[key[len(key)-1] != '0']

	tests := []struct {
		name, slug string
		body       any
		status     int
		code       string
		issues     string
	}{
		{"nothing", "mail-pack", `{}`, 400, "VALIDATION_ERROR", "licenseKey instanceId"},
		{"wrong types", "mail-pack", `{"licenseKey":5,"instanceId":false}`, 400, "VALIDATION_ERROR", "licenseKey instanceId"},
		{"blank instance", "mail-pack", map[string]any{"licenseKey": key, "instanceId": " \t "}, 400, "VALIDATION_ERROR", "instanceId"},
		{"long instance", "mail-pack", map[string]any{"licenseKey": key, "instanceId": strings.Repeat("ä", 254)}, 400, "VALIDATION_ERROR", "instanceId"},
		{"NUL in instance", "mail-pack", map[string]any{"licenseKey": key, "instanceId": "a\x00b"}, 400, "VALIDATION_ERROR", "instanceId"},
		{"unknown product", "nope", map[string]any{"licenseKey": key, "instanceId": "a"}, 404, "NOT_FOUND", ""},
		{"unknown product and no key at all", "nope", map[string]any{"licenseKey": "x", "instanceId": "a"}, 404, "NOT_FOUND", ""},
		{"no key", "mail-pack", map[string]any{"licenseKey": "x", "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{"typo", "mail-pack", map[string]any{"licenseKey": typo, "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{"unknown key", "mail-pack", map[string]any{"licenseKey": testkit.UnknownKey(), "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{"key of another product", "mail-pack", map[string]any{"licenseKey": other, "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Send(t, testkit.Products+"/"+tt.slug+"/activate", tt.body)
			testkit.WantFlatError(t, res, tt.status, tt.code)
			if got := testkit.IssuePaths(t, res); got != tt.issues && tt.issues != "" {
				t.Errorf("issues = %q, want %q", got, tt.issues)
			}
		})
	}
	t.Run("the longest instance", func(t *testing.T) {
		t.Parallel()

		if res := a.Activate(t, a.BuyKey(t, "", "free"), strings.Repeat("ä", 253)); res.Status != http.StatusOK {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
	})
}

func TestActivatingAnInstanceAgainCostsNothing(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "free")
		first := a.Activate(t, key, "a.example")
		again := a.Activate(t, key, "A.EXAMPLE ")
		if string(first.Body) != string(again.Body) || again.Status != http.StatusOK {
			t.Errorf("again = %d %s\nfirst = %s", again.Status, again.Body, first.Body)
		}
		res := a.Activate(t, key, "b.example")
		testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
		if !strings.Contains(res.Text(t, "message"), "maximum number of instances") {
			t.Errorf("message = %q", res.Text(t, "message"))
		}
	})
}

// The promise of the README: a licence with three seats never has a fourth.
func TestTheSeatLimitIsExactUnderParallelCalls(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "once") // three seats
		var (
			wg, ready sync.WaitGroup
			granted   atomic.Int32
			start     = make(chan struct{})
		)
		ready.Add(24)
		for i := range 24 {
			wg.Go(func() {
				// Connections first: opening them takes longer than the race.
				a.Verify(t, "mail-pack", key, "warm-up.example")
				ready.Done()
				<-start
				res := a.Activate(t, key, fmt.Sprintf("host-%d.example", i/2)) // each instance twice
				if res.Status == http.StatusOK {
					granted.Add(1)
				} else {
					testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
				}
			})
		}
		ready.Wait()
		close(start)
		wg.Wait()
		// Three instances, each of which asked twice.
		if granted.Load() != 6 {
			t.Errorf("%d calls were granted, want 6", granted.Load())
		}
		valid := 0
		for i := range 12 {
			if a.Verify(t, "mail-pack", key, fmt.Sprintf("host-%d.example", i)).Get(t, "valid") == true {
				valid++
			}
		}
		if valid != 3 {
			t.Errorf("%d instances are valid, want 3", valid)
		}
	})
}

func TestVerifyRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")
	a.Activate(t, key, "a.example")

	testkit.WantRefused(t, a.Verify(t, "mail-pack", "x", "a.example"), "not_found")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", testkit.UnknownKey(), "a.example"), "not_found")
	testkit.WantRefused(t, a.Verify(t, "bare", key, "a.example"), "not_found")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "b.example"), "not_activated")
	testkit.WantFlatError(t, a.Verify(t, "nope", key, "a.example"), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Verify(t, "mail-pack", key, "\xff"), 400, "VALIDATION_ERROR")
	missing := a.Fetch(t, testkit.Products+"/mail-pack/license/verify")
	testkit.WantFlatError(t, missing, 400, "VALIDATION_ERROR")
	if got := testkit.IssuePaths(t, missing); got != "licenseKey instanceId" {
		t.Errorf("issues = %q", got)
	}
}

func TestUnpublishedProductsAreNotShown(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	for _, slug := range []string{"hidden", "nope", "UPPER", "%00", strings.Repeat("a", 200)} {
		testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/"+slug), 404, "NOT_FOUND")
	}
}
