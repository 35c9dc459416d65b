package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market"
	"stoa/internal/market/payment"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

const adminOrders = "/api/v1/admin/orders"

func adminGet(tb testing.TB, a *testkit.App, token, path string) testkit.Response {
	tb.Helper()
	return a.Do(tb, testkit.Request{Method: http.MethodGet, Path: path, Token: token})
}

func adminPost(tb testing.TB, a *testkit.App, token, path string) testkit.Response {
	tb.Helper()
	return a.Do(tb, testkit.Request{Method: http.MethodPost, Path: path, Token: token})
}

// trail returns the audit log's entries of an action, as "actor target".
func trail(tb testing.TB, a *testkit.App, token, action string) string {
	tb.Helper()
	items := adminGet(tb, a, token, "/api/v1/admin/audit?action="+action).Get(tb, "data.items").([]any)
	var lines []string
	for _, i := range items {
		target := i.(map[string]any)["target"].(map[string]any)
		lines = append(lines, fmt.Sprintf("%s %s", target["type"], target["id"]))
	}
	return strings.Join(lines, ", ")
}

func TestAdministratorsLookThroughOrders(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		importCatalog(t, a)
		admin := a.Admin(t, "root").Access
		user := a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/auth/register", Body: map[string]any{"email": "Ada@example.com", "username": "ada", "password": "secret1"}})
		order := func(slug, tier, email, token string) string {
			a.Clock.Advance(time.Second)
			body := map[string]any{"tierId": tier, "paymentMethod": "card"}
			if email != "" {
				body["billingInfo"] = map[string]any{"email": email}
			}
			return a.Do(t, testkit.Request{Method: http.MethodPost, Path: products + "/" + slug + "/purchase", Body: body, Token: token}).Text(t, "orderId")
		}
		first := order("mail-pack", "once", "bob@example.com", "")
		second := order("bare", "only", "", user.Text(t, "data.access_token"))
		third := order("mail-pack", "yearly", "ADA@EXAMPLE.COM", "")

		names := map[string]string{first: "first", second: "second", third: "third"}
		for query, want := range map[string]string{
			"":                                      "third second first of 3",
			"?limit=2":                              "third second of 3",
			"?limit=2&page=2":                       "first of 3",
			"?page=9":                               " of 3",
			"?status=paid":                          "third second first of 3",
			"?status=pending":                       " of 0",
			"?product=mail-pack":                    "third first of 2",
			"?product=nope":                         " of 0",
			"?user=anonymous":                       "third first of 2",
			"?user=" + user.Text(t, "data.user.id"): "second of 1",
			"?email=bob@example.com":                "first of 1",
			"?email=ada%40Example.com":              "third second of 2", // on the bill, or of the account
			"?email=ada@example.com&product=bare":   "second of 1",
		} {
			res := adminGet(t, a, admin, adminOrders+query)
			var got []string
			for _, item := range res.Get(t, "data.items").([]any) {
				got = append(got, names[item.(map[string]any)["id"].(string)])
			}
			if s := fmt.Sprintf("%s of %v", strings.Join(got, " "), res.Get(t, "data.pagination.total")); s != want {
				t.Errorf("%s = %q, want %q", query, s, want)
			}
		}
		res := adminGet(t, a, admin, adminOrders+"?status=open&email=x&user=%00&limit=0")
		if got := envelopeIssues(t, res); res.Status != http.StatusBadRequest || got != "limit status user email" {
			t.Errorf("faults = %d %q", res.Status, got)
		}

		one := adminGet(t, a, admin, adminOrders+"/"+first)
		if one.Text(t, "data.productSlug") != "mail-pack" || one.Get(t, "data.amount") != 49.9 || one.Text(t, "data.payment.provider") != "test" || one.Text(t, "data.paidAt") == "" {
			t.Errorf("order = %s", one.Body)
		}
		for _, id := range []string{"nope", "%00", strings.Repeat("a", 200)} {
			for _, path := range []string{"", "/refund", "/cancel"} {
				method := map[bool]string{true: http.MethodGet, false: http.MethodPost}[path == ""]
				if res := a.Do(t, testkit.Request{Method: method, Path: adminOrders + "/" + id + path, Token: admin}); res.Status != http.StatusNotFound {
					t.Errorf("%s %s%s = %d, want 404", method, id, path, res.Status)
				}
			}
		}
		for _, path := range []string{"/refund", "/cancel"} {
			if res := adminPost(t, a, user.Text(t, "data.access_token"), adminOrders+"/"+first+path); res.Status != http.StatusForbidden {
				t.Errorf("%s by a user = %d, want 403", path, res.Status)
			}
		}
	})
}

