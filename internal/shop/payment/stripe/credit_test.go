package stripe_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

// books is a Stripe with invoices that pi_… paid: in_1, in_2 and in_3 of 11.90 each.
type books struct {
	refunded, credited map[string]int // by invoice
	notes              []object
	refuses            *stripetest.Answer
}

func (b *books) answer(r stripetest.Request) *stripetest.Answer {
	switch r.Path {
	case "/v1/invoices":
		return subscribed(r)
	case "/v1/invoice_payments":
		invoice := r.Form.Get("invoice")
		return list(r.Path, object{
			"id": "inpay_1", "amount_paid": 1190,
			"invoice": object{"id": invoice, "amount_paid": 1190, "post_payment_credit_notes_amount": b.credited[invoice]},
			"payment": object{"type": "payment_intent", "payment_intent": object{
				"id": strings.Replace(invoice, "in", "pi", 1), "latest_charge": object{"id": "ch_1", "amount": 1190, "amount_refunded": b.refunded[invoice]},
			}},
		})
	case "/v1/credit_notes":
		if r.Method == http.MethodGet {
			list := list(r.Path)
			for _, n := range b.notes {
				list.Body.(object)["data"] = append(list.Body.(object)["data"].([]any), n)
			}
			return list
		}
		if b.refuses != nil {
			return b.refuses
		}
		return &stripetest.Answer{Body: object{"id": "cn_1", "number": r.Form.Get("invoice") + "-CN", "refunds": []object{}}}
	}
	return nil
}

// written returns the credit notes that were asked for.
func written(srv *stripetest.Server) (list []string) {
	for _, r := range srv.Requests("/v1/credit_notes") {
		if r.Method == http.MethodPost {
			list = append(list, strings.Join([]string{r.Form.Get("invoice"), r.Form.Get("amount"), r.Form.Get("refund_amount"), r.IdempotencyKey}, " "))
		}
	}
	return list
}

func TestAPartOfAnInvoiceNeedsACreditNote(t *testing.T) {
	t.Parallel()

	s, srv := account(t, invoiced)
	srv.Answer(new(books).answer)
	notes, err := s.Refund(t.Context(), half(payment.Reference{Invoice: "in_2", Payment: "pi_2"}))
	if diff := cmp.Diff([]payment.CreditNote{{Invoice: "in_2", Number: "in_2-CN"}}, notes); err != nil || diff != "" {
		t.Fatalf("%v, notes (-want +got):\n%s", err, diff)
	}
	got := oneRequest(t, srv, "/v1/credit_notes")
	wantForm(t, got, map[string]string{
		"invoice": "in_2", "amount": "1050", "refund_amount": "1050", "metadata[orderId]": "order1", "metadata[refundId]": "r1",
		"expand[0]": "refunds.refund",
	})
	if got.IdempotencyKey != "stoa-refund-r1" {
		t.Errorf("Idempotency-Key = %q", got.IdempotencyKey)
	}
	if len(srv.Requests("/v1/refunds")) > 0 {
		t.Error("the part was refunded beside its credit note")
	}
}

// A payment without an invoice, and one of an account without invoices, is refunded as it was.
func TestWithoutAnInvoiceThereIsNoCreditNote(t *testing.T) {
	t.Parallel()

	with, srv := account(t, invoiced)
	if _, err := with.Refund(t.Context(), half(payment.Reference{Payment: "pi_1"})); err != nil || len(srv.Requests("/v1/refunds")) != 1 {
		t.Errorf("without an invoice: %v", err)
	}
	without, srv := account(t)
	if _, err := without.Refund(t.Context(), half(payment.Reference{Invoice: "in_1", Payment: "pi_1"})); err != nil || len(srv.Requests("/v1/refunds")) != 1 {
		t.Errorf("without the setting: %v", err)
	}
	// What has an invoice keeps it after the setting was turned off.
	r := half(payment.Reference{Invoice: "in_1", Payment: "pi_1"})
	r.Invoiced = true
	if _, err := without.Refund(t.Context(), r); err != nil || len(srv.Requests("/v1/credit_notes")) != 1 {
		t.Errorf("with an invoice from before: %v", err)
	}
}

