package stripe_test

import (
	"errors"
	"net/http"
	"testing"

	"stoa/internal/shop/payment"
	"stoa/internal/testkit/stripetest"
)

// half is the request for a part of a payment.
func half(of payment.Reference) payment.Refund {
	return payment.Refund{OrderID: "order1", Reference: of, ID: "r1", Minor: 1050, Exponent: 2, Currency: "EUR"}
}

func TestAPartHasItsOwnIDAtStripe(t *testing.T) {
	t.Parallel()

	for name, of := range map[string]payment.Reference{
		"once":             {Session: "cs_1", Payment: "pi_2"},
		"of a period":      {Invoice: "in_2"},
		"a subscription's": {Payment: "pi_2", Invoice: "in_1"},
	} {
		s, srv := account(t)
		srv.Answer(subscribed)
		if _, err := s.Refund(t.Context(), half(of)); err != nil {
			t.Fatal(err)
		}
		got := oneRequest(t, srv, "/v1/refunds")
		wantForm(t, got, map[string]string{
			"payment_intent": "pi_2", "amount": "1050", "metadata[orderId]": "order1", "metadata[refundId]": "r1",
		})
		if got.IdempotencyKey != "stoa-refund-r1" {
			t.Errorf("%s: Idempotency-Key = %q", name, got.IdempotencyKey)
		}
	}
}

// Stripe takes some currencies with other decimals than the shop.
func TestAPartIsInStripesUnits(t *testing.T) {
	t.Parallel()

	for currency, want := range map[string]struct {
		minor    int64
		exponent int
		amount   string
	}{"JPY": {500, 0, "500"}, "KWD": {1230, 3, "1230"}, "ISK": {500, 0, "50000"}} {
		s, srv := account(t)
		r := half(payment.Reference{Payment: "pi_1"})
		r.Currency, r.Minor, r.Exponent = currency, want.minor, want.exponent
		if _, err := s.Refund(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := oneRequest(t, srv, "/v1/refunds").Form.Get("amount"); got != want.amount {
			t.Errorf("%s: amount %s, want %s", currency, got, want.amount)
		}
	}
}

// Other than of the whole, Stripe's word that there is nothing left is no sign that this part went back.
func TestARefusedPartIsRefused(t *testing.T) {
	t.Parallel()

	for _, code := range []string{"charge_already_refunded", "charge_disputed", "amount_too_large"} {
		s, srv := account(t)
		srv.Answer(func(stripetest.Request) *stripetest.Answer { return failure(http.StatusBadRequest, code) })
		if _, err := s.Refund(t.Context(), half(payment.Reference{Payment: "pi_1"})); !errors.Is(err, payment.ErrRefused) {
			t.Errorf("%s = %v, want ErrRefused", code, err)
		}
	}
}

// Stripe forgets idempotency keys after a day: a part that may be that old is looked for first.
func TestAnOldPartIsLookedForBeforeItIsAskedForAgain(t *testing.T) {
	t.Parallel()

	refund := func(id, status string) object {
		return object{"id": "re_1", "object": "refund", "status": status, "metadata": object{"refundId": id}}
	}
	for name, tt := range map[string]struct {
		there []any
		asked int
	}{
		"nothing there":    {nil, 1},
		"another part":     {[]any{refund("r2", "succeeded"), object{"id": "re_2", "object": "refund", "status": "succeeded"}}, 1},
		"it is there":      {[]any{refund("r2", "succeeded"), refund("r1", "succeeded")}, 0},
		"it is on its way": {[]any{refund("r1", "pending")}, 0},
		"it failed":        {[]any{refund("r1", "failed")}, 1},
	} {
		s, srv := account(t)
		srv.Answer(func(r stripetest.Request) *stripetest.Answer {
			if r.Method == http.MethodGet {
				return list(r.Path, tt.there...)
			}
			return nil
		})
		again := half(payment.Reference{Payment: "pi_1"})
		again.Again = true
		if _, err := s.Refund(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		var looked, asked int
		for _, r := range srv.Requests("/v1/refunds") {
			if r.Method == http.MethodGet {
				looked++
				wantForm(t, r, map[string]string{"payment_intent": "pi_1"})
				continue
			}
			asked++
		}
		if looked != 1 || asked != tt.asked {
			t.Errorf("%s: looked %d times, asked %d times, want %d", name, looked, asked, tt.asked)
		}
	}

	s, srv := account(t)
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Method == http.MethodGet {
			return failure(http.StatusInternalServerError, "")
		}
		return nil
	})
	again := half(payment.Reference{Payment: "pi_1"})
	again.Again = true
	if _, err := s.Refund(t.Context(), again); err == nil || errors.Is(err, payment.ErrRefused) {
		t.Errorf("without an answer = %v, want an outage", err)
	}
}
