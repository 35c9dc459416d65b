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
func (p *Provider) Refund(ctx context.Context, r payment.Refund) ([]payment.CreditNote, error) {
	switch {
	case p.credits(r):
		return p.credit(ctx, r)
	case r.Minor != 0:
		return nil, p.refundPart(ctx, r)
	}
	payments, err := p.paymentsOf(ctx, r.Reference)
	if err != nil {
		return nil, err
	}
	for _, id := range payments {
		if err := p.refundRest(ctx, r.OrderID, id); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// refundRest refunds what is left of a payment.
func (p *Provider) refundRest(ctx context.Context, orderID, paymentID string) error {
	return p.refund(ctx, payment.Refund{OrderID: orderID, ID: orderID + "-" + paymentID}, paymentID, nil)
}

// refundKey is the metadata of a refund of a part: its id here.
const refundKey = "refundId"

// refundPart refunds a part of one payment.
func (p *Provider) refundPart(ctx context.Context, r payment.Refund) error {
	amount, err := toStripe(r.Minor, r.Exponent, r.Currency)
	if err != nil {
		return err
	}
	payments := []string{r.Reference.Payment}
	if r.Reference.Payment == "" {
		if payments, err = p.paymentsOf(ctx, payment.Reference{Invoice: r.Reference.Invoice}); err != nil {
			return err
		}
	}
	if r.Again {
		if there, err := p.hasRefund(ctx, payments[0], r.ID); there || err != nil {
			return err
		}
	}
	return p.refund(ctx, r, payments[0], &amount)
}

// hasRefund reports whether a part of a payment was refunded. Stripe forgets idempotency keys after a day.
func (p *Provider) hasRefund(ctx context.Context, paymentID, id string) (bool, error) {
	params := &stripe.RefundListParams{PaymentIntent: &paymentID}
	for refund, err := range p.client.V1Refunds.List(ctx, params).All(ctx) {
		if err != nil {
			return false, explain("look for a refund", err)
		}
		if refund.Metadata[refundKey] == id && !bounced(string(refund.Status)) {
			return true, nil
		}
	}
	return false, nil
}

// refund refunds an amount of a payment; nil is what is left of it. Its ID is the same in every call for the same
// refund.
func (p *Provider) refund(ctx context.Context, r payment.Refund, paymentID string, amount *int64) error {
	params := &stripe.RefundCreateParams{
		PaymentIntent: &paymentID, Amount: amount, Metadata: map[string]string{metadataKey: r.OrderID},
	}
	if amount != nil {
		params.Metadata[refundKey] = r.ID
	}
	params.SetIdempotencyKey("stoa-refund-" + r.ID)
	refund, err := p.client.V1Refunds.Create(ctx, params)
	switch {
	case amount == nil && hasCode(err, stripe.ErrorCodeChargeAlreadyRefunded):
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

// invoicesOf returns the invoices of an order that are paid, the first one last.
func (p *Provider) invoicesOf(ctx context.Context, r payment.Reference) (invoices []string, err error) {
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
	return invoices, nil
}

// paymentsOf returns the payments of an order, the first one last. The page of a subscription does not
// name them; its invoices do.
func (p *Provider) paymentsOf(ctx context.Context, r payment.Reference) ([]string, error) {
	invoices, err := p.invoicesOf(ctx, r)
	if err != nil {
		return nil, err
	}
	var payments []string
	for _, i := range invoices {
		of, err := p.invoicePayments(ctx, i)
		if err != nil {
			return nil, err
		}
		for _, ip := range of {
			payments = append(payments, ip.Payment.PaymentIntent.ID)
		}
	}
	if len(payments) == 0 && r.Payment != "" {
		payments = append(payments, r.Payment)
	}
	if len(payments) == 0 {
		return nil, fmt.Errorf("stripe: no payment of this order is known: %w", payment.ErrRefused)
	}
	return payments, nil
}

// invoicePayments returns the payments of an invoice. There are none for a period that was free.
func (p *Provider) invoicePayments(
	ctx context.Context, invoiceID string, expand ...string,
) (payments []*stripe.InvoicePayment, err error) {
	params := &stripe.InvoicePaymentListParams{Invoice: &invoiceID, Status: stripe.String("paid")}
	for _, field := range expand {
		params.AddExpand(field)
	}
	for ip, err := range p.client.V1InvoicePayments.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, explain("look for the payment of an invoice", err)
		}
		if ip.Payment != nil && ip.Payment.PaymentIntent != nil {
			payments = append(payments, ip)
		}
	}
	return payments, nil
}

// readBounce reads that a refund failed. One that came with a credit note does not name its order; its invoice does.
func (p *Provider) readBounce(ctx context.Context, e *payment.Event, object json.RawMessage) error {
	var r struct {
		ID            string   `json:"id"`
		Status        string   `json:"status"`
		FailureReason string   `json:"failure_reason"`
		Metadata      metadata `json:"metadata"`
		PaymentIntent id       `json:"payment_intent"`
	}
	if !decode(e, object, &r) || !bounced(r.Status) {
		return nil
	}
	e.Kind, e.OrderID = payment.Bounced, r.Metadata[metadataKey]
	e.Reference = payment.Reference{Payment: string(r.PaymentIntent)}
	e.Note = fmt.Sprintf("refund %s is %s (%s)", r.ID, r.Status, r.FailureReason)
	if e.OrderID != "" || r.PaymentIntent == "" || !p.documents() {
		return nil
	}
	i, err := p.invoicePaidBy(ctx, r.PaymentIntent)
	if i != nil {
		e.OrderID = orderOf(i)
	}
	return err
}

// orderOf returns the order that an invoice is for; "" if it is of another system.
func orderOf(i *stripe.Invoice) string {
	if i.Parent != nil && i.Parent.SubscriptionDetails != nil {
		return i.Parent.SubscriptionDetails.Metadata[metadataKey]
	}
	return i.Metadata[metadataKey]
}

// invoicePaidBy returns the invoice that a payment has paid, or nil.
func (p *Provider) invoicePaidBy(ctx context.Context, intent id) (*stripe.Invoice, error) {
	params := &stripe.InvoicePaymentListParams{
		Payment: &stripe.InvoicePaymentListPaymentParams{
			Type: stripe.String("payment_intent"), PaymentIntent: stripe.String(string(intent)),
		},
	}
	params.AddExpand("data.invoice")
	list := p.client.V1InvoicePayments.List(ctx, params)
	if err := list.Err(); err != nil {
		return nil, explain("look for the invoice of a payment", err)
	}
	if len(list.Data()) == 0 {
		return nil, nil
	}
	return list.Data()[0].Invoice, nil
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
	}
	if c.Currency != "" {
		e.Minor, e.Whole, e.Currency = c.AmountRefunded, c.Amount, strings.ToUpper(c.Currency)
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
	i, err := p.invoicePaidBy(ctx, c.PaymentIntent)
	if err != nil {
		return err
	}
	if i == nil || i.Parent == nil || i.Parent.SubscriptionDetails == nil {
		return nil
	}
	details := i.Parent.SubscriptionDetails
	e.OrderID, e.Reference.Invoice = orderOf(i), i.ID
	if details.Subscription != nil {
		e.Reference.Subscription = details.Subscription.ID
	}
	switch {
	case e.OrderID == "":
	case string(i.BillingReason) == firstInvoice:
		e.Kind = c.kind()
	default:
		e.Kind = payment.PeriodRefunded
		e.Note = fmt.Sprintf("%d of %d %s of charge %s for a later period were refunded. The license stays as it is",
			c.AmountRefunded, c.Amount, c.Currency, c.ID)
	}
	return nil
}
