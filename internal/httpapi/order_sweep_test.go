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
	"stoa/internal/testkit/stripetest"
)

// Stripe may have told of a payment in vain for days: its secret was wrong, or
// stoa was away.
func TestAnOrderWhoseWebhookIsLostIsLookedUp(t *testing.T) {
	t.Parallel()

	refused := map[string]any{"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "requires_payment_method"}}
	waiting := map[string]any{"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "processing"}}
	for _, tt := range []struct {
		name, status, paid string
		more               map[string]any
		want               market.OrderStatus
	}{
		{"paid", "complete", "paid", nil, market.OrderPaid},
		{"expired", "expired", "unpaid", nil, market.OrderCancelled},
		{"open", "open", "unpaid", nil, market.OrderPending},
		{"the bank has not answered", "complete", "unpaid", waiting, market.OrderPending},
		{"the bank refused", "complete", "unpaid", refused, market.OrderCancelled},
		{"a cent is paid", "complete", "paid", map[string]any{"amount_total": 1}, market.OrderPending},
		{"another page", "complete", "paid", map[string]any{"id": "cs_other"}, market.OrderPending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, srv := testkit.NewStripeShop(t)
			s := a.Sell(t, "once")
			srv.Answer(s.Page(tt.status, tt.paid, tt.more))
			a.Clock.Advance(25*time.Hour - time.Millisecond)
			a.SweepOrders(t)
			if n := len(srv.Requests("/v1/checkout/sessions/cs_" + s.OrderID)); n != 0 {
				t.Errorf("Stripe was asked %d times about a page that may be open", n)
			}
			a.Clock.Advance(time.Millisecond)
			a.SweepOrders(t)
			a.SweepOrders(t)
			if o := a.StoredOrder(t, s.OrderID); o.Status() != tt.want {
				t.Errorf("the order is %s, want %s", o.Status(), tt.want)
			}
			if n := len(srv.Requests("/v1/checkout/sessions/cs_" + s.OrderID)); n != 1 {
				t.Errorf("Stripe was asked %d times, want once", n)
			}
		})
	}
}

// What was looked up and what the webhook tells after all are one payment.
func TestAWebhookAfterALookUpChangesNothing(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	a.Clock.Advance(5 * 24 * time.Hour)
	a.SweepOrders(t)
	a.Activate(t, s.Key, "a.example")
	a.MustDeliver(t, s.Paid())
	if o := a.StoredOrder(t, s.OrderID); o.Status() != market.OrderPaid || !o.PaidAt.Equal(testkit.T0.Add(time.Minute)) || o.Payment.Payment != "pi_"+s.OrderID {
		t.Errorf("the order is %+v", o)
	}
	if got := downloads(t, a); got != 101 {
		t.Errorf("downloadCount = %v, want one sale", got)
	}
}

// An administrator need not wait for a webhook that never comes.
func TestAnAdministratorCanEndAnOrderWhoseWebhookIsLost(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access

	s := a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+s.OrderID+"/cancel", nil)); res.Status != http.StatusConflict || !strings.Contains(string(res.Body), "Refund a paid one") {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	if o := a.StoredOrder(t, s.OrderID); o.Status() != market.OrderPaid {
		t.Errorf("the order is %s, want it noted as paid", o.Status())
	}

	s = a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+s.OrderID+"/refund", nil)); res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}

	s = a.Sell(t, "once")
	srv.Answer(s.Page("complete", "unpaid", map[string]any{"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "canceled"}}))
	if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+s.OrderID+"/cancel", nil)); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel of what the bank refused = %d %s", res.Status, res.Body)
	}
}

// Whether a pending order is paid is not known while Stripe is away: nobody is told
// that it is not.
func TestAnAdministratorIsToldOfAnOutage(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	s := a.Sell(t, "monthly")
	page, sub := "/v1/checkout/sessions/cs_"+s.OrderID, map[string]any{"id": "sub_" + s.OrderID, "object": "subscription", "status": "canceled"}
	stripe := s.Page("complete", "unpaid", map[string]any{"payment_intent": nil, "subscription": sub})
	away := func(lookUp, end bool) {
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if lookUp && r.Path == page && r.Form.Has("expand[0]") || end && r.Path == "/v1/subscriptions/sub_"+s.OrderID {
				return &stripetest.Answer{Status: http.StatusUnauthorized, Body: map[string]any{"error": map[string]any{"message": "No."}}}
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
		if o := a.StoredOrder(t, s.OrderID); o.Status() != market.OrderPending {
			t.Errorf("after %s the order is %s", path, o.Status())
		}
	}
	// What is known decides, though something is left to do.
	away(false, true)
	if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+s.OrderID+"/cancel", nil)); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	away(false, false)
	a.SweepOrders(t)
	if o := a.StoredOrder(t, s.OrderID); o.EndedAt.IsZero() {
		t.Error("the subscription was not ended")
	}
}

// A payment that the provider will not give back must neither be asked for
// forever nor stand in the way of others.
func TestALatePaymentThatCannotBeGivenBackIsGivenUp(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	late := a.Send(t, testkit.Products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
	o := a.StoredOrder(t, late)
	o.CancelledAt, o.PaidAt = testkit.T0, testkit.T0
	if err := a.Market.Sales.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	b.Fail(fmt.Errorf("disputed: %w", payment.ErrRefused))
	log := ""
	for range 40 * 24 * 6 { // forty days, every ten minutes
		log += a.SweepOrders(t)
		a.Clock.Advance(10 * time.Minute)
	}
	if got := len(b.Refunded()); got != market.SweepTries {
		t.Errorf("%d tries, want %d", got, market.SweepTries)
	}
	if strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "given up") || !strings.Contains(log, late) {
		t.Errorf("want one ERROR that names the order, got:\n%s", log)
	}
	// An administrator tries once more when the dispute is over.
	admin := a.Admin(t, "root").Access
	if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+late+"/refund", nil)); res.Status != http.StatusConflict {
		t.Errorf("refund = %d %s, want 409", res.Status, res.Body)
	}
	b.Fail(nil)
	res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+late+"/refund", nil))
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" || res.Text(t, "data.refundedAt") == "" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+late+"/refund", nil)); res.Status != http.StatusConflict {
		t.Errorf("refund again = %d, want 409", res.Status)
	}
}

// While the provider is away nothing is decided.
func TestAnOutageDecidesNothing(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	id := a.Send(t, testkit.Products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
	a.Clock.Advance(25 * time.Hour)
	b.Fail(errors.New("no answer"))
	if log := a.SweepOrders(t); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "no answer") {
		t.Errorf("log: %s", log)
	}
	b.Fail(nil)
	b.Show(payment.Event{ID: "failed 1", Kind: payment.Failed})
	a.SweepOrders(t)
	if o := a.StoredOrder(t, id); o.Status() != market.OrderPending || b.LookUps() != 1 {
		t.Errorf("the order is %s after %d look-ups, want it put off", o.Status(), b.LookUps())
	}
	a.Clock.Advance(10 * time.Minute)
	a.SweepOrders(t)
	if o := a.StoredOrder(t, id); o.Status() != market.OrderCancelled {
		t.Errorf("the order is %s, want it cancelled", o.Status())
	}
}