func envelopeIssues(tb testing.TB, res testkit.Response) string {
	tb.Helper()
	var paths []string
	for _, i := range res.Get(tb, "error.details.issues").([]any) {
		paths = append(paths, i.(map[string]any)["path"].(string))
	}
	return strings.Join(paths, " ")
}

// CONTRACT 3: a refund revokes, and revoked is final.
func TestARefundRevokesTheLicense(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		importCatalog(t, a)
		admin := a.Admin(t, "root").Access
		for _, tier := range []string{"once", "free"} {
			res := send(t, a, products+"/mail-pack/purchase", map[string]any{"tierId": tier, "paymentMethod": "card"})
			id, key := res.Text(t, "orderId"), res.Text(t, "licenseKey")
			activate(t, a, key, "a.example")
			if res := adminPost(t, a, admin, adminOrders+"/"+id+"/cancel"); res.Status != http.StatusConflict {
				t.Errorf("cancelling a paid order = %d %s, want 409", res.Status, res.Body)
			}
			back := adminPost(t, a, admin, adminOrders+"/"+id+"/refund")
			if back.Status != http.StatusOK || back.Text(t, "data.status") != "refunded" || back.Text(t, "data.refundedAt") == "" {
				t.Errorf("refund = %d %s", back.Status, back.Body)
			}
			wantVerdict(t, verify(t, a, "mail-pack", key, "a.example"), "revoked")
			for _, path := range []string{"/refund", "/cancel"} {
				if res := adminPost(t, a, admin, adminOrders+"/"+id+path); res.Status != http.StatusConflict {
					t.Errorf("%s again = %d %s, want 409", path, res.Status, res.Body)
				}
			}
			if got := trail(t, a, admin, "order.refund"); !strings.HasPrefix(got, "order "+id) || strings.Count(got, id) != 1 {
				t.Errorf("audit log: %q, want one entry for %s", got, id)
			}
		}
		if got := trail(t, a, admin, "order.cancel"); got != "" {
			t.Errorf("audit log: %q, want nothing of what was refused", got)
		}
	})
}

func TestAnAdministratorRefundsAndCancelsAtStripe(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	admin := a.Admin(t, "root").Access

	s := orderLive(t, a, "once")
	if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/refund"); res.Status != http.StatusConflict {
		t.Errorf("refunding a pending order = %d, want 409", res.Status)
	}
	pending := adminGet(t, a, admin, adminOrders+"/"+s.orderID)
	if pending.Text(t, "data.payment.url") != s.url || pending.Text(t, "data.payment.sessionId") != "cs_"+s.orderID {
		t.Errorf("order = %s", pending.Body)
	}
	mustTell(t, a, s.paid())
	if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/refund"); res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if got := srv.Requests("/v1/refunds"); len(got) != 1 || got[0].Form.Get("payment_intent") != "pi_"+s.orderID {
		t.Errorf("refunds at Stripe: %+v", got)
	}
	mustTell(t, a, s.refunded()) // which Stripe tells too
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")

	c := orderLive(t, a, "once")
	if res := adminPost(t, a, admin, adminOrders+"/"+c.orderID+"/cancel"); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	if got := srv.Requests("/v1/checkout/sessions/cs_" + c.orderID + "/expire"); len(got) != 1 {
		t.Errorf("the page was closed %d times, want once", len(got))
	}
	mustTell(t, a, c.expired())
	wantVerdict(t, verify(t, a, "mail-pack", c.key, "a.example"), "revoked")
	if got := trail(t, a, admin, "order.cancel"); got != "order "+c.orderID {
		t.Errorf("audit log: %q", got)
	}
}

