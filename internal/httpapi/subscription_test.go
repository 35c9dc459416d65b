package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/stripetest"
)

// The events of a sale of the tier "monthly".
func (s sale) subscribed(id, kind, status string) []byte {
	return stripetest.Event(id+s.orderID, kind, testkit.T0.Add(time.Minute), map[string]any{
		"id": "cs_" + s.orderID, "metadata": map[string]any{"orderId": s.orderID}, "payment_status": status,
		"amount_total": 500, "currency": "eur", "payment_intent": nil, "invoice": "in_1" + s.orderID, "subscription": "sub_" + s.orderID,
	})
}

func (s sale) invoice(kind, id, reason, status string, at time.Time) []byte {
	return stripetest.Event("evt_"+id+reason+kind+s.orderID, kind, at, map[string]any{
		"id": id + s.orderID, "billing_reason": reason, "status": status, "amount_paid": 500, "currency": "eur",
		"parent": map[string]any{"subscription_details": map[string]any{"metadata": map[string]any{"orderId": s.orderID}, "subscription": "sub_" + s.orderID}},
	})
}

func (s sale) firstCharge() []byte {
	return stripetest.Event("evt_refund_"+s.orderID, "charge.refunded", testkit.T0.Add(time.Hour), map[string]any{
		"id": "ch_1", "metadata": map[string]any{}, "payment_intent": "pi_1", "amount": 500, "amount_refunded": 500, "refunded": true, "currency": "eur",
	})
}

// subscription answers as for a subscription whose invoices are those ids, newest
// first, and for the order's first charge.
func (s sale) subscription(invoices ...string) func(stripetest.Request) *stripetest.Answer {
	list := func(path string, data ...any) *stripetest.Answer {
		return &stripetest.Answer{Body: map[string]any{"object": "list", "url": path, "has_more": false, "data": data}}
	}
	return func(r stripetest.Request) *stripetest.Answer {
		switch {
		case r.Path == "/v1/invoices":
			var all []any
			for _, id := range invoices {
				all = append(all, map[string]any{"id": id + s.orderID, "object": "invoice"})
			}
			return list(r.Path, all...)
		case r.Path == "/v1/invoice_payments" && r.Form.Get("invoice") != "":
			return list(r.Path, map[string]any{"id": "inpay_1", "payment": map[string]any{"type": "payment_intent", "payment_intent": "pi_of_" + r.Form.Get("invoice")}})
		case r.Path == "/v1/invoice_payments":
			return list(r.Path, map[string]any{"id": "inpay_1", "invoice": map[string]any{
				"id": "in_1" + s.orderID, "billing_reason": "subscription_create", "parent": map[string]any{
					"type": "subscription_details", "subscription_details": map[string]any{"metadata": map[string]any{"orderId": s.orderID}, "subscription": "sub_" + s.orderID},
				},
			}})
		}
		return stripePages(r)
	}
}

// refusing answers with an error where path is asked, and else as next does.
func refusing(path string, status int, next func(stripetest.Request) *stripetest.Answer) func(stripetest.Request) *stripetest.Answer {
	return func(r stripetest.Request) *stripetest.Answer {
		if r.Path != path {
			return next(r)
		}
		return &stripetest.Answer{Status: status, Body: map[string]any{"error": map[string]any{"type": "invalid_request_error", "code": "charge_disputed", "message": "No."}}}
	}
}

// ends returns how often Stripe was asked to end the subscription.
func (s sale) ends(srv *stripetest.Server) int {
	return len(srv.Requests("/v1/subscriptions/sub_" + s.orderID))
}

// given returns which payments Stripe was asked to give back.
func given(srv *stripetest.Server, s sale) string {
	var ids []string
	for _, r := range srv.Requests("/v1/refunds") {
		ids = append(ids, strings.ReplaceAll(r.Form.Get("payment_intent"), s.orderID, ""))
	}
	return strings.Join(ids, " ")
}

func sweepOrders(tb testing.TB, a *testkit.App) {
	tb.Helper()
	if err := a.Market.SweepOrders(tb.Context(), logtest.New(tb)); err != nil {
		tb.Fatal(err)
	}
}

