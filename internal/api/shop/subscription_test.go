package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/testkit"
)

// A subscription ends with its license.
func TestARefundInTheDashboardEndsTheSubscription(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)

	for _, first := range []string{"paid", "refunded"} {
		s := a.Sell(t, "monthly")
		srv.Answer(s.Subscription("in_1"))
		if first == "paid" {
			a.MustDeliver(t, s.Subscribed("evt_", "checkout.session.completed", "paid"))
		}
		srv.Answer(refusing("/v1/subscriptions/sub_"+s.OrderID, http.StatusUnauthorized, s.Subscription("in_1")))
		testkit.WantFlatError(t, a.Deliver(t, s.FirstCharge()), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
		testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
		if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Refunded || !o.EndedAt.IsZero() {
			t.Errorf("%s first: the order is %s, its subscription ended %s", first, o.Status(), o.EndedAt)
		}
		srv.Answer(s.Subscription("in_1"))
		if first == "paid" {
			a.MustDeliver(t, s.FirstCharge()) // it comes again
		} else {
			a.SweepOrders(t)
		}
		if o := a.StoredOrder(t, s.OrderID); o.EndedAt.IsZero() || s.Ends(srv) != 2 {
			t.Errorf("%s first: asked %d times to end the subscription (%s), want one more", first, s.Ends(srv),
				o.EndedAt)
		}
		a.MustDeliver(t, s.FirstCharge())
		a.MustDeliver(t, s.Subscribed("evt_", "checkout.session.completed", "paid"))
		a.SweepOrders(t)
		if s.Ends(srv) != 2 {
			t.Errorf("%s first: a subscription that has ended was ended again", first)
		}
	}
}

// The page of a subscription is completed before the bank answers, and Stripe
// keeps trying to collect.
func TestASubscriptionWhoseFirstPaymentFailsIsEnded(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	srv.Answer(s.Subscription("in_1"))
	a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "unpaid"))
	a.MustDeliver(t, s.Subscribed("evt_2", "checkout.session.async_payment_failed", "unpaid"))
	if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Cancelled || o.EndedAt.IsZero() || s.Ends(srv) != 1 {
		t.Errorf("the order is %s, its subscription was ended %d times", o.Status(), s.Ends(srv))
	}
	// A payment that was already on its way, and another period.
	a.MustDeliver(t, s.Invoice("invoice.paid", "in_1", "subscription_create", "paid", testkit.T0.Add(time.Hour)))
	if got := given(srv, s); got != "pi_of_in_1" {
		t.Errorf("given back: %q, want what came for a cancelled order", got)
	}
	a.MustDeliver(t, s.Invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0.AddDate(0, 1, 0)))
	if got := given(srv, s); got != "pi_of_in_1 pi_of_in_2" {
		t.Errorf("given back: %q, want the later period too", got)
	}
	if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Cancelled || o.RefundedAt.IsZero() {
		t.Errorf("the order is %s, refunded %s", o.Status(), o.RefundedAt)
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
}

// A refused refund leaves the subscription as it is.
func TestARefundThatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	s := a.Sell(t, "monthly")
	a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
	a.Activate(t, s.Key, "a.example")
	a.MustDeliver(t, s.Invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0))

	paths := map[string]int{"refused": http.StatusBadRequest, "an outage": http.StatusUnauthorized}
	for name, status := range paths {
		srv.Answer(refusing("/v1/refunds", status, s.Subscription("in_2", "in_1")))
		if res := a.Refund(t, admin, s.OrderID); res.Status != http.StatusConflict &&
			res.Status != http.StatusBadGateway {
			t.Errorf("%s: refund = %d %s", name, res.Status, res.Body)
		}
		if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Paid || s.Ends(srv) != 0 ||
			a.Verify(t, "mail-pack", s.Key, "a.example").Get(t, "valid") != true {
			t.Errorf("%s: the order is %s, its subscription was ended %d times", name, o.Status(), s.Ends(srv))
		}
	}

	// Every period is refunded; the subscription cannot be ended yet.
	before := len(given(srv, s))
	srv.Answer(refusing("/v1/subscriptions/sub_"+s.OrderID, http.StatusUnauthorized, s.Subscription("in_2", "in_1")))
	res := a.Refund(t, admin, s.OrderID)
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" ||
		strings.Contains(string(res.Body), "subscriptionEndedAt") {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if got := strings.TrimSpace(given(srv, s)[before:]); got != "pi_of_in_2 pi_of_in_1" {
		t.Errorf("given back: %q, want every period, the first one last", got)
	}
	srv.Answer(s.Subscription("in_2", "in_1"))
	a.SweepOrders(t)
	if one := a.Do(t, testkit.Get(admin, testkit.AdminOrders+"/"+
		s.OrderID)); one.Text(t, "data.payment.subscriptionEndedAt") == "" || s.Ends(srv) != 2 {
		t.Errorf("after a sweep: %s, ended %d times", one.Body, s.Ends(srv))
	}
}

