package stripe

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"stoa/internal/shop/payment"
)

// Tolerance is how far the time at which a webhook was signed may be from now, before it or after
// it: a captured one must not be of use later.
const Tolerance = 5 * time.Minute

// check verifies that Stripe signed a webhook, and when. The library compares the time as well, but
// takes any in the future.
func (p *Provider) check(payload []byte, signature string) error {
	if err := webhook.ValidatePayloadIgnoringTolerance(payload, signature, p.cfg.WebhookSecret); err != nil {
		return err
	}
	at, found := time.Time{}, 0
	for part := range strings.SplitSeq(signature, ",") {
		if text, ok := strings.CutPrefix(part, "t="); ok {
			seconds, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			at, found = time.Unix(seconds, 0), found+1
		}
	}
	if found != 1 {
		return fmt.Errorf("signed at %d times", found)
	}
	if now := p.cfg.Now(); at.Before(now.Add(-Tolerance)) || at.After(now.Add(Tolerance)) {
		return fmt.Errorf("signed at %s, which is not now", at.UTC().Format(time.RFC3339))
	}
	return nil
}

// Event implements payment.Provider. It does not decode payloads into the library's types: the API
// version of a webhook is set in Stripe's dashboard, and the fields read here are the same in all
// versions since 2022.
func (p *Provider) Event(ctx context.Context, payload []byte, signature string) (payment.Event, error) {
	if err := p.check(payload, signature); err != nil {
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
		"checkout.session.completed":               p.readSession,
		"checkout.session.async_payment_succeeded": p.readSession,
		"checkout.session.async_payment_failed":    readFailure,
		"checkout.session.expired":                 readFailure,
		"charge.refunded":                          p.readRefund,
		"refund.failed":                            p.readBounce,
		"refund.updated":                           p.readBounce,
		"charge.refund.updated":                    p.readBounce, // before the API version 2024-10-28
		"invoice.created":                          readDraft,
		"invoice.paid":                             p.readInvoice,
		"invoice.payment_failed":                   readUnpaid,
		"customer.subscription.updated":            readSubscription,
		"customer.subscription.deleted":            readSubscription,

		"customer.subscription.pending_update_expired": readExpired,
		"invoice.voided":               readAbandoned,
		"invoice.marked_uncollectible": readAbandoned,
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
