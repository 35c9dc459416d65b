package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// End implements payment.Provider.
func (p *Provider) End(ctx context.Context, r payment.Reference) error {
	if r.Subscription == "" {
		return nil
	}
	err := p.cancel(ctx, r.Subscription)
	if !errors.Is(err, payment.ErrRefused) {
		return err
	}
	// A schedule may steer it.
	released, releaseErr := p.releaseOf(ctx, r.Subscription)
	switch {
	case releaseErr != nil && !errors.Is(releaseErr, payment.ErrRefused):
		return releaseErr
	case released:
		return p.cancel(ctx, r.Subscription)
	}
	return err
}

func (p *Provider) cancel(ctx context.Context, subscription string) error {
	_, err := p.client.V1Subscriptions.Cancel(ctx, subscription, nil)
	if hasCode(err, stripe.ErrorCodeResourceMissing) { // it has ended already
		return nil
	}
	return explain("end a subscription", err)
}

// EndLater implements payment.Provider.
func (p *Provider) EndLater(ctx context.Context, r payment.Reference) (time.Time, error) {
	if r.Subscription == "" {
		return time.Time{}, fmt.Errorf("stripe: the order has no subscription: %w", payment.ErrRefused)
	}
	sub, err := p.endWithPeriod(ctx, r.Subscription)
	if errors.Is(err, payment.ErrRefused) {
		// Stripe refuses to end what a schedule steers.
		released, releaseErr := p.releaseOf(ctx, r.Subscription)
		switch {
		case releaseErr != nil:
			return time.Time{}, releaseErr
		case released:
			sub, err = p.endWithPeriod(ctx, r.Subscription)
		}
	}
	if err != nil || sub.CanceledAt == 0 {
		return time.Time{}, err
	}
	return time.Unix(sub.CanceledAt, 0).UTC(), nil // the time of the request, not of the end
}

func (p *Provider) endWithPeriod(ctx context.Context, subscription string) (*stripe.Subscription, error) {
	// Without an idempotency key of ours: it would answer from memory after the end was taken back.
	params := &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(true)}
	sub, err := p.client.V1Subscriptions.Update(ctx, subscription, params)
	return sub, explain("let a subscription end with its period", err)
}

// Collect implements payment.Provider. Stripe leaves the invoice of a further period in draft for about
// an hour, so that lines can be added. We add none, and finalize it at once.
func (p *Provider) Collect(ctx context.Context, r payment.Reference) error {
	// AutoAdvance: Stripe collects the payment later if the rest fails.
	finalize := &stripe.InvoiceFinalizeInvoiceParams{AutoAdvance: stripe.Bool(true)}
	finalize.SetIdempotencyKey("stoa-finalize-" + r.Invoice)
	_, err := p.client.V1Invoices.FinalizeInvoice(ctx, r.Invoice, finalize)
	if err = explain("finalize an invoice", err); err != nil && !errors.Is(err, payment.ErrRefused) {
		return err
	}
	// Refused means that the invoice was finalized before.
	pay := new(stripe.InvoicePayParams)
	pay.SetIdempotencyKey("stoa-pay-" + r.Invoice)
	_, err = p.client.V1Invoices.Pay(ctx, r.Invoice, pay)
	return explain("pay an invoice", err)
}

// invoice is what we read of an invoice, in the present form and in that of API versions before 2025.
type invoice struct {
	ID            string `json:"id"`
	BillingReason string `json:"billing_reason"`
	Created       int64  `json:"created"`
	Status        string `json:"status"`
	AmountDue     int64  `json:"amount_due"`
	AmountPaid    int64  `json:"amount_paid"`
	Currency      string `json:"currency"`
	Parent        struct {
		Subscription subscriptionDetails `json:"subscription_details"`
	} `json:"parent"`
	invoiceTax

	Metadata      metadata            `json:"metadata"`
	PaymentIntent id                  `json:"payment_intent"`
	Subscription  id                  `json:"subscription"`
	Details       subscriptionDetails `json:"subscription_details"`
	Lines         struct {
		Data []invoiceLine `json:"data"`
	} `json:"lines"`
}

// invoiceLine is what we read of a line of an invoice.
type invoiceLine struct {
	Amount int64  `json:"amount"`
	Type   string `json:"type"` // before 2025, as is the next
	lineDetails
	Parent struct {
		Type string      `json:"type"`
		Item lineDetails `json:"invoice_item_details"`
		Plan lineDetails `json:"subscription_item_details"`
	} `json:"parent"`
	Period struct {
		End int64 `json:"end"`
	} `json:"period"`
}

type lineDetails struct {
	Proration bool `json:"proration"`
}

// prorated reports whether a change of plan made the line.
func (l *invoiceLine) prorated() bool {
	return l.Proration || l.Parent.Item.Proration || l.Parent.Plan.Proration
}

// extra reports whether somebody added the line to the invoice. Its period may be any.
func (l *invoiceLine) extra() bool {
	return l.Type == "invoiceitem" || l.Parent.Type == "invoice_item_details"
}

type subscriptionDetails struct {
	Metadata     metadata `json:"metadata"`
	Subscription id       `json:"subscription"`
}

// identify fills in what the event is about.
func (i *invoice) identify(e *payment.Event) {
	e.OrderID = cmp.Or(i.Parent.Subscription.Metadata[metadataKey], i.Details.Metadata[metadataKey])
	e.Reference = payment.Reference{
		Invoice: i.ID, Subscription: string(cmp.Or(i.Parent.Subscription.Subscription, i.Subscription)),
	}
}