// Nobody goes on paying for a licence that is revoked.
func TestARefundInTheDashboardEndsTheSubscription(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)

	for _, first := range []string{"paid", "refunded"} {
		s := orderLive(t, a, "monthly")
		srv.Answer(s.subscription("in_1"))
		if first == "paid" {
			mustTell(t, a, s.subscribed("evt_", "checkout.session.completed", "paid"))
		}
		srv.Answer(refusing("/v1/subscriptions/sub_"+s.orderID, http.StatusUnauthorized, s.subscription("in_1")))
		wantFlatError(t, tell(t, a, s.firstCharge()), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
		wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
		if o := orderOf(t, a, s.orderID); o.Status() != market.OrderRefunded || !o.EndedAt.IsZero() {
			t.Errorf("%s first: the order is %s, its subscription ended %s", first, o.Status(), o.EndedAt)
		}
		srv.Answer(s.subscription("in_1"))
		if first == "paid" {
			mustTell(t, a, s.firstCharge()) // it comes again
		} else {
			sweepOrders(t, a)
		}
		if o := orderOf(t, a, s.orderID); o.EndedAt.IsZero() || s.ends(srv) != 2 {
			t.Errorf("%s first: asked %d times to end the subscription (%s), want one more", first, s.ends(srv), o.EndedAt)
		}
		mustTell(t, a, s.firstCharge())
		mustTell(t, a, s.subscribed("evt_", "checkout.session.completed", "paid"))
		sweepOrders(t, a)
		if s.ends(srv) != 2 {
			t.Errorf("%s first: a subscription that has ended was ended again", first)
		}
	}
}

// The page of a subscription is completed before the bank answers: Stripe goes on
// trying to collect.
func TestASubscriptionWhoseFirstPaymentFailsIsEnded(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	srv.Answer(s.subscription("in_1"))
	mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "unpaid"))
	mustTell(t, a, s.subscribed("evt_2", "checkout.session.async_payment_failed", "unpaid"))
	if o := orderOf(t, a, s.orderID); o.Status() != market.OrderCancelled || o.EndedAt.IsZero() || s.ends(srv) != 1 {
		t.Errorf("the order is %s, its subscription was ended %d times", o.Status(), s.ends(srv))
	}
	// A payment that was on its way all the same, and another period.
	mustTell(t, a, s.invoice("invoice.paid", "in_1", "subscription_create", "paid", testkit.T0.Add(time.Hour)))
	if got := given(srv, s); got != "pi_of_in_1" {
		t.Errorf("given back: %q, want what came for a cancelled order", got)
	}
	mustTell(t, a, s.invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0.AddDate(0, 1, 0)))
	if got := given(srv, s); got != "pi_of_in_1 pi_of_in_2" {
		t.Errorf("given back: %q, want the later period too", got)
	}
	if o := orderOf(t, a, s.orderID); o.Status() != market.OrderCancelled || o.RefundedAt.IsZero() {
		t.Errorf("the order is %s, refunded %s", o.Status(), o.RefundedAt)
	}
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
}

// Who is not given the money back keeps the subscription.
func TestARefundThatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	admin := a.Admin(t, "root").Access
	s := orderLive(t, a, "monthly")
	mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
	activate(t, a, s.key, "a.example")
	mustTell(t, a, s.invoice("invoice.paid", "in_2", "subscription_cycle", "paid", testkit.T0))

	paths := map[string]int{"refused": http.StatusBadRequest, "an outage": http.StatusUnauthorized}
	for name, status := range paths {
		srv.Answer(refusing("/v1/refunds", status, s.subscription("in_2", "in_1")))
		if res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/refund"); res.Status != http.StatusConflict && res.Status != http.StatusBadGateway {
			t.Errorf("%s: refund = %d %s", name, res.Status, res.Body)
		}
		if o := orderOf(t, a, s.orderID); o.Status() != market.OrderPaid || s.ends(srv) != 0 || verify(t, a, "mail-pack", s.key, "a.example").Get(t, "valid") != true {
			t.Errorf("%s: the order is %s, its subscription was ended %d times", name, o.Status(), s.ends(srv))
		}
	}

	// The money is given back, every period; the subscription cannot be ended yet.
	before := len(given(srv, s))
	srv.Answer(refusing("/v1/subscriptions/sub_"+s.orderID, http.StatusUnauthorized, s.subscription("in_2", "in_1")))
	res := adminPost(t, a, admin, adminOrders+"/"+s.orderID+"/refund")
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" || strings.Contains(string(res.Body), "subscriptionEndedAt") {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if got := strings.TrimSpace(given(srv, s)[before:]); got != "pi_of_in_2 pi_of_in_1" {
		t.Errorf("given back: %q, want every period, the first one last", got)
	}
	srv.Answer(s.subscription("in_2", "in_1"))
	sweepOrders(t, a)
	if one := adminGet(t, a, admin, adminOrders+"/"+s.orderID); one.Text(t, "data.payment.subscriptionEndedAt") == "" || s.ends(srv) != 2 {
		t.Errorf("after a sweep: %s, ended %d times", one.Body, s.ends(srv))
	}
}

