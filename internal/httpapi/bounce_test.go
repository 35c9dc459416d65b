package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// bounced is a refund of a sale that failed.
func (s sale) bounced(metadata map[string]any) []byte {
	return stripetest.Event("evt_bounce"+fmt.Sprint(len(metadata)), "refund.failed", testkit.T0.Add(24*time.Hour), map[string]any{
		"id": "re_1", "status": "failed", "failure_reason": "lost_or_stolen_card", "metadata": metadata, "payment_intent": "pi_" + s.orderID,
	})
}

// notice takes an event as the webhook does, and returns what is logged of it.
func notice(tb testing.TB, a *testkit.App, payload []byte) (market.Notice, error) {
	tb.Helper()
	return a.Market.TakeEvent(tb.Context(), "stripe", payload, stripetest.Sign(payload, stripetest.WebhookSecret, time.Now()))
}

// Money that was given back and did not arrive is told loudly; revoked is final.
func TestARefundThatFailsLaterIsTold(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	s := orderLive(t, a, "once")
	mustTell(t, a, s.paid())
	mustTell(t, a, s.refunded())
	before := state(t, a, s)
	for _, metadata := range []map[string]any{{"orderId": s.orderID}, {}} { // by stoa, in the dashboard
		n, err := notice(t, a, s.bounced(metadata))
		if err != nil || n.OrderID != s.orderID || !strings.Contains(n.Failure, "lost_or_stolen_card") || !strings.Contains(n.Failure, "stays revoked") {
			t.Errorf("TakeEvent = %+v, %v; want a failure", n, err)
		}
	}
	if got := state(t, a, s); got != before {
		t.Errorf("after it\n%s\nwant\n%s", got, before)
	}
}

// A refund that failed at once was answered with 409, and the order stays paid:
// Stripe tells of it by its webhook, too.
func TestARefundThatFailedAtOnceIsToldOfAPaidOrder(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	s := orderLive(t, a, "once")
	mustTell(t, a, s.paid())
	activate(t, a, s.key, "a.example")
	n, err := notice(t, a, s.bounced(map[string]any{"orderId": s.orderID}))
	if err != nil || !strings.Contains(n.Failure, "stays paid") || strings.Contains(n.Failure, "revoked") {
		t.Errorf("TakeEvent = %+v, %v; want it told that the order stays paid", n, err)
	}
	if verify(t, a, "mail-pack", s.key, "a.example").Get(t, "valid") != true {
		t.Error("the licence does not work any more")
	}
}

// The log is the only place where it is told: a delivery that ends with an outage
// must not use it up.
func TestARefundThatFailsLaterIsToldAfterAnOutage(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
	away := refusing("/v1/subscriptions/sub_"+s.orderID, http.StatusUnauthorized, s.subscription("in_1"))
	srv.Answer(away)
	wantFlatError(t, tell(t, a, s.firstCharge()), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
	payload := s.bounced(map[string]any{"orderId": s.orderID})
	if n, err := notice(t, a, payload); err == nil {
		t.Fatalf("TakeEvent = %+v, want it to fail: the subscription cannot be ended", n)
	}
	srv.Answer(s.subscription("in_1"))
	if n, err := notice(t, a, payload); err != nil || !strings.Contains(n.Failure, "lost_or_stolen_card") {
		t.Errorf("TakeEvent = %+v, %v; want a failure", n, err)
	}
}
