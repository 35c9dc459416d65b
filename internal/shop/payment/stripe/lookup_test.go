package stripe_test

import (
	"errors"
	"net/http"
	"testing"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

// LookUp returns what the missing webhook would have reported, and the same id every time.
func TestLookUpReturnsTheOutcomeOfAPage(t *testing.T) {
	t.Parallel()

	intent := func(status string) object {
		return object{"payment_intent": object{"id": "pi_1", "object": "payment_intent", "status": status}}
	}
	subscription := func(status string) object {
		return object{"payment_intent": nil, "invoice": "in_1", "subscription": object{
			"id": "sub_1", "object": "subscription", "status": status,
		}}
	}
	for _, tt := range []struct {
		name, status, paid string
		of                 object
		want               payment.EventKind
	}{
		{"paid", "complete", "paid", intent("succeeded"), payment.Paid},
		{"a subscription is paid", "complete", "paid", subscription("active"), payment.Paid},
		{"open", "open", "unpaid", intent("requires_payment_method"), payment.Unrelated},
		{"expired", "expired", "unpaid", object{"payment_intent": nil}, payment.Failed},
		{"the bank has not answered", "complete", "unpaid", intent("processing"), payment.Unrelated},
		{"the bank refused", "complete", "unpaid", intent("requires_payment_method"), payment.Failed},
		{"the payment is canceled", "complete", "unpaid", intent("canceled"), payment.Failed},
		{"a subscription waits", "complete", "unpaid", subscription("incomplete"), payment.Unrelated},
		{"a subscription is tried again", "complete", "unpaid", subscription("past_due"), payment.Unrelated},
		{"a subscription that never was", "complete", "unpaid", subscription("incomplete_expired"), payment.Failed},
		{"a subscription that has ended", "complete", "unpaid", subscription("canceled"), payment.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, srv := account(t)
			srv.Answer(func(stripetest.Request) *stripetest.Answer {
				return &stripetest.Answer{Body: with(tt.of, object{
					"id": "cs_1", "object": "checkout.session", "status": tt.status, "payment_status": tt.paid,
					"amount_total": 500, "currency": "eur",
				})}
			})
			e, err := s.LookUp(t.Context(), payment.Reference{Session: "cs_1"})
			if err != nil || e.Kind != tt.want {
				t.Fatalf("LookUp = %+v, %v; want kind %d", e, err, tt.want)
			}
			wantForm(t, oneRequest(t, srv, "/v1/checkout/sessions/cs_1"), map[string]string{
				"expand[0]": "payment_intent", "expand[1]": "subscription",
			})
			if tt.want == payment.Unrelated {
				return
			}
			want := map[payment.EventKind]string{payment.Paid: "paid cs_1", payment.Failed: "failed cs_1"}[tt.want]
			subscribed := tt.of["subscription"] != nil
			if e.ID != want || e.Reference.Session != "cs_1" || subscribed != (e.Reference.Subscription == "sub_1") {
				t.Errorf("LookUp = %+v, want the id %q", e, want)
			}
		})
	}
}

// Without a page, LookUp asks about the invoice of a change of plan.
func TestLookUpReturnsTheOutcomeOfAnInvoice(t *testing.T) {
	t.Parallel()

	for status, want := range map[string]payment.EventKind{
		"draft": payment.Unrelated, "open": payment.Unrelated, "paid": payment.Adjusted,
		"void": payment.AdjustmentFailed, "uncollectible": payment.AdjustmentFailed,
	} {
		s, srv := account(t)
		srv.Answer(func(stripetest.Request) *stripetest.Answer {
			return &stripetest.Answer{Body: object{
				"id": "in_1", "object": "invoice", "status": status, "billing_reason": "subscription_update",
				"amount_due": 500, "amount_paid": 500, "currency": "eur",
				"status_transitions": object{"paid_at": at.Unix()},
				"parent":             object{"subscription_details": object{"subscription": "sub_1"}},
			}}
		})
		e, err := s.LookUp(t.Context(), payment.Reference{Invoice: "in_1"})
		if err != nil || e.Kind != want {
			t.Errorf("%s: LookUp = %+v, %v; want kind %d", status, e, err, want)
		}
		oneRequest(t, srv, "/v1/invoices/in_1")
		if want == payment.Unrelated {
			continue
		}
		if e.Reference.Invoice != "in_1" || e.Reference.Subscription != "sub_1" {
			t.Errorf("%s: LookUp = %+v", status, e)
		}
		if want == payment.Adjusted && (e.Minor != 500 || e.Currency != "EUR" || !e.At.Equal(at)) {
			t.Errorf("LookUp = %+v; want what was paid, and when", e)
		}
	}
}

func TestLookUpTellsRefusalsFromOutages(t *testing.T) {
	t.Parallel()

	for status, refused := range map[int]bool{http.StatusNotFound: true, http.StatusForbidden: false} {
		s, srv := account(t)
		srv.Answer(func(stripetest.Request) *stripetest.Answer { return failure(status, "") })
		_, err := s.LookUp(t.Context(), payment.Reference{Session: "cs_1"})
		if err == nil || errors.Is(err, payment.ErrRefused) != refused {
			t.Errorf("after %d: %v; want it refused: %v", status, err, refused)
		}
	}
}