func TestANewPeriodIsCollectedAtOnce(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	draft := s.invoice("invoice.created", "in_2", "subscription_cycle", "draft", testkit.T0.AddDate(0, 1, 0))
	paid := func() int { return len(srv.Requests("/v1/invoices/in_2" + s.orderID + "/pay")) }
	mustTell(t, a, draft)
	if paid() != 0 {
		t.Error("a period of an order that is not paid was collected")
	}
	mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
	mustTell(t, a, draft)
	if got := len(srv.Requests("/v1/invoices/in_2" + s.orderID + "/finalize")); got != 1 || paid() != 1 {
		t.Errorf("finalized %d times, paid %d times; want once each", got, paid())
	}
	// Stripe goes on by itself where that fails.
	srv.Answer(refusing("/v1/invoices/in_2"+s.orderID+"/pay", http.StatusPaymentRequired, stripePages))
	mustTell(t, a, draft)
	srv.Answer(s.subscription("in_1"))
	mustTell(t, a, s.firstCharge())
	before := paid()
	mustTell(t, a, draft)
	if paid() != before {
		t.Error("a period of a refunded order was collected")
	}
	mustTell(t, a, sale{orderID: "another"}.invoice("invoice.created", "in_9", "subscription_cycle", "draft", testkit.T0))
	if got := srv.Requests("/v1/invoices/in_9another/finalize"); len(got) != 0 {
		t.Error("another system's invoice was collected")
	}
}

// The id of an order in another charge's metadata proves nothing.
func TestARefundOfAnotherPaymentIsNotApplied(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	s := orderLive(t, a, "once")
	mustTell(t, a, s.paid())
	mustTell(t, a, []byte(strings.Replace(string(s.refunded()), `"pi_`, `"pi_other`, 1)))
	if o := orderOf(t, a, s.orderID); o.Status() != market.OrderPaid {
		t.Errorf("the order is %s after the refund of another payment", o.Status())
	}
	m := orderLive(t, a, "monthly")
	mustTell(t, a, m.subscribed("evt_1", "checkout.session.completed", "paid"))
	mustTell(t, a, m.refunded()) // of no invoice
	if o := orderOf(t, a, m.orderID); o.Status() != market.OrderPaid {
		t.Errorf("the subscription's order is %s after the refund of another payment", o.Status())
	}
}

// Another subscription's invoice neither renews a licence nor is given back.
func TestAnInvoiceOfAnotherSubscriptionIsNotApplied(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "monthly")
	mustTell(t, a, s.subscribed("evt_1", "checkout.session.completed", "paid"))
	before := state(t, a, s)
	other := func(kind, id, status string) []byte {
		payload := s.invoice(kind, id, "subscription_cycle", status, testkit.T0.AddDate(0, 1, 0))
		return []byte(strings.ReplaceAll(string(payload), `"sub_`, `"sub_other`))
	}
	mustTell(t, a, other("invoice.created", "in_2", "draft"))
	mustTell(t, a, other("invoice.paid", "in_2", "paid"))
	if got := state(t, a, s); got != before {
		t.Errorf("after it\n%s\nwant\n%s", got, before)
	}
	srv.Answer(s.subscription("in_1"))
	mustTell(t, a, s.firstCharge())
	mustTell(t, a, other("invoice.paid", "in_3", "paid"))
	if got := given(srv, s); got != "" || len(srv.Requests("/v1/invoices/in_2"+s.orderID+"/pay")) != 0 {
		t.Errorf("given back: %q, want nothing of another subscription given back or collected", got)
	}
}
