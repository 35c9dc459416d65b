package stripe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"stoa/internal/market/payment"
)

// Tolerance is how old a webhook may be: a captured one cannot be sent again
// later.
const Tolerance = 5 * time.Minute

// Event implements payment.Provider. Payloads are read by field, not with the
// library's types: an endpoint's API version is chosen in Stripe's dashboard, and
// what is read here is the same in all since 2022.
func (s *Stripe) Event(ctx context.Context, payload []byte, signature string) (payment.Event, error) {
	if err := webhook.ValidatePayloadWithTolerance(payload, signature, s.cfg.WebhookSecret, Tolerance); err != nil {
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
		// Signed, so it is Stripe's; asking for it again would bring the same.
		return payment.Event{Note: "a signed webhook that is no event"}, nil
	}
	out := payment.Event{ID: e.ID, Type: e.Type, At: time.Unix(e.Created, 0).UTC()}
	read := map[string]func(context.Context, *payment.Event, json.RawMessage) error{
		"checkout.session.completed":               readSession,
		"checkout.session.async_payment_succeeded": readSession,
		"checkout.session.async_payment_failed":    readFailure,
		"checkout.session.expired":                 readFailure,
		"charge.refunded":                          s.readRefund,
		"refund.failed":                            readBounce,
		"refund.updated":                           readBounce,
		"charge.refund.updated":                    readBounce, // before the API version 2024-10-28
		"invoice.created":                          readDraft,
		"invoice.paid":                             readInvoice,
	}[e.Type]
	if read == nil {
		return out, nil
	}
	return out, read(ctx, &out, e.Data.Object)
}

// id is a reference to another object: its id, or the object itself.
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

// session is what is read of a Checkout Session.
type session struct {
	ID            string   `json:"id"`
	Metadata      metadata `json:"metadata"`
	PaymentStatus string   `json:"payment_status"`
	AmountTotal   int64    `json:"amount_total"`
	Currency      string   `json:"currency"`
	PaymentIntent id       `json:"payment_intent"`
	Invoice       id       `json:"invoice"`
	Subscription  id       `json:"subscription"`
}

// decode reads an object into v. What does not fit is noted: Stripe would send it
// again and again.
func decode(e *payment.Event, object json.RawMessage, v any) bool {
	if err := json.Unmarshal(object, v); err != nil {
		e.Note = "an object of " + e.Type + " that cannot be read: " + err.Error()
		return false
	}
	return true
}

func (s *session) of(e *payment.Event) {
	e.OrderID = s.Metadata[metadataKey]
	e.Reference = payment.Reference{
		Session: s.ID, Payment: string(s.PaymentIntent), Invoice: string(s.Invoice), Subscription: string(s.Subscription),
	}
}

// readSession reads that a page was completed. It is paid then, or will be once
// the bank has answered, which is another event.
func readSession(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var s session
	if !decode(e, object, &s) || s.PaymentStatus == string(stripe.CheckoutSessionPaymentStatusUnpaid) {
		return nil
	}
	s.of(e)
	e.Kind, e.Minor, e.Currency = payment.Paid, s.AmountTotal, strings.ToUpper(s.Currency)
	e.Exponent, _ = decimals(e.Currency)
	return nil
}

// readFailure reads that a page will never be paid.
func readFailure(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var s session
	if decode(e, object, &s) {
		s.of(e)
		e.Kind = payment.Failed
	}
	return nil
}

// invoice is what is read of an invoice, in its present form and in that of
// versions before 2025.
type invoice struct {
	ID            string `json:"id"`
	BillingReason string `json:"billing_reason"`
	Status        string `json:"status"`
	AmountPaid    int64  `json:"amount_paid"`
	Currency      string `json:"currency"`
	Parent        struct {
		Subscription subscriptionDetails `json:"subscription_details"`
	} `json:"parent"`
	Subscription id                  `json:"subscription"`
	Details      subscriptionDetails `json:"subscription_details"`
	Lines        struct {
		Data []invoiceLine `json:"data"`
	} `json:"lines"`
}

// invoiceLine is what is read of a line of an invoice.
type invoiceLine struct {
	Type   string `json:"type"` // before 2025
	Parent struct {
		Type string `json:"type"`
	} `json:"parent"`
	Period struct {
		End int64 `json:"end"`
	} `json:"period"`
}

// extra reports whether a line is what somebody added to the invoice, of which the
// period may be any.
func (l *invoiceLine) extra() bool {
	return l.Type == "invoiceitem" || l.Parent.Type == "invoice_item_details"
}

type subscriptionDetails struct {
	Metadata     metadata `json:"metadata"`
	Subscription id       `json:"subscription"`
}

func (i *invoice) of(e *payment.Event) {
	e.OrderID = first(i.Parent.Subscription.Metadata[metadataKey], i.Details.Metadata[metadataKey])
	e.Reference = payment.Reference{
		Invoice: i.ID, Subscription: first(string(i.Parent.Subscription.Subscription), string(i.Subscription)),
	}
}

