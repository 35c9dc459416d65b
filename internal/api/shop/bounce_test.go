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

// outcome processes an event as the webhook does, and returns what is logged.
func outcome(tb testing.TB, a *testkit.App, payload []byte) (order.Outcome, error) {
	tb.Helper()
	return a.Orders.HandleWebhook(tb.Context(), "stripe", payload,
		stripetest.Sign(payload, stripetest.WebhookSecret, time.Now()))
}

// A refund that bounces is logged as an error; the license stays revoked.
func TestARefundThatFailsLaterIsTold(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	a.MustDeliver(t, s.Paid())
	a.MustDeliver(t, s.Refunded())
	before := state(t, a, s)
	for _, metadata := range []map[string]any{{"orderId": s.OrderID}, {}} { // by stoa, in the dashboard
		out, err := outcome(t, a, s.Bounced(metadata))
		if err != nil || out.OrderID != s.OrderID || !strings.Contains(out.Failure, "lost_or_stolen_card") ||
			!strings.Contains(out.Failure, "stays revoked") {
			t.Errorf("HandleWebhook = %+v, %v; want a failure", out, err)
		}
	}
	if got := state(t, a, s); got != before {
		t.Errorf("after it\n%s\nwant\n%s", got, before)
	}
}

// A refund that failed at once was answered with 409, and the order stays paid.
// Stripe reports it by webhook too.
func TestARefundThatFailedAtOnceIsToldOfAPaidOrder(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	a.MustDeliver(t, s.Paid())
	a.Activate(t, s.Key, "a.example")
	out, err := outcome(t, a, s.Bounced(map[string]any{"orderId": s.OrderID}))
	if err != nil || !strings.Contains(out.Failure, "stays paid") || strings.Contains(out.Failure, "revoked") {
		t.Errorf("HandleWebhook = %+v, %v; want the outcome that the order stays paid", out, err)
	}
	if a.Verify(t, "mail-pack", s.Key, "a.example").Get(t, "valid") != true {
		t.Error("the license does not work any more")
	}
}

// Only the log reports a bounce, so a delivery that ends in an outage must not
// count.
func TestARefundThatFailsLaterIsToldAfterAnOutage(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
	away := refusing("/v1/subscriptions/sub_"+s.OrderID, http.StatusUnauthorized, s.Subscription("in_1"))
	srv.Answer(away)
	testkit.WantFlatError(t, a.Deliver(t, s.FirstCharge()), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
	payload := s.Bounced(map[string]any{"orderId": s.OrderID})
	if out, err := outcome(t, a, payload); err == nil {
		t.Fatalf("HandleWebhook = %+v, want it to fail: the subscription cannot be ended", out)
	}
	srv.Answer(s.Subscription("in_1"))
	if out, err := outcome(t, a, payload); err != nil || !strings.Contains(out.Failure, "lost_or_stolen_card") {
		t.Errorf("HandleWebhook = %+v, %v; want a failure", out, err)
	}
}
