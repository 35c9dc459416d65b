package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// portalOf is a request of the user of a token to manage the payment of an order.
func portalOf(token, id string) testkit.Request {
	return testkit.Post(token, ordersPath+id+"/portal", nil)
}

func TestTestPaymentsAreManagedOnAPageOfTheShop(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada").Access, a.Register(t, "bob").Access
		for _, tier := range []string{"monthly", "once"} {
			id := a.Buy(t, ada, tier).Text(t, "orderId")
			res := a.Do(t, portalOf(ada, id))
			if want := a.Orders.PublicURL + "/payment/portal/" + id; res.Status != http.StatusOK || res.Text(t, "url") != want {
				t.Errorf("%s: %d %s, want %s", tier, res.Status, res.Body, want)
			}
			if res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: Cache-Control %q", tier, res.Header.Get("Cache-Control"))
			}
			testkit.WantFlatError(t, a.Do(t, portalOf(bob, id)), http.StatusNotFound, "NOT_FOUND")
			testkit.WantFlatError(t, a.Do(t, portalOf("", id)), http.StatusUnauthorized, "UNAUTHORIZED")
		}
		guest := a.Order(t, "", "monthly", "ada@example.com").Text(t, "orderId")
		for _, other := range []string{guest, "nothing", "%00"} {
			testkit.WantFlatError(t, a.Do(t, portalOf(ada, other)), http.StatusNotFound, "NOT_FOUND")
		}
		free := a.Buy(t, ada, "free").Text(t, "orderId")
		testkit.WantFlatError(t, a.Do(t, portalOf(ada, free)), http.StatusConflict, "CONFLICT")
	})
}

// portalAt answers as Stripe with a portal for each customer. Pages of older orders have the customer cus_old; with a
// failing path, Stripe refuses requests to it.
func portalAt(failing string, status int) func(stripetest.Request) *stripetest.Answer {
	return func(r stripetest.Request) *stripetest.Answer {
		switch {
		case failing != "" && strings.HasPrefix(r.Path, failing):
			return &stripetest.Answer{Status: status, Body: map[string]any{
				"error": map[string]any{"type": "invalid_request_error", "message": "No."},
			}}
		case r.Path == "/v1/billing_portal/configurations" && r.Method == http.MethodGet:
			return &stripetest.Answer{Body: map[string]any{"object": "list", "url": r.Path, "data": []any{}}}
		case r.Path == "/v1/billing_portal/sessions":
			return &stripetest.Answer{Body: map[string]any{
				"id": "bps_1", "url": "https://billing.stripe.com/" + r.Form.Get("customer") + "?back=" + r.Form.Get("return_url"),
			}}
		case strings.HasPrefix(r.Path, "/v1/checkout/sessions/cs_"):
			return &stripetest.Answer{Body: map[string]any{"id": "cs_1", "object": "checkout.session", "customer": "cus_old"}}
		}
		return testkit.StripePages(r)
	}
}

func TestPaymentsAreManagedAtStripe(t *testing.T) {
	t.Parallel()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a, srv := testkit.NewStripeShop(t, options...)
		srv.Answer(portalAt("", 0))
		ada := a.Register(t, "ada").Access
		id := a.Buy(t, ada, "once").Text(t, "orderId")
		if opened := srv.Requests("/v1/checkout/sessions"); opened[0].Form.Get("customer_creation") != "always" {
			t.Errorf("the page makes no customer: %v", opened[0].Form)
		}
		testkit.WantFlatError(t, a.Do(t, portalOf(ada, id)), http.StatusConflict, "CONFLICT") // not paid
		paid := func(id, kind string, more map[string]any) {
			object := map[string]any{
				"id": "cs_" + id, "metadata": map[string]any{"orderId": id}, "payment_status": "paid",
				"amount_total": 4990, "currency": "eur",
			}
			for name, value := range more {
				object[name] = value
			}
			a.MustDeliver(t, stripetest.Event("evt_"+id, kind, testkit.T0.Add(time.Minute), object))
		}
		paid(id, "checkout.session.completed", map[string]any{"payment_intent": "pi_1", "customer": "cus_new"})
		wants := func(id, customer string) {
			t.Helper()
			res := a.Do(t, portalOf(ada, id))
			want := "https://billing.stripe.com/" + customer + "?back=" + a.Orders.PublicURL + "/orders/" + id
			if res.Status != http.StatusOK || res.Text(t, "url") != want {
				t.Errorf("portal = %d %s, want %s", res.Status, res.Body, want)
			}
		}
		wants(id, "cus_new")
		older := a.Buy(t, ada, "once").Text(t, "orderId")
		paid(older, "checkout.session.completed", map[string]any{"payment_intent": "pi_2"})
		wants(older, "cus_old")
		root := a.Admin(t, "root").Access
		a.Refund(t, root, id)
		wants(id, "cus_new") // there may be an invoice to look at

		srv.Answer(portalAt("/v1/billing_portal/sessions", http.StatusUnauthorized))
		testkit.WantFlatError(t, a.Do(t, portalOf(ada, older)), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
		srv.Answer(portalAt("/v1/checkout/sessions/cs_", http.StatusNotFound))
		testkit.WantFlatError(t, a.Do(t, portalOf(ada, older)), http.StatusConflict, "CONFLICT")
	})
}

