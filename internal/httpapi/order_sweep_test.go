package httpapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market"
	"stoa/internal/market/payment"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// sweepNow sweeps and returns what was logged.
func sweepNow(t *testing.T, a *testkit.App) string {
	t.Helper()
	var out bytes.Buffer
	if err := a.Market.SweepOrders(t.Context(), slog.New(slog.NewTextHandler(&out, nil))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// pageIs has Stripe say what became of a sale's page. Such a page cannot be
// closed.
func pageIs(srv *stripetest.Server, s sale, status, paid string, more map[string]any) {
	srv.Answer(s.page(status, paid, more))
}

func (s sale) page(status, paid string, more map[string]any) func(stripetest.Request) *stripetest.Answer {
	return func(r stripetest.Request) *stripetest.Answer {
		page := "/v1/checkout/sessions/cs_" + s.orderID
		switch r.Path {
		case page:
			body := map[string]any{
				"id": "cs_" + s.orderID, "object": "checkout.session", "metadata": map[string]any{"orderId": s.orderID},
				"status": status, "payment_status": paid, "amount_total": 4990, "currency": "eur", "payment_intent": map[string]any{"id": "pi_" + s.orderID, "object": "payment_intent"},
			}
			for k, v := range more {
				body[k] = v
			}
			return &stripetest.Answer{Body: body}
		case page + "/expire":
			return &stripetest.Answer{Status: http.StatusBadRequest, Body: map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "No."}}}
		}
		return stripePages(r)
	}
}

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
			a, srv := liveShop(t)
			s := orderLive(t, a, "once")
			pageIs(srv, s, tt.status, tt.paid, tt.more)
			a.Clock.Advance(25*time.Hour - time.Millisecond)
			sweepNow(t, a)
			if n := len(srv.Requests("/v1/checkout/sessions/cs_" + s.orderID)); n != 0 {
				t.Errorf("Stripe was asked %d times about a page that may be open", n)
			}
			a.Clock.Advance(time.Millisecond)
			sweepNow(t, a)
			sweepNow(t, a)
			if o := orderOf(t, a, s.orderID); o.Status() != tt.want {
				t.Errorf("the order is %s, want %s", o.Status(), tt.want)
			}
			if n := len(srv.Requests("/v1/checkout/sessions/cs_" + s.orderID)); n != 1 {
				t.Errorf("Stripe was asked %d times, want once", n)
			}
		})
	}
}

// What was looked up and what the webhook tells after all are one payment.
func TestAWebhookAfterALookUpChangesNothing(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "once")
	pageIs(srv, s, "complete", "paid", nil)
	a.Clock.Advance(5 * 24 * time.Hour)
	sweepNow(t, a)
	activate(t, a, s.key, "a.example")
	mustTell(t, a, s.paid())
	if o := orderOf(t, a, s.orderID); o.Status() != market.OrderPaid || !o.PaidAt.Equal(testkit.T0.Add(time.Minute)) || o.Payment.Payment != "pi_"+s.orderID {
		t.Errorf("the order is %+v", o)
	}
	if got := downloads(t, a); got != 101 {
		t.Errorf("downloadCount = %v, want one sale", got)
	}
}

// An administrator need not wait for a webhook that never comes.
func TestAnAdministratorCanEndAnOrderWhoseWebhookIsLost(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	admin := a.Admin(t, "root").Access

	s := orderLive(t, a, "once")
	pageIs(srv, s, "complete", "paid", nil)
	if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/cancel"); res.Status != http.StatusConflict || !strings.Contains(string(res.Body), "Refund a paid one") {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	if o := orderOf(t, a, s.orderID); o.Status() != market.OrderPaid {
		t.Errorf("the order is %s, want it noted as paid", o.Status())
	}

	s = orderLive(t, a, "once")
	pageIs(srv, s, "complete", "paid", nil)
	if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/refund"); res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}

	s = orderLive(t, a, "once")
	pageIs(srv, s, "complete", "unpaid", map[string]any{"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "canceled"}})
	if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/cancel"); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel of what the bank refused = %d %s", res.Status, res.Body)
	}
}