func TestAWholeOrderIsCreditedInvoiceByInvoice(t *testing.T) {
	t.Parallel()

	s, srv := account(t, invoiced)
	b := &books{
		refunded: map[string]int{"in_2": 190},  // in the dashboard, without a credit note
		credited: map[string]int{"in_1": 1190}, // by an earlier call, whose answer was lost
		notes:    []object{{"id": "cn_0", "number": "earlier", "metadata": object{"refundId": "order1-pi_1"}}},
	}
	srv.Answer(b.answer)
	order := payment.Refund{OrderID: "order1", Reference: payment.Reference{Subscription: "sub_1", Invoice: "in_1"}}
	notes, err := s.Refund(t.Context(), order)
	want := []payment.CreditNote{{Invoice: "in_3", Number: "in_3-CN"}, {Invoice: "in_2", Number: "in_2-CN"}, {Invoice: "in_1", Number: "earlier"}}
	if diff := cmp.Diff(want, notes); err != nil || diff != "" {
		t.Errorf("%v, notes (-want +got):\n%s", err, diff)
	}
	asked := []string{"in_3 1190 1190 stoa-refund-order1-pi_3-1190", "in_2 1000 1000 stoa-refund-order1-pi_2-1000"}
	if diff := cmp.Diff(asked, written(srv)); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	// Whoever has invoices only of what cost nothing, or of what was paid elsewhere, gets nothing back.
	srv.Answer(func(r stripetest.Request) *stripetest.Answer { return list(r.Path) })
	if _, err := s.Refund(t.Context(), order); !errors.Is(err, payment.ErrRefused) {
		t.Errorf("without payments: %v, want ErrRefused", err)
	}
	order.Reference.Payment = "pi_9"
	if _, err := s.Refund(t.Context(), order); err != nil || len(srv.Requests("/v1/refunds")) != 1 {
		t.Errorf("with a payment beside the invoice: %v", err)
	}
}

func TestARefusedCreditNoteIsRefused(t *testing.T) {
	t.Parallel()

	bounced := func(status string) *stripetest.Answer {
		return &stripetest.Answer{Body: object{"id": "cn_1", "number": "1", "refunds": []object{{"refund": object{"id": "re_1", "status": status}}}}}
	}
	for name, tt := range map[string]struct {
		answer           *stripetest.Answer
		refused, outages bool
	}{
		"more than is left":    {failure(http.StatusBadRequest, "amount_too_large"), true, false},
		"no right to do so":    {failure(http.StatusForbidden, "secret_key_required"), false, true},
		"a bank that refuses":  {bounced("failed"), true, false},
		"a bank that will see": {bounced("pending"), false, false},
	} {
		s, srv := account(t, invoiced)
		srv.Answer((&books{refuses: tt.answer}).answer)
		for what, r := range map[string]payment.Refund{
			"part": half(payment.Reference{Invoice: "in_1"}), "whole": {OrderID: "order1", Reference: payment.Reference{Invoice: "in_1"}},
		} {
			_, err := s.Refund(t.Context(), r)
			if errors.Is(err, payment.ErrRefused) != tt.refused || (err != nil) != (tt.refused || tt.outages) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// Stripe forgets idempotency keys after a day.
func TestAnOldCreditNoteIsLookedForBeforeItIsAskedForAgain(t *testing.T) {
	t.Parallel()

	note := func(id, refund, status string) object {
		return object{
			"id": "cn_" + id, "number": id, "status": status, "metadata": object{"refundId": "r1"},
			"refunds": []object{{"refund": object{"id": "re_1", "status": refund}}},
		}
	}
	for name, tt := range map[string]struct {
		there object
		want  string
	}{
		"made before":     {note("before", "succeeded", "issued"), "before"},
		"bounced before":  {note("before", "failed", "issued"), "in_1-CN"},
		"voided since":    {note("before", "succeeded", "void"), "in_1-CN"},
		"another refunds": {with(note("before", "succeeded", "issued"), object{"metadata": object{"refundId": "r0"}}), "in_1-CN"},
	} {
		s, srv := account(t, invoiced)
		srv.Answer((&books{notes: []object{tt.there}}).answer)
		r := half(payment.Reference{Invoice: "in_1"})
		r.Again = true
		notes, err := s.Refund(t.Context(), r)
		if err != nil || len(notes) != 1 || notes[0].Number != tt.want || (len(written(srv)) == 0) != (tt.want == "before") {
			t.Errorf("%s: %v, %v", name, notes, err)
		}
	}
}

// The refund of a credit note does not name its order.
func TestABouncedCreditNoteFindsItsOrder(t *testing.T) {
	t.Parallel()

	for name, invoice := range map[string]object{
		"of a single payment": {"id": "in_1", "metadata": object{"orderId": "order1"}},
		"of a subscription": {"id": "in_1", "parent": object{"subscription_details": object{
			"metadata": object{"orderId": "order1"}, "subscription": "sub_1",
		}}},
	} {
		s, srv := account(t, invoiced)
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			return list(r.Path, object{"id": "inpay_1", "invoice": invoice})
		})
		e, err := read(t, s, stripetest.Event("evt_1", "refund.failed", at, object{"id": "re_1", "status": "failed", "metadata": object{}, "payment_intent": "pi_1"}))
		if err != nil || e.Kind != payment.Bounced || e.OrderID != "order1" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}
