package stripe_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

func TestRefundRefundsAPaymentOnce(t *testing.T) {
	t.Parallel()
	s, srv := account(t)

	if _, err := s.Refund(t.Context(), payment.Refund{OrderID: "order1", Reference: payment.Reference{Session: "cs_1", Payment: "pi_1"}}); err != nil {
		t.Fatal(err)
	}
	got := oneRequest(t, srv, "/v1/refunds")
	wantForm(t, got, map[string]string{"payment_intent": "pi_1", "metadata[orderId]": "order1"})
	if got.IdempotencyKey != "stoa-refund-order1-pi_1" {
		t.Errorf("Idempotency-Key = %q: a second call could refund twice", got.IdempotencyKey)
	}

	fails := func(status int, code string) {
		srv.Answer(func(stripetest.Request) *stripetest.Answer { return failure(status, code) })
	}
	fails(400, "charge_already_refunded")
	if _, err := s.Refund(t.Context(), payment.Refund{OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"}}); err != nil {
		t.Errorf("a second refund = %v, want nothing more to do", err)
	}
	fails(400, "charge_disputed")
	if _, err := s.Refund(t.Context(), payment.Refund{OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"}}); !errors.Is(err, payment.ErrRefused) {
		t.Errorf("a disputed charge = %v, want ErrRefused", err)
	}
	if _, err := s.Refund(t.Context(), payment.Refund{OrderID: "order1", Reference: payment.Reference{Session: "cs_1"}}); !errors.Is(err, payment.ErrRefused) {
		t.Errorf("an order without a payment = %v, want ErrRefused", err)
	}
}

// Stripe may accept a refund that it then cannot carry out.
func TestARefundThatFailedAtOnceIsRefused(t *testing.T) {
	t.Parallel()

	for status, refused := range map[string]bool{
		"succeeded": false, "pending": false, "requires_action": false, "failed": true, "canceled": true,
	} {
		s, srv := account(t)
		srv.Answer(func(stripetest.Request) *stripetest.Answer {
			return &stripetest.Answer{Body: object{"id": "re_1", "object": "refund", "status": status}}
		})
		_, err := s.Refund(t.Context(), payment.Refund{OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"}})
		if errors.Is(err, payment.ErrRefused) != refused || (err != nil) != refused {
			t.Errorf("a refund that is %s = %v; want it refused: %v", status, err, refused)
		}
	}
}

func list(path string, data ...any) *stripetest.Answer {
	return &stripetest.Answer{Body: object{"object": "list", "url": path, "has_more": false, "data": data}}
}

// subscribed answers for a subscription with the paid invoices in_3, in_2 and in_1, paid by pi_3, pi_2
// and pi_1.
func subscribed(r stripetest.Request) *stripetest.Answer {
	switch r.Path {
	case "/v1/invoices":
		var invoices []any
		for _, id := range []string{"in_3", "in_2", "in_1"} {
			invoices = append(invoices, object{"id": id, "object": "invoice"})
		}
		return list(r.Path, invoices...)
	case "/v1/invoice_payments":
		intent := strings.Replace(r.Form.Get("invoice"), "in", "pi", 1)
		paidBy := object{"type": "payment_intent", "payment_intent": intent}
		return list(r.Path, object{"id": "inpay_1", "payment": paidBy})
	}
	return nil
}

func refunds(srv *stripetest.Server) string {
	var got []string
	for _, r := range srv.Requests("/v1/refunds") {
		got = append(got, r.Form.Get("payment_intent")+" "+r.IdempotencyKey)
	}
	return strings.Join(got, ", ")
}

// The page of a subscription does not name its payments; its invoices do.
func TestRefundOfASubscriptionRefundsEveryPeriod(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	srv.Answer(subscribed)
	order := payment.Reference{Session: "cs_1", Invoice: "in_1", Subscription: "sub_1"}
	if _, err := s.Refund(t.Context(), payment.Refund{OrderID: "o", Reference: order}); err != nil {
		t.Fatal(err)
	}
	want := "pi_3 stoa-refund-o-pi_3, pi_2 stoa-refund-o-pi_2, pi_1 stoa-refund-o-pi_1"
	if got := refunds(srv); got != want {
		t.Errorf("refunds %q, want %q", got, want)
	}
	wantForm(t, oneRequest(t, srv, "/v1/invoices"), map[string]string{"subscription": "sub_1", "status": "paid"})

	one, srv := account(t)
	srv.Answer(subscribed)
	_, err := one.Refund(t.Context(), payment.Refund{OrderID: "o", Reference: payment.Reference{Invoice: "in_2"}})
	if err != nil || refunds(srv) != "pi_2 stoa-refund-o-pi_2" {
		t.Errorf("of one invoice: refunds %q, %v", refunds(srv), err)
	}

	// The first period is refunded last, because it marks the order as refunded.
	refused, srv := account(t)
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Path == "/v1/refunds" && r.Form.Get("payment_intent") == "pi_2" {
			return failure(http.StatusBadRequest, "charge_disputed")
		}
		return subscribed(r)
	})
	_, err = refused.Refund(t.Context(), payment.Refund{OrderID: "o", Reference: order})
	if !errors.Is(err, payment.ErrRefused) || strings.Contains(refunds(srv), "pi_1") {
		t.Errorf("with a disputed period: refunds %q, %v", refunds(srv), err)
	}
	if got := srv.Requests("/v1/subscriptions/sub_1"); len(got) != 0 {
		t.Errorf("a refund that is refused ended the subscription: %+v", got)
	}
}

func TestEndEndsASubscriptionOnce(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	answer := func(status int, code string) {
		srv.Answer(func(stripetest.Request) *stripetest.Answer { return failure(status, code) })
	}
	order := payment.Reference{Subscription: "sub_1"}
	if err := s.End(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if got := oneRequest(t, srv, "/v1/subscriptions/sub_1"); got.Method != http.MethodDelete {
		t.Errorf("the subscription was asked for %+v, want it ended", got)
	}
	answer(http.StatusNotFound, "resource_missing")
	if err := s.End(t.Context(), order); err != nil {
		t.Errorf("a second time = %v, want nothing to do", err)
	}
	answer(http.StatusUnauthorized, "")
	if err := s.End(t.Context(), order); err == nil || errors.Is(err, payment.ErrRefused) {
		t.Errorf("without an answer = %v, want an outage", err)
	}
	if err := s.End(t.Context(), payment.Reference{}); err != nil {
		t.Errorf("without a subscription = %v", err)
	}
}

// A schedule that steers a subscription is released first, if Stripe refuses to end it.
func TestEndReleasesASchedule(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	released := false
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		switch {
		case strings.HasSuffix(r.Path, "/release"):
			released = true
		case r.Method == http.MethodGet:
			return &stripetest.Answer{Body: object{
				"id": "sub_1", "object": "subscription",
				"schedule": object{"id": "sched_1", "object": "subscription_schedule"},
			}}
		case !released:
			return failure(http.StatusBadRequest, "")
		}
		return nil
	})
	if err := s.End(t.Context(), payment.Reference{Subscription: "sub_1"}); err != nil || !released {
		t.Errorf("End = %v, released: %v", err, released)
	}
	oneRequest(t, srv, "/v1/subscription_schedules/sched_1/release")
}

// Stripe would do so by itself, but an hour later.
func TestCollectPaysAnInvoiceAtOnce(t *testing.T) {
	t.Parallel()
	s, srv := account(t)
	if err := s.Collect(t.Context(), payment.Reference{Invoice: "in_2"}); err != nil {
		t.Fatal(err)
	}
	finalize, pay := oneRequest(t, srv, "/v1/invoices/in_2/finalize"), oneRequest(t, srv, "/v1/invoices/in_2/pay")
	wantForm(t, finalize, map[string]string{"auto_advance": "true"})
	wantForm(t, pay, nil)
	if finalize.IdempotencyKey != "stoa-finalize-in_2" || pay.IdempotencyKey != "stoa-pay-in_2" {
		t.Errorf("Idempotency-Keys %q, %q", finalize.IdempotencyKey, pay.IdempotencyKey)
	}
	srv.Answer(func(stripetest.Request) *stripetest.Answer { // it is finalized already
		return failure(http.StatusBadRequest, "")
	})
	err := s.Collect(t.Context(), payment.Reference{Invoice: "in_2"})
	if !errors.Is(err, payment.ErrRefused) || len(srv.Requests("/v1/invoices/in_2/pay")) != 2 {
		t.Errorf("again = %v, want the payment tried and refused", err)
	}
}
