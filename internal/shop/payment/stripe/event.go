package stripe

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"stoa/internal/shop/payment"
)

// Tolerance is how old a webhook may be, so that a captured one cannot be replayed later.
const Tolerance = 5 * time.Minute

// Event implements payment.Provider. It does not decode payloads into the library's types: the API
// version of a webhook is set in Stripe's dashboard, and the fields read here are the same in all
// versions since 2022.
func (p *Provider) Event(ctx context.Context, payload []byte, signature string) (payment.Event, error) {
	if err := webhook.ValidatePayloadWithTolerance(payload, signature, p.cfg.WebhookSecret, Tolerance); err != nil {
		return payment.Event{}, fmt.Errorf("stripe: %w: %w", err, payment.ErrForged)
	}
	var e struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Created int64  `json:"created"`
		Data    struct {
			Object json.RawMessage `json:"object"`
		} `json:"data"`
	}
	if !decode(new(payment.Event), payload, &e) || e.ID == "" {
		// Stripe signed it, so a repeated delivery would be the same.
		return payment.Event{Note: "a signed webhook that is not an event"}, nil
	}
	out := payment.Event{ID: e.ID, Type: e.Type, At: time.Unix(e.Created, 0).UTC()}
	read := map[string]func(context.Context, *payment.Event, json.RawMessage) error{
		"checkout.session.completed":               readSession,
		"checkout.session.async_payment_succeeded": readSession,
		"checkout.session.async_payment_failed":    readFailure,
		"checkout.session.expired":                 readFailure,
		"charge.refunded":                          p.readRefund,
		"refund.failed":                            readBounce,
		"refund.updated":                           readBounce,
		"charge.refund.updated":                    readBounce, // before the API version 2024-10-28
		"invoice.created":                          readDraft,
		"invoice.paid":                             readInvoice,
		"invoice.payment_failed":                   readUnpaid,
		"customer.subscription.updated":            readSubscription,
		"customer.subscription.deleted":            readSubscription,
	}[e.Type]
	if read == nil {
		return out, nil
	}
	err := read(ctx, &out, e.Data.Object)
	return out, err
}

// id identifies another object. Stripe sends the id, or the object itself.
type id string

// UnmarshalJSON implements json.Unmarshaler.
func (i *id) UnmarshalJSON(data []byte) error {
	var object struct {
		ID string `json:"id"`
	}
	if len(data) > 0 && data[0] == '{' {
		err := json.Unmarshal(data, &object)
		*i = id(object.ID)
		return err
	}
	return json.Unmarshal(data, (*string)(i))
}

type metadata map[string]string

// decode reads an object into v and reports whether that worked. A malformed object becomes a note, not
// an error, which would make Stripe repeat the delivery for days.
func decode(e *payment.Event, object json.RawMessage, v any) bool {
	if err := json.Unmarshal(object, v); err != nil {
		e.Note = "an object of " + e.Type + " that cannot be read: " + err.Error()
		return false
	}
	return true
}