// until returns the end of the period that is billed, which is that of its line:
// the invoice's own period_end is that of the period before.
func (i *invoice) until() time.Time {
	var end int64
	for _, line := range i.Lines.Data {
		if !line.extra() {
			end = max(end, line.Period.End)
		}
	}
	if end == 0 {
		return time.Time{}
	}
	return time.Unix(end, 0).UTC()
}

// The billing reasons that mean something here.
const (
	firstInvoice = "subscription_create"
	laterInvoice = "subscription_cycle"
)

// readInvoice reads that a period of a subscription is paid. Of the first one the
// page tells too, unless the bank had refused and the invoice was paid later.
func readInvoice(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var i invoice
	if !decode(e, object, &i) {
		return nil
	}
	switch i.BillingReason {
	case laterInvoice:
		i.of(e)
		e.Kind, e.Until = payment.Renewed, i.until()
	case firstInvoice:
		if i.of(e); e.OrderID == "" {
			return nil // another system's
		}
		e.Kind, e.Minor, e.Currency = payment.Paid, i.AmountPaid, strings.ToUpper(i.Currency)
		e.Exponent, _ = decimals(e.Currency)
	}
	return nil
}

// readDraft reads that a further period of a subscription is billed.
func readDraft(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var i invoice
	if decode(e, object, &i) && i.BillingReason == laterInvoice && i.Status == string(stripe.InvoiceStatusDraft) {
		i.of(e)
		e.Kind = payment.Billed
	}
	return nil
}

// readBounce reads that a refund failed after all.
func readBounce(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var r struct {
		ID            string   `json:"id"`
		Status        string   `json:"status"`
		FailureReason string   `json:"failure_reason"`
		Metadata      metadata `json:"metadata"`
		PaymentIntent id       `json:"payment_intent"`
	}
	if decode(e, object, &r) && bounced(r.Status) {
		e.Kind, e.OrderID, e.Reference = payment.Bounced, r.Metadata[metadataKey], payment.Reference{Payment: string(r.PaymentIntent)}
		e.Note = fmt.Sprintf("refund %s is %s (%s)", r.ID, r.Status, r.FailureReason)
	}
	return nil
}

// charge is what is read of a charge.
type charge struct {
	ID             string   `json:"id"`
	Metadata       metadata `json:"metadata"`
	Refunded       bool     `json:"refunded"` // all of it
	Amount         int64    `json:"amount"`
	AmountRefunded int64    `json:"amount_refunded"`
	Currency       string   `json:"currency"`
	PaymentIntent  id       `json:"payment_intent"`
}

// readRefund reads that a charge was given back. A charge for a subscription does
// not know its order: its invoice does, and is asked for.
func (s *Stripe) readRefund(ctx context.Context, e *payment.Event, object json.RawMessage) error {
	var c charge
	if !decode(e, object, &c) {
		return nil
	}
	e.OrderID, e.Reference = c.Metadata[metadataKey], payment.Reference{Payment: string(c.PaymentIntent)}
	if !c.Refunded {
		e.Note = fmt.Sprintf("only a part of charge %s was refunded: %d of %d %s. The order stays paid", c.ID, c.AmountRefunded, c.Amount, c.Currency)
		e.Minor, e.Currency = c.AmountRefunded, strings.ToUpper(c.Currency)
		e.Exponent, _ = decimals(e.Currency)
	}
	if e.OrderID == "" && c.PaymentIntent != "" {
		return s.readInvoiceRefund(ctx, e, c)
	}
	e.Kind = c.kind()
	return nil
}

// kind returns what the refund of a charge means for the order that it paid.
func (c *charge) kind() payment.EventKind {
	if c.Refunded {
		return payment.Refunded
	}
	return payment.PartlyRefunded
}

func (s *Stripe) readInvoiceRefund(ctx context.Context, e *payment.Event, c charge) error {
	params := &stripe.InvoicePaymentListParams{
		Payment: &stripe.InvoicePaymentListPaymentParams{Type: stripe.String("payment_intent"), PaymentIntent: stripe.String(string(c.PaymentIntent))},
	}
	params.AddExpand("data.invoice")
	list := s.client.V1InvoicePayments.List(ctx, params)
	if err := list.Err(); err != nil {
		return explain("look for the invoice of a payment", err)
	}
	if len(list.Data()) == 0 {
		return nil
	}
	i := list.Data()[0].Invoice
	if i == nil || i.Parent == nil || i.Parent.SubscriptionDetails == nil {
		return nil
	}
	details := i.Parent.SubscriptionDetails
	e.OrderID, e.Reference.Invoice = details.Metadata[metadataKey], i.ID
	if details.Subscription != nil {
		e.Reference.Subscription = details.Subscription.ID
	}
	switch {
	case e.OrderID == "":
	case string(i.BillingReason) == firstInvoice:
		e.Kind = c.kind()
	case !c.Refunded: // e.Note says so
	default:
		e.Note = fmt.Sprintf("charge %s for a later period was refunded. Alone it changes nothing here: the licence stays as it is", c.ID)
	}
	return nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