// until returns the end of the billed period, which is that of its line. The invoice's own period_end is
// that of the period before. Of a change of plan it is the end of what is paid, not of what is credited.
func (i *invoice) until() time.Time {
	var end int64
	for _, line := range i.Lines.Data {
		counts := !line.extra()
		if line.prorated() {
			counts = line.Amount >= 0 && i.BillingReason != laterInvoice
		}
		if counts {
			end = max(end, line.Period.End)
		}
	}
	if end == 0 {
		return time.Time{}
	}
	return time.Unix(end, 0).UTC()
}

// credit returns what a change of plan gives for the rest of the period that was paid.
func (i *invoice) credit() (sum int64) {
	for _, line := range i.Lines.Data {
		if line.prorated() && line.Amount < 0 {
			sum -= line.Amount
		}
	}
	return sum
}

// billedAt returns when Stripe made the invoice.
func (i *invoice) billedAt() time.Time {
	if i.Created == 0 {
		return time.Time{}
	}
	return time.Unix(i.Created, 0).UTC()
}

// The billing reasons that matter.
const (
	firstInvoice  = "subscription_create"
	laterInvoice  = "subscription_cycle"
	changeInvoice = "subscription_update"
)

// readInvoice reads that a period of a subscription is paid, or a single payment with an invoice. The page reports the
// first period and the payment too, unless the bank refused at first and the invoice was paid later.
func (p *Provider) readInvoice(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var i invoice
	if !decode(e, object, &i) {
		return nil
	}
	switch i.BillingReason {
	case laterInvoice:
		i.identify(e)
		e.Kind, e.Until, e.BilledAt = payment.Renewed, i.until(), i.billedAt()
		i.paid(e)
	case firstInvoice:
		if i.identify(e); e.OrderID == "" {
			return nil // of another system
		}
		e.Kind = payment.Paid
		i.paid(e)
	case changeInvoice:
		i.identify(e)
		e.Kind, e.Until = payment.Adjusted, i.until()
		i.paid(e)
	default:
		if !i.ofPayment() {
			return nil
		}
		e.Kind, e.OrderID = payment.Paid, i.Metadata[metadataKey]
		e.Reference = payment.Reference{Invoice: i.ID, Payment: string(i.PaymentIntent)}
		i.paid(e)
	}
	e.Bill = p.invoiceBill(i)
	return nil
}

// ofPayment reports whether the page made the invoice for a single payment: then it has the order's id itself.
func (i *invoice) ofPayment() bool {
	return i.Metadata[metadataKey] != "" && i.Subscription == "" && i.Parent.Subscription.Subscription == ""
}

// readAbandoned reads that the invoice of a change of plan will not be paid.
func readAbandoned(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var i invoice
	if decode(e, object, &i) && i.BillingReason == changeInvoice {
		i.identify(e)
		e.Kind = payment.AdjustmentFailed
	}
	return nil
}

// readExpired reads that a change of plan was not paid in time. The subscription may have another invoice since, so
// the event names none.
func readExpired(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var sub subscriptionObject
	if decode(e, object, &sub) && sub.ID != "" {
		sub.identify(e)
		e.Kind = payment.AdjustmentFailed
	}
	return nil
}

// subscriptionObject is what we read of a subscription.
type subscriptionObject struct {
	ID                string   `json:"id"`
	Metadata          metadata `json:"metadata"`
	Status            string   `json:"status"`
	EndedAt           int64    `json:"ended_at"`
	CancelAt          int64    `json:"cancel_at"`
	CancelAtPeriodEnd bool     `json:"cancel_at_period_end"`
}

// identify fills in what the event is about.
func (s *subscriptionObject) identify(e *payment.Event) {
	e.OrderID, e.Reference = s.Metadata[metadataKey], payment.Reference{Subscription: s.ID}
}

// paid fills in how much was paid.
func (i *invoice) paid(e *payment.Event) {
	if i.Currency == "" {
		return
	}
	e.Minor, e.Currency = i.AmountPaid, strings.ToUpper(i.Currency)
	e.Exponent, _ = payment.Units(e.Currency)
}

// readDraft reads that a further period of a subscription is billed.
func readDraft(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var i invoice
	if decode(e, object, &i) && i.BillingReason == laterInvoice && i.Status == string(stripe.InvoiceStatusDraft) {
		i.identify(e)
		e.Kind, e.BilledAt = payment.Billed, i.billedAt()
	}
	return nil
}

// readUnpaid reads that a further period of a subscription could not be collected. Stripe may try again.
func readUnpaid(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var i invoice
	if decode(e, object, &i) && i.BillingReason == laterInvoice {
		i.identify(e)
		e.Kind, e.Until = payment.NotRenewed, i.until()
	}
	return nil
}

// readSubscription reads that a subscription has ended, will end by itself, or goes on.
func readSubscription(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var sub subscriptionObject
	if !decode(e, object, &sub) || sub.ID == "" {
		return nil
	}
	switch {
	case sub.EndedAt != 0 || e.Type == "customer.subscription.deleted":
		e.Kind = payment.Ended
	case sub.CancelAtPeriodEnd || sub.CancelAt != 0:
		e.Kind = payment.WillNotRenew
	case sub.Status == string(stripe.SubscriptionStatusActive):
		e.Kind = payment.WillRenew
	default:
		return nil // not begun, or its payment is late: other events say what that means
	}
	sub.identify(e)
	return nil
}
