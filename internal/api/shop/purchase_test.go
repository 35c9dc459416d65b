package shop_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"stoa/internal/app"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit"
)

// Parallel purchases are all counted.
func TestEveryPurchaseIsCounted(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { a.BuyKey(t, "", "monthly") })
		}
		wg.Wait()
		if got := a.Fetch(t, testkit.Products+"/mail-pack").Get(t, "downloadCount"); got != 120.0 {
			t.Errorf("downloadCount = %v, want 120", got)
		}
	})
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
		{
			"wrong types", "mail-pack",
			`{"tierId":1,"paymentMethod":[],"billingInfo":{"name":1,"email":true,"company":{}}}`,
			"VALIDATION_ERROR", "tierId paymentMethod billingInfo.name billingInfo.email billingInfo.company",
		},
		{
			"billingInfo not an object", "mail-pack",
			`{"tierId":"free","paymentMethod":"card","billingInfo":"Ada"}`, "VALIDATION_ERROR", "billingInfo",
		},
		{
			"control characters", "mail-pack",
			`{"tierId":"free","paymentMethod":"a\u0000"}`, "VALIDATION_ERROR", "paymentMethod",
		},
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

	user := a.Send(t, "/auth/register", map[string]any{
		"email": "ada@example.com", "username": "ada", "password": "secret1",
	})
	req := testkit.Post(user.Text(t, "data.access_token"), testkit.Products+"/mail-pack/purchase",
		`{"tierId":"once","paymentMethod":"card"}`)
	order, err := a.Orders.Store.OrderByID(t.Context(), a.Do(t, req).Text(t, "orderId"))
	if err != nil || order.UserID != user.Text(t, "data.user.id") || order.UserID == "" {
		t.Errorf("order of %q (%v), want of %q", order.UserID, err, user.Text(t, "data.user.id"))
	}
	req.Token = "nonsense"
	testkit.WantFlatError(t, a.Do(t, req), 401, "UNAUTHORIZED")
}

// STOA_PAYMENTS=live without a provider (contract 3.4).
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

func TestALicenseWorksOnlyOncePaid(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)

	res := a.Send(t, testkit.Products+"/mail-pack/purchase",
		`{"tierId":"monthly","paymentMethod":"card","billingInfo":{"email":"ada@example.com"}}`)
	orderID, key := res.Text(t, "orderId"), res.Text(t, "licenseKey")
	if got := res.Text(t, "paymentUrl"); got != "https://bank.example/pay/"+orderID {
		t.Errorf("paymentUrl = %q", got)
	}
	if o := a.StoredOrder(t, orderID); o.Status() != order.Pending || o.Payment.Session != "session-"+orderID ||
		o.Provider != "bank" {
		t.Errorf("order is %s of %q in session %q; want it pending", o.Status(), o.Provider, o.Payment.Session)
	}
	want := payment.Charge{
		OrderID: orderID, Method: "card", Minor: 500, Exponent: 2,
		Currency: "EUR", Name: "Mail Pack – Monthly", Email: "ada@example.com", Months: 1,
	}
	if len(b.Charges()) != 1 || b.Charges()[0] != want {
		t.Errorf("the bank was asked for %+v, want %+v", b.Charges(), want)
	}
	testkit.WantFlatError(t, a.Activate(t, key, "a.example"), 400, "ACTIVATION_FAILED")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "a.example"), "unpaid")
	if got := downloads(t, a); got != 100 {
		t.Errorf("downloadCount = %v, want it counted once it is paid", got)
	}

	a.BuyKey(t, "", "free") // nobody has to pay for it
	if got := downloads(t, a); got != 101 || len(b.Charges()) != 1 {
		t.Errorf("downloadCount = %v and %d payments, want the free one counted and not paid", got, len(b.Charges()))
	}
}

// A provider refuses an invalid address, and a bill need not have a valid one.
func TestOnlyAnAddressIsTakenToThePaymentPage(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	for _, email := range []string{"", "ada", "ada@example.com, eve@example.com"} {
		a.Send(t, testkit.Products+"/mail-pack/purchase", map[string]any{
			"tierId": "once", "paymentMethod": "card", "billingInfo": map[string]any{"email": email},
		}).Text(t, "orderId")
		if got := b.Charges()[len(b.Charges())-1].Email; got != "" {
			t.Errorf("the bank got %q", got)
		}
	}
}

