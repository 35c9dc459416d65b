package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// A refund of the first payment in the dashboard does not refund later periods
// that were paid before, even one whose webhook is late.
func TestAPeriodPaidBeforeTheRefundIsNotGivenBack(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	srv.Answer(s.Subscription("in_1"))
	a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
	a.MustDeliver(t, s.FirstCharge()) // an hour after the order
	out, err := outcome(t, a, s.Invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0.Add(time.Hour)))
	if err != nil || !strings.Contains(out.Warning, "cannot be renewed") || given(srv, s) != "" {
		t.Errorf("HandleWebhook = %+v, %v; given back: %q", out, err, given(srv, s))
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
	a.MustDeliver(t,
		s.Invoice("invoice.paid", "in_3", "subscription_cycle", "paid", testkit.T0.Add(time.Hour+time.Second)))
	if got := given(srv, s); got != "pi_of_in_3" {
		t.Errorf("given back: %q, want what was paid after the refund", got)
	}
}

// For a cancelled order, every payment is refunded.
func TestAPeriodOfACancelledOrderIsGivenBack(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	srv.Answer(s.Subscription("in_1"))
	a.MustDeliver(t, s.Subscribed("evt_2", "checkout.session.async_payment_failed", "unpaid"))
	a.MustDeliver(t, s.Invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0))
	if got := given(srv, s); got != "pi_of_in_2" {
		t.Errorf("given back: %q, want the period", got)
	}

	// A payment that cannot be refunded is logged as an error, and not tried
	// again and again.
	srv.Answer(refusing("/v1/refunds", http.StatusBadRequest, s.Subscription("in_1")))
	out, err := outcome(t, a, s.Invoice("invoice.paid", "in_3", "subscription_cycle", "paid", testkit.T0))
	if err != nil || !strings.Contains(out.Failure, "cannot be refunded") {
		t.Errorf("HandleWebhook = %+v, %v; want a failure", out, err)
	}
}

// A subscription may become known only after its order was cancelled by hand.
func TestASubscriptionThatIsToldAfterTheCancellationIsEnded(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	if res := a.Cancel(t, a.Admin(t, "root").Access, s.OrderID); res.Status != http.StatusOK {
		t.Fatalf("cancel = %d %s", res.Status, res.Body)
	}
	// Stripe refuses to end it at first: that is logged, and the sweep tries
	// again.
	srv.Answer(refusing("/v1/subscriptions/sub_"+s.OrderID, http.StatusBadRequest, testkit.StripePages))
	out, err := outcome(t, a, s.Subscribed("evt_2", "checkout.session.async_payment_failed", "unpaid"))
	if err != nil || !strings.Contains(out.Warning, "cannot be ended") || s.Ends(srv) != 1 {
		t.Errorf("HandleWebhook = %+v, %v after %d tries", out, err, s.Ends(srv))
	}
	srv.Answer(testkit.StripePages)
	a.SweepOrders(t)
	if o := a.StoredOrder(t, s.OrderID); o.EndedAt.IsZero() || o.Status() != order.Cancelled {
		t.Errorf("the order is %s, its subscription ended %s", o.Status(), o.EndedAt)
	}
}

// If Stripe refuses to refund a cancelled order, that is logged and the webhook
// accepted.
func TestALatePaymentThatIsRefusedIsTaken(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	a.MustDeliver(t, s.Expired())
	srv.Answer(refusing("/v1/refunds", http.StatusBadRequest, testkit.StripePages))
	if out, err := outcome(t, a, s.Paid()); err != nil || !strings.Contains(out.Warning, "cannot be refunded") {
		t.Errorf("HandleWebhook = %+v, %v; want a warning", out, err)
	}
}

// Of two payments with an order's id one was refunded: the other must be
// refunded too.
func TestAPaymentAfterTheRefundOfAnotherIsTold(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	other := stripetest.Event("evt_other"+s.OrderID, "charge.refunded", testkit.T0.Add(time.Hour), map[string]any{
		"id": "ch_2", "metadata": map[string]any{"orderId": s.OrderID}, "payment_intent": "pi_other",
		"amount": 4990, "amount_refunded": 4990, "refunded": true, "currency": "eur",
	})
	a.MustDeliver(t, other)
	if out, err := outcome(t, a, s.Paid()); err != nil || !strings.Contains(out.Warning, "refund it by hand") {
		t.Errorf("HandleWebhook = %+v, %v; want a warning", out, err)
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
}
