package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/shop/order"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// An administrator need not wait for a webhook that never comes.
func TestAnAdministratorCanEndAnOrderWhoseWebhookIsLost(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access

	s := a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	if res := a.Cancel(t, admin, s.OrderID); res.Status != http.StatusConflict ||
		!strings.Contains(string(res.Body), "Refund a paid one") {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Paid {
		t.Errorf("the order is %s, want it noted as paid", o.Status())
	}

	s = a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	if res := a.Refund(t, admin, s.OrderID); res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}

	s = a.Sell(t, "once")
	srv.Answer(s.Page("complete", "unpaid", map[string]any{
		"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "canceled"},
	}))
	if res := a.Cancel(t, admin, s.OrderID); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel of what the bank refused = %d %s", res.Status, res.Body)
	}
}

// While Stripe is down nobody knows whether a pending order is paid: the answer
// must not deny it.
func TestAnAdministratorIsToldOfAnOutage(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	s := a.Sell(t, "monthly")
	page, sub := "/v1/checkout/sessions/cs_"+s.OrderID, map[string]any{
		"id": "sub_" + s.OrderID, "object": "subscription", "status": "canceled",
	}
	stripe := s.Page("complete", "unpaid", map[string]any{"payment_intent": nil, "subscription": sub})
	away := func(lookUp, end bool) {
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if lookUp && r.Path == page && r.Form.Has("expand[0]") || end &&
				r.Path == "/v1/subscriptions/sub_"+s.OrderID {
				return &stripetest.Answer{
					Status: http.StatusUnauthorized, Body: map[string]any{"error": map[string]any{"message": "No."}},
				}
			}
			return stripe(r)
		})
	}
	away(true, false)
	for _, path := range []string{"/refund", "/cancel"} {
		res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+s.OrderID+path, nil))
		if res.Status != http.StatusBadGateway || res.Text(t, "error.code") != "PAYMENT_UNREACHABLE" {
			t.Errorf("%s = %d %s, want 502", path, res.Status, res.Body)
		}
		if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Pending {
			t.Errorf("after %s the order is %s", path, o.Status())
		}
	}
	// The known outcome decides, even if a step is left to do.
	away(false, true)
	if res := a.Cancel(t, admin, s.OrderID); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	away(false, false)
	a.SweepOrders(t)
	if o := a.StoredOrder(t, s.OrderID); o.EndedAt.IsZero() {
		t.Error("the subscription was not ended")
	}
}

func TestAnAdministratorRefundsAndCancelsAtStripe(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access

	s := a.Sell(t, "once")
	if res := a.Refund(t, admin, s.OrderID); res.Status != http.StatusConflict {
		t.Errorf("refunding a pending order = %d, want 409", res.Status)
	}
	pending := a.Do(t, testkit.Get(admin, testkit.AdminOrders+"/"+s.OrderID))
	if pending.Text(t, "data.payment.url") != s.URL || pending.Text(t, "data.payment.sessionId") != "cs_"+s.OrderID {
		t.Errorf("order = %s", pending.Body)
	}
	a.MustDeliver(t, s.Paid())
	if res := a.Refund(t, admin, s.OrderID); res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if got := srv.Requests("/v1/refunds"); len(got) != 1 || got[0].Form.Get("payment_intent") != "pi_"+s.OrderID {
		t.Errorf("refunds at Stripe: %+v", got)
	}
	a.MustDeliver(t, s.Refunded()) // Stripe reports the refund too
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")

	c := a.Sell(t, "once")
	if res := a.Cancel(t, admin, c.OrderID); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	if got := srv.Requests("/v1/checkout/sessions/cs_" + c.OrderID + "/expire"); len(got) != 1 {
		t.Errorf("the page was closed %d times, want once", len(got))
	}
	a.MustDeliver(t, c.Expired())
	testkit.WantRefused(t, a.Verify(t, "mail-pack", c.Key, "a.example"), "revoked")
	if got := audited(t, a, admin, "order.cancel"); len(got) != 1 || got[0] != "order.cancel order:"+c.OrderID {
		t.Errorf("audit log: %q", got)
	}
}