// What buyers do in the portal comes back by webhook: another card changes nothing, and an end is shown everywhere,
// until it is taken back.
func TestWhatBuyersDoInThePortalShowsInTheirLicenses(t *testing.T) {
	t.Parallel()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a, _ := testkit.NewStripeShop(t, append(options, withLeeway)...)
		ada, root := a.Register(t, "ada").Access, a.Admin(t, "root").Access
		res := a.Buy(t, ada, "monthly")
		s := testkit.Sale{OrderID: res.Text(t, "orderId"), Key: res.Text(t, "licenseKey")}
		a.MustDeliver(t, s.Subscribed("evt_", "checkout.session.completed", "paid"))
		n := 0
		tell := func(kind string, at time.Duration, object map[string]any) {
			n++
			a.MustDeliver(t, stripetest.Event(kind+string(rune('a'+n)), kind, testkit.T0.Add(at), object))
		}
		sub := func(more map[string]any) map[string]any {
			object := map[string]any{
				"id": "sub_" + s.OrderID, "metadata": map[string]any{"orderId": s.OrderID}, "status": "active",
				"cancel_at_period_end": false, "cancel_at": nil,
			}
			for name, value := range more {
				object[name] = value
			}
			return object
		}
		l := a.StoredOrder(t, s.OrderID).LicenseID
		wants := func(when string, ends bool) {
			t.Helper()
			for _, req := range []testkit.Request{
				testkit.Get(ada, ordersPath+s.OrderID), testkit.Get(ada, strings.TrimSuffix(ordersPath, "/")),
				testkit.Get(ada, ownLicenses+"/"+l), testkit.Get(ada, ownLicenses),
				testkit.Get(root, "/api/v1/admin/orders/"+s.OrderID), testkit.Get(root, "/api/v1/admin/orders"),
				testkit.Get(root, "/api/v1/admin/licenses/"+l), testkit.Get(root, "/api/v1/admin/licenses"),
			} {
				res := a.Do(t, req)
				if got := strings.Contains(string(res.Body), `"ends":true`); res.Status != http.StatusOK || got != ends {
					t.Errorf("%s: %s = %d, ends: %v, want %v: %s", when, req.Path, res.Status, got, ends, res.Body)
				}
			}
		}

		tell("payment_method.attached", time.Hour, map[string]any{"id": "pm_1", "customer": "cus_1"})
		tell("customer.updated", time.Hour, map[string]any{"id": "cus_1"})
		tell("customer.tax_id.created", time.Hour, map[string]any{"id": "txi_1", "customer": "cus_1"})
		tell("customer.subscription.updated", time.Hour, sub(map[string]any{"default_payment_method": "pm_1"}))
		wants("another card", false)
		tell("customer.subscription.updated", 2*time.Hour, sub(map[string]any{"cancel_at_period_end": true}))
		wants("ended", true)
		tell("customer.subscription.updated", time.Hour, sub(nil)) // what was before comes late
		wants("ended, told late", true)
		tell("customer.subscription.updated", 3*time.Hour, sub(nil))
		wants("taken back", false)
		// Newer portals name the time.
		tell("customer.subscription.updated", 4*time.Hour, sub(map[string]any{"cancel_at": testkit.T0.AddDate(0, 1, 0).Unix()}))
		wants("ended at a time", true)
	})
}