func TestANewPeriodIsCollectedAtOnce(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	draft := s.Invoice("invoice.created", "in_2", "subscription_cycle", "draft", testkit.T0.AddDate(0, 1, 0))
	paid := func() int { return len(srv.Requests("/v1/invoices/in_2" + s.OrderID + "/pay")) }
	a.MustDeliver(t, draft)
	if paid() != 0 {
		t.Error("a period of an order that is not paid was collected")
	}
	a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
	a.MustDeliver(t, draft)
	if got := len(srv.Requests("/v1/invoices/in_2" + s.OrderID + "/finalize")); got != 1 || paid() != 1 {
		t.Errorf("finalized %d times, paid %d times; want once each", got, paid())
	}
	// If that fails, Stripe tries again by itself.
	srv.Answer(refusing("/v1/invoices/in_2"+s.OrderID+"/pay", http.StatusPaymentRequired, testkit.StripePages))
	a.MustDeliver(t, draft)
	srv.Answer(s.Subscription("in_1"))
	a.MustDeliver(t, s.FirstCharge())
	before := paid()
	a.MustDeliver(t, draft)
	if paid() != before {
		t.Error("a period of a refunded order was collected")
	}
	a.MustDeliver(t,
		testkit.Sale{OrderID: "another"}.Invoice("invoice.created", "in_9", "subscription_cycle", "draft", testkit.T0))
	if got := srv.Requests("/v1/invoices/in_9another/finalize"); len(got) != 0 {
		t.Error("another system's invoice was collected")
	}
}

// The id of an order in another charge's metadata proves nothing.
func TestARefundOfAnotherPaymentIsNotApplied(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	a.MustDeliver(t, s.Paid())
	a.MustDeliver(t, []byte(strings.Replace(string(s.Refunded()), `"pi_`, `"pi_other`, 1)))
	if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Paid {
		t.Errorf("the order is %s after the refund of another payment", o.Status())
	}
	m := a.Sell(t, "monthly")
	a.MustDeliver(t, m.Subscribed("evt_1", "checkout.session.completed", "paid"))
	a.MustDeliver(t, m.Refunded()) // of no invoice
	if o := a.StoredOrder(t, m.OrderID); o.Status() != order.Paid {
		t.Errorf("the subscription's order is %s after the refund of another payment", o.Status())
	}
}

// An invoice of another subscription neither renews the license nor is
// refunded.
func TestAnInvoiceOfAnotherSubscriptionIsNotApplied(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	a.MustDeliver(t, s.Subscribed("evt_1", "checkout.session.completed", "paid"))
	before := state(t, a, s)
	other := func(kind, id, status string) []byte {
		payload := s.Invoice(kind, id, "subscription_cycle", status, testkit.T0.AddDate(0, 1, 0))
		return []byte(strings.ReplaceAll(string(payload), `"sub_`, `"sub_other`))
	}
	a.MustDeliver(t, other("invoice.created", "in_2", "draft"))
	a.MustDeliver(t, other("invoice.paid", "in_2", "paid"))
	if got := state(t, a, s); got != before {
		t.Errorf("after it\n%s\nwant\n%s", got, before)
	}
	srv.Answer(s.Subscription("in_1"))
	a.MustDeliver(t, s.FirstCharge())
	a.MustDeliver(t, other("invoice.paid", "in_3", "paid"))
	if got := given(srv, s); got != "" || len(srv.Requests("/v1/invoices/in_2"+s.OrderID+"/pay")) != 0 {
		t.Errorf("given back: %q, want nothing of another subscription given back or collected", got)
	}
}