// Nothing is sold while the bank does not answer.
func TestAPurchaseWhosePaymentCannotBeginIsCancelled(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name   string
		fails  error
		status int
	}{
		{"refused", fmt.Errorf("too small: %w", payment.ErrRefused), http.StatusBadRequest},
		{"unreachable", errors.New("no answer"), http.StatusBadGateway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := testkit.NewBankShop(t)
			b.Fail(tt.fails)
			testkit.WantFlatError(t, a.Do(t, testkit.Purchase("", "once")), tt.status, "PURCHASE_FAILED")
			o := a.StoredOrder(t, b.Charges()[0].OrderID)
			if l, err := a.Orders.Store.LicenseByID(t.Context(), o.LicenseID); err != nil ||
				o.Status() != order.Cancelled || l.RevokedAt.IsZero() || l.Paid {
				t.Errorf("the order is %s and its license %+v (%v); want it cancelled and revoked", o.Status(), l, err)
			}
		})
	}
}

// A caller that chooses the order's id may repeat a purchase: after a lost
// answer, a crash, or an outage of the bank.
func TestAPurchaseWithAChosenIDHappensOnce(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		req := order.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: "chosen-1"}

		var (
			wg       sync.WaitGroup
			receipts [8]order.Confirmation
			failures [8]error
		)
		for i := range receipts {
			wg.Go(func() { receipts[i], failures[i] = a.Orders.Purchase(t.Context(), "mail-pack", req) })
		}
		wg.Wait()
		for i := range receipts {
			if failures[i] != nil || receipts[i] != receipts[0] || receipts[i].OrderID != "chosen-1" {
				t.Fatalf("purchase %d = %+v, %v; want %+v", i, receipts[i], failures[i], receipts[0])
			}
		}
		if got := downloads(t, a); got != 101 {
			t.Errorf("downloadCount = %v, want one purchase counted", got)
		}
		if res := a.Activate(t, receipts[0].LicenseKey.Reveal(), "a.example"); res.Status != http.StatusOK {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}

		other := req
		other.TierID = "free"
		if _, err := a.Orders.Purchase(t.Context(), "mail-pack", other); !errors.Is(err, order.ErrIDTaken) {
			t.Errorf("another tier = %v, want ErrOrderTaken", err)
		}
		other.TierID = "only"
		if _, err := a.Orders.Purchase(t.Context(), "bare", other); !errors.Is(err, order.ErrIDTaken) {
			t.Errorf("another product = %v, want ErrOrderTaken", err)
		}
		ada := reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: "ada"})
		if got, err := a.Orders.Purchase(ada, "mail-pack", req); !errors.Is(err, order.ErrIDTaken) {
			t.Errorf("another buyer = %+v, %v; want ErrOrderTaken and not the key", got, err)
		}
	})
}

func TestAPurchaseWithAChosenIDBeginsItsPaymentAgain(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	req := order.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: "chosen-1"}

	b.Fail(errors.New("no answer"))
	if _, err := a.Orders.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, order.ErrPaymentUnreachable) {
		t.Fatalf("Purchase = %v, want ErrPaymentUnreachable", err)
	}
	if o := a.StoredOrder(t, "chosen-1"); o.Status() != order.Pending {
		t.Fatalf("the order is %s, want it pending: it can be asked for again", o.Status())
	}
	b.Fail(nil)
	first, err := a.Orders.Purchase(t.Context(), "mail-pack", req)
	if err != nil || first.PaymentURL != "https://bank.example/pay/chosen-1" {
		t.Fatalf("Purchase = %+v, %v", first, err)
	}
	again, err := a.Orders.Purchase(t.Context(), "mail-pack", req)
	if err != nil || again != first || len(b.Charges()) != 2 {
		t.Errorf("Purchase = %+v, %v after %d payments; want %+v and the page that is open", again, err, len(b.Charges()),
			first)
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", first.LicenseKey.Reveal(), "a.example"), "unpaid")

	req.OrderID = "chosen-2"
	b.Fail(payment.ErrRefused)
	if _, err := a.Orders.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, order.ErrPaymentRefused) {
		t.Errorf("Purchase = %v, want ErrPaymentRefused", err)
	}
	b.Fail(nil)
	if _, err := a.Orders.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, order.ErrCancelled) {
		t.Errorf("Purchase of a cancelled order = %v, want ErrOrderCancelled", err)
	}

	req.OrderID = "chosen-3"
	b.Fail(errors.New("no answer"))
	if _, err := a.Orders.Purchase(t.Context(), "mail-pack", req); err == nil {
		t.Fatal("the bank answered")
	}
	b.Fail(nil)
	o := a.StoredOrder(t, req.OrderID)
	o.Provider = "another" // as if the configuration had changed
	if err := a.Orders.Store.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Orders.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, order.ErrPaymentNotTaken) {
		t.Errorf("Purchase of another provider's order = %v, want ErrPaymentNotTaken", err)
	}
}
