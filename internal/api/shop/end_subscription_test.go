package shop_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// endOf is a request of the user of a token to end the subscription of an order.
func endOf(token, id string) testkit.Request {
	return testkit.Post(token, ordersPath+id+"/end-subscription", nil)
}

// wantEnds checks what an order and its license, as their owner sees them, say.
func wantEnds(t *testing.T, a *testkit.App, token, id string, ends bool) {
	t.Helper()
	o := a.Do(t, testkit.Get(token, ordersPath+id))
	l := a.Do(t, testkit.Get(token, ownLicenses+"/"+o.Text(t, "licenseId")))
	for name, res := range map[string]testkit.Response{"order": o, "license": l} {
		if got := strings.Contains(string(res.Body), `"ends":true`); got != ends {
			t.Errorf("the %s ends: %v, want %v: %s", name, got, ends, res.Body)
		}
	}
	if l.Text(t, "orderId") != id || l.Text(t, "tierName") != "Monthly" || o.Text(t, "tierName") != "Monthly" ||
		o.Text(t, "billingPeriod") != "monthly" || o.Text(t, "expiresAt") != l.Text(t, "expiresAt") {
		t.Errorf("order %s, license %s", o.Body, l.Body)
	}
}

// In test mode nothing renews, so the license ends at its date anyway.
func TestOwnersEndTheirSubscription(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada").Access, a.Register(t, "bob").Access
		bought := a.Buy(t, ada, "monthly")
		id, key := bought.Text(t, "orderId"), bought.Text(t, "licenseKey")
		a.Activate(t, key, "a.example")
		wantEnds(t, a, ada, id, false)

		guest := a.Order(t, "", "monthly", "ada@example.com").Text(t, "orderId")
		for _, other := range []string{guest, "nothing", "%00"} {
			testkit.WantFlatError(t, a.Do(t, endOf(ada, other)), http.StatusNotFound, "NOT_FOUND")
		}
		testkit.WantFlatError(t, a.Do(t, endOf(bob, id)), http.StatusNotFound, "NOT_FOUND")
		testkit.WantFlatError(t, a.Do(t, endOf("", id)), http.StatusUnauthorized, "UNAUTHORIZED")
		for _, tier := range []string{"free", "once"} {
			other := a.Buy(t, ada, tier).Text(t, "orderId")
			testkit.WantFlatError(t, a.Do(t, endOf(ada, other)), http.StatusConflict, "CONFLICT")
		}
		refunded := a.Buy(t, ada, "monthly").Text(t, "orderId")
		root := a.Admin(t, "root").Access
		a.Refund(t, root, refunded)
		testkit.WantFlatError(t, a.Do(t, endOf(ada, refunded)), http.StatusConflict, "CONFLICT")

		// However often and from wherever at once, it is ended once.
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				res := a.Do(t, endOf(ada, id))
				if res.Status != http.StatusOK || res.Get(t, "ends") != true || res.Text(t, "id") != id {
					t.Errorf("end = %d %s", res.Status, res.Body)
				}
			})
		}
		all.Wait()
		wantEnds(t, a, ada, id, true)
		audit := a.Do(t, testkit.Get(root, "/api/v1/admin/audit?action=license.update"))
		if n := strings.Count(string(audit.Body), `"ends":true`); n != 1 {
			t.Errorf("%d entries in the audit log, want one: %s", n, audit.Body)
		}
		for _, path := range []string{"/api/v1/admin/orders/" + id, "/api/v1/admin/licenses?user=" + a.StoredOrder(t, id).UserID} {
			if res := a.Do(t, testkit.Get(root, path)); !strings.Contains(string(res.Body), `"ends":true`) {
				t.Errorf("administrators do not see it: %s", res.Body)
			}
		}

		l, err := a.Licenses.Get(t.Context(), a.StoredOrder(t, id).LicenseID)
		if err != nil {
			t.Fatal(err)
		}
		moveTo(a, l.License.ExpiresAt.Add(-time.Second))
		if res := a.Verify(t, "mail-pack", key, "a.example"); res.Get(t, "valid") != true {
			t.Errorf("before the end of what is paid: %s", res.Body)
		}
		moveTo(a, l.License.ExpiresAt)
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "a.example"), "expired")
		ada = a.Login(t, "ada").Access
		testkit.WantFlatError(t, a.Do(t, endOf(ada, id)), http.StatusConflict, "CONFLICT")
	})
}

func TestASubscriptionIsEndedAtStripe(t *testing.T) {
	t.Parallel()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a, srv := testkit.NewStripeShop(t, append(options, withLeeway)...)
		ada := a.Register(t, "ada").Access
		res := a.Buy(t, ada, "monthly")
		s := testkit.Sale{OrderID: res.Text(t, "orderId"), Key: res.Text(t, "licenseKey")}
		testkit.WantFlatError(t, a.Do(t, endOf(ada, s.OrderID)), http.StatusConflict, "CONFLICT") // not paid
		a.MustDeliver(t, s.Subscribed("evt_", "checkout.session.completed", "paid"))
		if o := a.Do(t, testkit.Get(ada, ordersPath+s.OrderID)); o.Get(t, "renews") != true {
			t.Errorf("the order does not renew: %s", o.Body)
		}

		path := "/v1/subscriptions/sub_" + s.OrderID
		srv.Answer(refusing(path, http.StatusUnauthorized, testkit.StripePages))
		testkit.WantFlatError(t, a.Do(t, endOf(ada, s.OrderID)), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
		srv.Answer(refusing(path, http.StatusNotFound, testkit.StripePages))
		testkit.WantFlatError(t, a.Do(t, endOf(ada, s.OrderID)), http.StatusConflict, "CONFLICT")
		wantEnds(t, a, ada, s.OrderID, false)
		ended := testkit.T0.Add(time.Hour)
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if r.Path != path {
				return testkit.StripePages(r)
			}
			return &stripetest.Answer{Body: map[string]any{
				"id": "sub_1", "object": "subscription", "canceled_at": ended.Unix(), "cancel_at_period_end": true,
			}}
		})
		before := len(srv.Requests(path))
		for range 2 {
			if res := a.Do(t, endOf(ada, s.OrderID)); res.Status != http.StatusOK || res.Get(t, "ends") != true ||
				strings.Contains(string(res.Body), "renews") {
				t.Errorf("end = %d %s", res.Status, res.Body)
			}
		}
		asked := srv.Requests(path)[before:]
		if len(asked) != 1 || asked[0].Method != http.MethodPost || asked[0].Form.Get("cancel_at_period_end") != "true" {
			t.Errorf("Stripe was asked %+v", asked)
		}
		wantEnds(t, a, ada, s.OrderID, true)

		// Stripe's own words keep it true: in its dashboard the end can be taken back.
		change := func(at time.Time, ends bool) {
			a.MustDeliver(t, stripetest.Event("evt_"+at.Format(time.RFC3339), "customer.subscription.updated", at,
				map[string]any{
					"id": "sub_" + s.OrderID, "metadata": map[string]any{"orderId": s.OrderID}, "status": "active",
					"cancel_at_period_end": ends,
				}))
			wantEnds(t, a, ada, s.OrderID, ends)
		}
		change(ended, true)
		change(ended.Add(time.Hour), false)
		change(ended.Add(2*time.Hour), true)
	})
}