// What the provider refuses or does not answer changes nothing here.
func TestAProviderThatFailsChangesNoOrder(t *testing.T) {
	t.Parallel()
	a, b := bankShop(t)
	admin := a.Admin(t, "root").Access

	pending := send(t, a, products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
	paid := send(t, a, products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
	o := orderOf(t, a, paid)
	o.PaidAt = testkit.T0
	if err := a.Market.Sales.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fails  error
		status int
	}{{payment.ErrRefused, http.StatusConflict}, {errors.New("no answer"), http.StatusBadGateway}} {
		b.set(tt.fails)
		for path, status := range map[string]market.OrderStatus{paid + "/refund": market.OrderPaid, pending + "/cancel": market.OrderPending} {
			if res := adminPost(t, a, admin, adminOrders+"/"+path); res.Status != tt.status {
				t.Errorf("%s = %d %s, want %d", path, res.Status, res.Body, tt.status)
			}
			id, _, _ := strings.Cut(path, "/")
			if o := orderOf(t, a, id); o.Status() != status {
				t.Errorf("after %v the order is %s, want it %s", tt.fails, o.Status(), status)
			}
		}
	}
	for _, id := range []string{paid, pending} { // as if the configuration had changed
		o := orderOf(t, a, id)
		o.Provider = "another"
		if err := a.Market.Sales.UpdateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{paid + "/refund", pending + "/cancel"} {
		if res := adminPost(t, a, admin, adminOrders+"/"+path); res.Status != http.StatusConflict || !strings.Contains(res.Text(t, "error.message"), "not configured") {
			t.Errorf("%s = %d %s", path, res.Status, res.Body)
		}
	}
	if got := trail(t, a, admin, "order"); got != "" {
		t.Errorf("audit log: %q, want nothing of what did not happen", got)
	}
}

// onBothEngines runs test once on each engine, with the options for it.
func onBothEngines(t *testing.T, test func(t *testing.T, options ...testkit.Option)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t) })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, testkit.OnPostgres) })
}

// A crash between two steps leaves work; it is found and finished.
func TestUnfinishedOrdersAreFinished(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, options ...testkit.Option) {
		a, b := bankShop(t, options...)
		ask := func(id string) {
			b.set(errors.New("no answer"))
			if _, err := a.Market.Purchase(t.Context(), "mail-pack", market.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: id}); err == nil {
				t.Fatal("the bank answered")
			}
			b.set(nil)
		}
		ask("never") // its payment never began
		late := send(t, a, products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
		o := orderOf(t, a, late) // paid after it was cancelled, and nobody could be asked
		o.CancelledAt, o.PaidAt = testkit.T0, testkit.T0
		waiting := send(t, a, products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
		if err := a.Market.Sales.UpdateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		a.Clock.Advance(25*time.Hour - time.Millisecond)
		ask("young")
		sweep := func() {
			if err := a.Market.SweepOrders(t.Context(), logtest.New(t)); err != nil {
				t.Fatal(err)
			}
		}
		sweep()
		if o := orderOf(t, a, "never"); o.Status() != market.OrderPending {
			t.Error("an order was given up a millisecond too early")
		}
		a.Clock.Advance(time.Millisecond)
		sweep()
		for id, want := range map[string]market.OrderStatus{"never": market.OrderCancelled, "young": market.OrderPending, waiting: market.OrderPending, late: market.OrderCancelled} {
			if o := orderOf(t, a, id); o.Status() != want {
				t.Errorf("%s is %s, want %s", id, o.Status(), want)
			}
		}
		if o := orderOf(t, a, late); o.RefundedAt.IsZero() || len(b.refunded) != 1 || b.refunded[0] != late {
			t.Errorf("the late payment was given back %q (%s), want once", b.refunded, o.RefundedAt)
		}
	})
}