// Whether a pending order is paid is not known while Stripe is away: nobody is told
// that it is not.
func TestAnAdministratorIsToldOfAnOutage(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	admin := a.Admin(t, "root").Access
	s := orderLive(t, a, "monthly")
	page, sub := "/v1/checkout/sessions/cs_"+s.orderID, map[string]any{"id": "sub_" + s.orderID, "object": "subscription", "status": "canceled"}
	stripe := s.page("complete", "unpaid", map[string]any{"payment_intent": nil, "subscription": sub})
	away := func(lookUp, end bool) {
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if lookUp && r.Path == page && r.Form.Has("expand[0]") || end && r.Path == "/v1/subscriptions/sub_"+s.orderID {
				return &stripetest.Answer{Status: http.StatusUnauthorized, Body: map[string]any{"error": map[string]any{"message": "No."}}}
			}
			return stripe(r)
		})
	}
	away(true, false)
	for _, path := range []string{"/refund", "/cancel"} {
		res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+path)
		if res.Status != http.StatusBadGateway || res.Text(t, "error.code") != "PAYMENT_UNREACHABLE" {
			t.Errorf("%s = %d %s, want 502", path, res.Status, res.Body)
		}
		if o := orderOf(t, a, s.orderID); o.Status() != market.OrderPending {
			t.Errorf("after %s the order is %s", path, o.Status())
		}
	}
	// What is known decides, though something is left to do.
	away(false, true)
	if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/cancel"); res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" {
		t.Errorf("cancel = %d %s", res.Status, res.Body)
	}
	away(false, false)
	sweepNow(t, a)
	if o := orderOf(t, a, s.orderID); o.EndedAt.IsZero() {
		t.Error("the subscription was not ended")
	}
}

// A payment that the provider will not give back must neither be asked for
// forever nor stand in the way of others.
func TestALatePaymentThatCannotBeGivenBackIsGivenUp(t *testing.T) {
	t.Parallel()
	a, b := bankShop(t)
	late := send(t, a, products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
	o := orderOf(t, a, late)
	o.CancelledAt, o.PaidAt = testkit.T0, testkit.T0
	if err := a.Market.Sales.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	b.set(fmt.Errorf("disputed: %w", payment.ErrRefused))
	log := ""
	for range 40 * 24 * 6 { // forty days, every ten minutes
		log += sweepNow(t, a)
		a.Clock.Advance(10 * time.Minute)
	}
	if got := len(b.refunded); got != market.SweepTries {
		t.Errorf("%d tries, want %d", got, market.SweepTries)
	}
	if strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "given up") || !strings.Contains(log, late) {
		t.Errorf("want one ERROR that names the order, got:\n%s", log)
	}
	// An administrator tries once more when the dispute is over.
	admin := a.Admin(t, "root").Access
	if res := adminPost(t, a, admin, adminOrders+"/"+late+"/refund"); res.Status != http.StatusConflict {
		t.Errorf("refund = %d %s, want 409", res.Status, res.Body)
	}
	b.set(nil)
	res := adminPost(t, a, admin, adminOrders+"/"+late+"/refund")
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" || res.Text(t, "data.refundedAt") == "" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if res := adminPost(t, a, admin, adminOrders+"/"+late+"/refund"); res.Status != http.StatusConflict {
		t.Errorf("refund again = %d, want 409", res.Status)
	}
}

// While the provider is away nothing is decided.
func TestAnOutageDecidesNothing(t *testing.T) {
	t.Parallel()
	a, b := bankShop(t)
	id := send(t, a, products+"/mail-pack/purchase", buyOnce).Text(t, "orderId")
	a.Clock.Advance(25 * time.Hour)
	b.set(errors.New("no answer"))
	if log := sweepNow(t, a); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "no answer") {
		t.Errorf("log: %s", log)
	}
	b.set(nil)
	b.sees = payment.Event{ID: "failed 1", Kind: payment.Failed}
	sweepNow(t, a)
	if o := orderOf(t, a, id); o.Status() != market.OrderPending || b.looked != 1 {
		t.Errorf("the order is %s after %d look-ups, want it put off", o.Status(), b.looked)
	}
	a.Clock.Advance(10 * time.Minute)
	sweepNow(t, a)
	if o := orderOf(t, a, id); o.Status() != market.OrderCancelled {
		t.Errorf("the order is %s, want it cancelled", o.Status())
	}
}
