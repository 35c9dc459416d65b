package stripe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market/payment"
	"stoa/internal/market/payment/stripe"
	"stoa/internal/testkit/stripetest"
)

var at = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// offline returns a Stripe that nothing can be asked of.
func offline(tb testing.TB) *stripe.Stripe {
	tb.Helper()
	s, err := stripe.New(stripe.Config{SecretKey: stripetest.SecretKey, WebhookSecret: stripetest.WebhookSecret, APIBase: "http://127.0.0.1:1"})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func read(tb testing.TB, s *stripe.Stripe, payload []byte) (payment.Event, error) {
	tb.Helper()
	return s.Event(tb.Context(), payload, stripetest.Sign(payload, stripetest.WebhookSecret, time.Now()))
}

func TestOnlyWhatStripeSignedIsAnEvent(t *testing.T) {
	t.Parallel()
	s := offline(t)

	payload := stripetest.Event("evt_1", "customer.created", at, nil)
	now := time.Now()
	good := stripetest.Sign(payload, stripetest.WebhookSecret, now)
	tests := []struct {
		name      string
		payload   []byte
		signature string
		ok        bool
	}{
		{"as signed", payload, good, true},
		{"after a rotation, with two signatures", payload, good + ",v1=" + strings.Repeat("0", 64), true},
		{"almost too old", payload, stripetest.Sign(payload, stripetest.WebhookSecret, now.Add(-stripe.Tolerance+5*time.Second)), true},
		{"too old", payload, stripetest.Sign(payload, stripetest.WebhookSecret, now.Add(-stripe.Tolerance-time.Second)), false},
		{"another payload", bytes.Replace(payload, []byte("evt_1"), []byte("evt_2"), 1), good, false},
		{"one more byte", append(bytes.Clone(payload), ' '), good, false},
		{"another secret", payload, stripetest.Sign(payload, "whsec_other", now), false},
		{"the API key as secret", payload, stripetest.Sign(payload, stripetest.SecretKey, now), false},
		{"no signature", payload, "", false},
		{"another scheme", payload, strings.Replace(good, "v1=", "v0=", 1), false},
		{"another time", payload, strings.Replace(good, "t=", "t=1", 1), false},
		{"no time", payload, good[strings.Index(good, "v1="):], false},
		{"nonsense", payload, "t=,v1=", false},
	}
	for _, tt := range tests {
		_, err := s.Event(t.Context(), tt.payload, tt.signature)
		if tt.ok && err != nil || !tt.ok && !errors.Is(err, payment.ErrForged) {
			t.Errorf("%s: %v; want it taken: %v", tt.name, err, tt.ok)
		}
	}
}

func TestWhatEventsMean(t *testing.T) {
	t.Parallel()

	type object = map[string]any
	order := object{"orderId": "order1"}
	ref := payment.Reference{Session: "cs_1", Payment: "pi_1"}
	paid := payment.Event{Kind: payment.Paid, OrderID: "order1", Reference: ref, Minor: 2990, Exponent: 2, Currency: "EUR"}
	subscribed := paid
	subscribed.Reference = payment.Reference{Session: "cs_1", Invoice: "in_1", Subscription: "sub_1"}
	crown := paid
	crown.Minor, crown.Currency = 500, "ISK"
	failed := payment.Event{Kind: payment.Failed, OrderID: "order1", Reference: ref}
	renewed := payment.Event{Kind: payment.Renewed, OrderID: "order1", Reference: payment.Reference{Invoice: "in_2", Subscription: "sub_1"}}
	until := renewed
	until.Until = at.AddDate(0, 2, 0)

	page := func(status string, more object) object {
		o := object{"id": "cs_1", "metadata": order, "payment_status": status, "amount_total": 2990, "currency": "eur", "payment_intent": "pi_1", "invoice": nil, "subscription": nil}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	tests := []struct {
		name, kind string
		object     object
		want       payment.Event
	}{
		{"paid", "checkout.session.completed", page("paid", nil), paid},
		{"not paid yet", "checkout.session.completed", page("unpaid", nil), payment.Event{}},
		{"paid later", "checkout.session.async_payment_succeeded", page("paid", nil), paid},
		{"a subscription", "checkout.session.completed", page("paid", object{"payment_intent": nil, "invoice": "in_1", "subscription": object{"id": "sub_1"}}), subscribed},
		{"in a currency of its own", "checkout.session.completed", page("paid", object{"amount_total": 500, "currency": "isk"}), crown},
		{"refused later", "checkout.session.async_payment_failed", page("unpaid", nil), failed},
		{"expired", "checkout.session.expired", page("unpaid", nil), failed},
		{"a later period", "invoice.paid", object{"id": "in_2", "billing_reason": "subscription_cycle", "parent": object{"subscription_details": object{"metadata": order, "subscription": "sub_1"}}}, renewed},
		{"a later period with its end", "invoice.paid", object{
			"id": "in_2", "billing_reason": "subscription_cycle", "period_end": at.AddDate(0, 1, 0).Unix(), "parent": object{"subscription_details": object{"metadata": order, "subscription": "sub_1"}},
			"lines": object{"data": []any{object{"period": object{"start": at.AddDate(0, 1, 0).Unix(), "end": at.AddDate(0, 2, 0).Unix()}}, object{"period": object{"start": at.Unix(), "end": at.Unix()}}}},
		}, until},
		{"a later period with an extra for a year", "invoice.paid", object{
			"id": "in_2", "billing_reason": "subscription_cycle", "parent": object{"subscription_details": object{"metadata": order, "subscription": "sub_1"}},
			"lines": object{"data": []any{
				object{"parent": object{"type": "invoice_item_details"}, "period": object{"end": at.AddDate(1, 0, 0).Unix()}},
				object{"type": "invoiceitem", "period": object{"end": at.AddDate(1, 0, 0).Unix()}}, // as before 2025
				object{"parent": object{"type": "subscription_item_details"}, "period": object{"end": at.AddDate(0, 2, 0).Unix()}},
			}},
		}, until},
		{"a later period, as before 2025", "invoice.paid", object{"id": "in_2", "billing_reason": "subscription_cycle", "subscription": "sub_1", "subscription_details": object{"metadata": order}}, renewed},
		{"the first period", "invoice.paid", object{
			"id": "in_1", "billing_reason": "subscription_create", "amount_paid": 2990, "currency": "eur", "parent": object{"subscription_details": object{"metadata": order, "subscription": "sub_1"}},
		}, payment.Event{Kind: payment.Paid, OrderID: "order1", Reference: payment.Reference{Invoice: "in_1", Subscription: "sub_1"}, Minor: 2990, Exponent: 2, Currency: "EUR"}},
		{"another system's first period", "invoice.paid", object{"id": "in_1", "billing_reason": "subscription_create"}, payment.Event{Reference: payment.Reference{Invoice: "in_1"}}},
		{"a later period is billed", "invoice.created", object{"id": "in_2", "status": "draft", "billing_reason": "subscription_cycle", "parent": object{"subscription_details": object{"metadata": order, "subscription": "sub_1"}}}, payment.Event{
			Kind: payment.Billed, OrderID: "order1", Reference: payment.Reference{Invoice: "in_2", Subscription: "sub_1"},
		}},
		{"the first period is billed", "invoice.created", object{"id": "in_1", "status": "draft", "billing_reason": "subscription_create"}, payment.Event{}},
		{"a later period is open", "invoice.created", object{"id": "in_2", "status": "open", "billing_reason": "subscription_cycle"}, payment.Event{}},
		{"a refund failed", "refund.failed", object{"id": "re_1", "status": "failed", "failure_reason": "lost_or_stolen_card", "metadata": order, "payment_intent": "pi_1"}, payment.Event{
			Kind: payment.Bounced, OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"}, Note: "refund re_1 is failed (lost_or_stolen_card)",
		}},
		{"a refund from the dashboard is canceled", "refund.updated", object{"id": "re_1", "status": "canceled", "payment_intent": "pi_1"}, payment.Event{
			Kind: payment.Bounced, Reference: payment.Reference{Payment: "pi_1"}, Note: "refund re_1 is canceled ()",
		}},
		{"a refund failed, as before 2024-10-28", "charge.refund.updated", object{"id": "re_1", "status": "failed", "failure_reason": "expired_or_canceled_card", "metadata": order, "payment_intent": "pi_1"}, payment.Event{
			Kind: payment.Bounced, OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"}, Note: "refund re_1 is failed (expired_or_canceled_card)",
		}},
		{"a refund succeeded", "refund.updated", object{"id": "re_1", "status": "succeeded", "metadata": order, "payment_intent": "pi_1"}, payment.Event{}},
		{"refunded", "charge.refunded", object{"id": "ch_1", "refunded": true, "metadata": order, "payment_intent": "pi_1"}, payment.Event{Kind: payment.Refunded, OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"}}},
		{"refunded in part", "charge.refunded", object{"id": "ch_1", "refunded": false, "amount": 2990, "amount_refunded": 990, "currency": "eur", "metadata": order, "payment_intent": "pi_1"}, payment.Event{
			Kind: payment.PartlyRefunded, OrderID: "order1", Reference: payment.Reference{Payment: "pi_1"},
			Minor: 990, Exponent: 2, Currency: "EUR",
			Note: "only a part of charge ch_1 was refunded: 990 of 2990 eur. The order stays paid",
		}},
		{"something else", "customer.created", object{"id": "cus_1"}, payment.Event{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, offline(t), stripetest.Event("evt_1", tt.kind, at, tt.object))
			tt.want.ID, tt.want.Type, tt.want.At = "evt_1", tt.kind, at
			if diff := cmp.Diff(got, tt.want); err != nil || diff != "" {
				t.Errorf("Event: %v (-got +want):\n%s", err, diff)
			}
		})
	}
	// Stripe would send it again and again: it is noted and taken.
	for _, payload := range []string{`{}`, `[]`, `nonsense`, `{"id":"evt_1","type":"charge.refunded","data":{"object":{"id":5}}}`} {
		if e, err := read(t, offline(t), []byte(payload)); err != nil || e.Kind != payment.Unrelated || e.Note == "" {
			t.Errorf("%s = %+v, %v; want a note", payload, e, err)
		}
	}
}

// The charge of a subscription does not know its order; Stripe is asked for the
// invoice, and the webhook comes again if it does not answer.
func TestARefundOfASubscriptionFindsItsOrder(t *testing.T) {
	t.Parallel()

	charge := stripetest.Event("evt_1", "charge.refunded", at, map[string]any{"id": "ch_1", "refunded": true, "metadata": map[string]any{}, "payment_intent": "pi_9"})
	tests := []struct {
		name, reason, orderID string
		status                int
		want                  payment.EventKind
		note, fails           bool
	}{
		{"the first period", "subscription_create", "order1", 200, payment.Refunded, false, false},
		{"a later period", "subscription_cycle", "order1", 200, payment.Unrelated, true, false},
		{"another system's", "subscription_create", "", 200, payment.Unrelated, false, false},
		{"no answer", "", "", 401, payment.Unrelated, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, srv := account(t)
			srv.Answer(func(stripetest.Request) *stripetest.Answer {
				if tt.status != http.StatusOK {
					return &stripetest.Answer{Status: tt.status, Body: map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "No."}}}
				}
				metadata := map[string]any{}
				if tt.orderID != "" {
					metadata["orderId"] = tt.orderID
				}
				return &stripetest.Answer{Status: tt.status, Body: map[string]any{"object": "list", "data": []any{map[string]any{
					"id": "inpay_1", "invoice": map[string]any{"id": "in_1", "billing_reason": tt.reason, "parent": map[string]any{
						"subscription_details": map[string]any{"metadata": metadata, "subscription": "sub_1"},
					}},
				}}}}
			})
			e, err := read(t, s, charge)
			if (err != nil) != tt.fails || e.Kind != tt.want || (e.Note != "") != tt.note || e.OrderID != tt.orderID {
				t.Errorf("Event = %+v, %v", e, err)
			}
			wantForm(t, oneRequest(t, srv, "/v1/invoice_payments"), map[string]string{
				"payment[type]": "payment_intent", "payment[payment_intent]": "pi_9", "expand[0]": "data.invoice",
			})
		})
	}
}

// Whatever is signed: no panic, no error that would have it sent for days, and
// nothing paid without an order's id.
func FuzzEvent(f *testing.F) {
	for _, kind := range []string{"checkout.session.completed", "checkout.session.expired", "invoice.paid", "invoice.created", "charge.refunded", "refund.updated", "x"} {
		f.Add(kind, `{"id":"a","metadata":{"orderId":"b"},"payment_status":"paid","amount_total":1,"currency":"eur","refunded":true,"billing_reason":"subscription_cycle"}`)
	}
	f.Add("charge.refunded", `null`)
	f.Add("invoice.paid", `{"parent":null,"subscription":{"id":{}}}`)
	s := offline(f)
	f.Fuzz(func(t *testing.T, kind, object string) {
		payload := []byte(`{"id":"evt_1","type":` + quote(kind) + `,"data":{"object":` + object + `}}`)
		if strings.Contains(object, "payment_intent") {
			t.Skip() // would ask Stripe
		}
		e, err := read(t, s, payload)
		if err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
		if e.Kind == payment.Paid && !strings.Contains(object, "metadata") && e.OrderID != "" {
			t.Errorf("%s is an event of order %q", payload, e.OrderID)
		}
	})
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
