package stripe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// Refund implements payment.Provider. Each payment has its own idempotency key, so a repeated call
// continues where the last one stopped.
func (p *Provider) Refund(ctx context.Context, orderID string, r payment.Reference) error {
	payments, err := p.paymentsOf(ctx, r)
	if err != nil {
		return err
	}
	for _, id := range payments {
		if err := p.refund(ctx, orderID, id); err != nil {
			return err
		}
	}
	return nil
}

// refund refunds what is left of a payment.
func (p *Provider) refund(ctx context.Context, orderID, paymentID string) error {
	params := &stripe.RefundCreateParams{PaymentIntent: &paymentID, Metadata: map[string]string{metadataKey: orderID}}
	params.SetIdempotencyKey("stoa-refund-" + orderID + "-" + paymentID)
	refund, err := p.client.V1Refunds.Create(ctx, params)
	switch {
	case hasCode(err, stripe.ErrorCodeChargeAlreadyRefunded):
		return nil
	case err != nil:
		return explain("refund a payment", err)
	case bounced(string(refund.Status)):
		return fmt.Errorf("stripe: refund %s of payment %s is %s (%s): %w",
			refund.ID, paymentID, refund.Status, refund.FailureReason, payment.ErrRefused)
	}
	// A pending refund counts: Stripe carries it out, and reports if it fails.
	return nil
}

// bounced reports whether a refund with that status refunded nothing.
func bounced(status string) bool {
	return status == string(stripe.RefundStatusFailed) || status == string(stripe.RefundStatusCanceled)
}

// paymentsOf returns the payments of an order, the first one last. The page of a subscription does not
// name them; its invoices do.
func (p *Provider) paymentsOf(ctx context.Context, r payment.Reference) ([]string, error) {
	var invoices, payments []string
	if r.Subscription != "" {
		params := &stripe.InvoiceListParams{
			Subscription: &r.Subscription, Status: stripe.String(string(stripe.InvoiceStatusPaid)),
		}
		for i, err := range p.client.V1Invoices.List(ctx, params).All(ctx) {
			if err != nil {
				return nil, explain("list the invoices of a subscription", err)
			}
			if i.ID != r.Invoice {
				invoices = append(invoices, i.ID) // they come newest first
			}
		}
	}
	if r.Invoice != "" {
		invoices = append(invoices, r.Invoice)
	}
	for _, i := range invoices {
		of, err := p.paymentsOfInvoice(ctx, i)
		if err != nil {
			return nil, err
		}
		payments = append(payments, of...)
	}
	if len(payments) == 0 && r.Payment != "" {
		payments = append(payments, r.Payment)
	}
	if len(payments) == 0 {
		return nil, fmt.Errorf("stripe: no payment of this order is known: %w", payment.ErrRefused)
	}
	return payments, nil
}

// paymentsOfInvoice returns the payments of an invoice. There are none for a period that was free.
func (p *Provider) paymentsOfInvoice(ctx context.Context, invoiceID string) (payments []string, err error) {
	params := &stripe.InvoicePaymentListParams{Invoice: &invoiceID, Status: stripe.String("paid")}
	for ip, err := range p.client.V1InvoicePayments.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, explain("look for the payment of an invoice", err)
		}
		if ip.Payment != nil && ip.Payment.PaymentIntent != nil {
			payments = append(payments, ip.Payment.PaymentIntent.ID)
		}
	}
	return payments, nil
}

// readBounce reads that a refund failed.
func readBounce(_ context.Context, e *payment.Event, object json.RawMessage) error {
	var r struct {
		ID            string   `json:"id"`
		Status        string   `json:"status"`
		FailureReason string   `json:"failure_reason"`
		Metadata      metadata `json:"metadata"`
		PaymentIntent id       `json:"payment_intent"`
	}
	if decode(e, object, &r) && bounced(r.Status) {
		e.Kind, e.OrderID = payment.Bounced, r.Metadata[metadataKey]
		e.Reference = payment.Reference{Payment: string(r.PaymentIntent)}
		e.Note = fmt.Sprintf("refund %s is %s (%s)", r.ID, r.Status, r.FailureReason)
	}
	return nil
}

// charge is what we read of a charge.
type charge struct {
	ID             string   `json:"id"`
	Metadata       metadata `json:"metadata"`
	Refunded       bool     `json:"refunded"` // all of it
	Amount         int64    `json:"amount"`
	AmountRefunded int64    `json:"amount_refunded"`
	Currency       string   `json:"currency"`
	PaymentIntent  id       `json:"payment_intent"`
}

// readRefund reads that a charge was refunded. A charge of a subscription does not name its order, so the
// invoice is looked up, which does.
func (p *Provider) readRefund(ctx context.Context, e *payment.Event, object json.RawMessage) error {
	var c charge
	if !decode(e, object, &c) {
		return nil
	}
	e.OrderID, e.Reference = c.Metadata[metadataKey], payment.Reference{Payment: string(c.PaymentIntent)}
	if !c.Refunded {
		e.Note = fmt.Sprintf("only a part of charge %s was refunded: %d of %d %s. The order stays paid",
			c.ID, c.AmountRefunded, c.Amount, c.Currency)
		e.Minor, e.Currency = c.AmountRefunded, strings.ToUpper(c.Currency)
		e.Exponent, _ = payment.Units(e.Currency)
	}
	if e.OrderID == "" && c.PaymentIntent != "" {
		return p.readInvoiceRefund(ctx, e, c)
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

// readInvoiceRefund reads that a charge of a subscription was refunded.
func (p *Provider) readInvoiceRefund(ctx context.Context, e *payment.Event, c charge) error {
	params := &stripe.InvoicePaymentListParams{
		Payment: &stripe.InvoicePaymentListPaymentParams{
			Type: stripe.String("payment_intent"), PaymentIntent: stripe.String(string(c.PaymentIntent)),
		},
	}
	params.AddExpand("data.invoice")
	list := p.client.V1InvoicePayments.List(ctx, params)
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
		e.Note = fmt.Sprintf("charge %s for a later period was refunded. "+
			"That alone changes nothing here: the license stays as it is", c.ID)
	}
	return nil
}
