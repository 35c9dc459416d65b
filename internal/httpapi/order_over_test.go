package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// A refund in the dashboard leaves the later periods that were paid before it as
// they are, also one whose webhook comes after it.
func TestAPeriodPaidBeforeTheRefundIsNotGivenBack(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	srv.Answer(s.subscription("in_1"))
	mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
	mustTell(t, a, s.firstCharge()) // an hour after the order
	n, err := notice(t, a, s.invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0.Add(time.Hour)))
	if err != nil || !strings.Contains(n.Warning, "cannot be renewed") || given(srv, s) != "" {
		t.Errorf("TakeEvent = %+v, %v; given back: %q", n, err, given(srv, s))
	}
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
	mustTell(t, a, s.invoice("invoice.paid", "in_3", "subscription_cycle", "paid", testkit.T0.Add(time.Hour+time.Second)))
	if got := given(srv, s); got != "pi_of_in_3" {
		t.Errorf("given back: %q, want what was paid after the refund", got)
	}
}

// An order that was cancelled never had anything to keep.
func TestAPeriodOfACancelledOrderIsGivenBack(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	srv.Answer(s.subscription("in_1"))
	mustTell(t, a, s.subscribed("evt_2", "checkout.session.async_payment_failed", "unpaid"))
	mustTell(t, a, s.invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0))
	if got := given(srv, s); got != "pi_of_in_2" {
		t.Errorf("given back: %q, want the period", got)
	}

	// What cannot be given back is told loudly, and not asked for again and again.
	srv.Answer(refusing("/v1/refunds", http.StatusBadRequest, s.subscription("in_1")))
	n, err := notice(t, a, s.invoice("invoice.paid", "in_3", "subscription_cycle", "paid", testkit.T0))
	if err != nil || !strings.Contains(n.Failure, "cannot be refunded") {
		t.Errorf("TakeEvent = %+v, %v; want a failure", n, err)
	}
}

// A subscription may become known only after its order was cancelled by hand.
func TestASubscriptionThatIsToldAfterTheCancellationIsEnded(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	if res := adminPost(t, a, a.Admin(t, "root").Access, adminOrders+"/"+s.orderID+"/cancel"); res.Status != http.StatusOK {
		t.Fatalf("cancel = %d %s", res.Status, res.Body)
	}
	// Stripe will not end it at first: that is told, and tried again by the sweep.
	srv.Answer(refusing("/v1/subscriptions/sub_"+s.orderID, http.StatusBadRequest, stripePages))
	n, err := notice(t, a, s.subscribed("evt_2", "checkout.session.async_payment_failed", "unpaid"))
	if err != nil || !strings.Contains(n.Warning, "cannot be ended") || s.ends(srv) != 1 {
		t.Errorf("TakeEvent = %+v, %v after %d tries", n, err, s.ends(srv))
	}
	srv.Answer(stripePages)
	sweepNow(t, a)
	if o := orderOf(t, a, s.orderID); o.EndedAt.IsZero() || o.Status() != market.OrderCancelled {
		t.Errorf("the order is %s, its subscription ended %s", o.Status(), o.EndedAt)
	}
}

// What Stripe will not give back of an order that was cancelled is told, and the
// webhook is not asked for again.
func TestALatePaymentThatIsRefusedIsTaken(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "once")
	mustTell(t, a, s.expired())
	srv.Answer(refusing("/v1/refunds", http.StatusBadRequest, stripePages))
	if n, err := notice(t, a, s.paid()); err != nil || !strings.Contains(n.Warning, "cannot be refunded") {
		t.Errorf("TakeEvent = %+v, %v; want a warning", n, err)
	}
}

// Two payments with an order's id, of which one was given back: the other is not
// the order's to keep.
func TestAPaymentAfterTheRefundOfAnotherIsTold(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	s := orderLive(t, a, "once")
	other := stripetest.Event("evt_other"+s.orderID, "charge.refunded", testkit.T0.Add(time.Hour), map[string]any{
		"id": "ch_2", "metadata": map[string]any{"orderId": s.orderID}, "payment_intent": "pi_other", "amount": 4990, "amount_refunded": 4990, "refunded": true, "currency": "eur",
	})
	mustTell(t, a, other)
	if n, err := notice(t, a, s.paid()); err != nil || !strings.Contains(n.Warning, "refund it by hand") {
		t.Errorf("TakeEvent = %+v, %v; want a warning", n, err)
	}
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
}
