package stripe

import (
	"cmp"
	"context"
	"fmt"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/shop/payment"
)

// credits reports whether a refund is of invoices, and so needs credit notes.
func (p *Provider) credits(r payment.Refund) bool {
	return (r.Invoiced || p.documents()) && (r.Reference.Invoice != "" || r.Minor == 0 && r.Reference.Subscription != "")
}

// credit refunds what was paid of invoices, with a credit note for each.
func (p *Provider) credit(ctx context.Context, r payment.Refund) ([]payment.CreditNote, error) {
	if r.Minor != 0 {
		note, err := p.creditPart(ctx, r)
		if err != nil {
			return nil, err
		}
		return []payment.CreditNote{note}, nil
	}
	invoices, err := p.invoicesOf(ctx, r.Reference)
	if err != nil {
		return nil, err
	}
	var notes []payment.CreditNote
	paid := false
	for _, i := range invoices {
		list, err := p.invoicePayments(ctx, i, "data.invoice", "data.payment.payment_intent.latest_charge")
		if err != nil {
			return nil, err
		}
		for _, ip := range list {
			if ip.AmountPaid <= 0 {
				continue
			}
			paid = true
			note, err := p.creditRest(ctx, r.OrderID, i, ip)
			if err != nil {
				return nil, err
			}
			if note.Number != "" {
				notes = append(notes, note)
			}
		}
	}
	switch {
	case paid:
		return notes, nil
	case r.Reference.Payment != "": // not through the invoice
		return nil, p.refundRest(ctx, r.OrderID, r.Reference.Payment)
	default:
		return nil, fmt.Errorf("stripe: no payment of this order's invoices is known: %w", payment.ErrRefused)
	}
}

// creditPart refunds a part of an invoice.
func (p *Provider) creditPart(ctx context.Context, r payment.Refund) (payment.CreditNote, error) {
	amount, err := toStripe(r.Minor, r.Exponent, r.Currency)
	if err != nil {
		return payment.CreditNote{}, err
	}
	if r.Again {
		if note, err := p.findNote(ctx, r.Reference.Invoice, r.ID); note.Number != "" || err != nil {
			return note, err
		}
	}
	return p.writeNote(ctx, r.OrderID, r.Reference.Invoice, r.ID, "stoa-refund-"+r.ID, amount)
}

// creditRest refunds what is left of a payment of an invoice. The credit note of an earlier call is found again. What
// was credited without a refund, in the dashboard, is not given back a second time.
func (p *Provider) creditRest(
	ctx context.Context, orderID, invoice string, ip *stripe.InvoicePayment,
) (payment.CreditNote, error) {
	id, left := orderID+"-"+ip.Payment.PaymentIntent.ID, leftOf(ip)
	if left == 0 {
		return p.findNote(ctx, invoice, id)
	}
	// The amount is in the key: after a refusal, and a refund in the dashboard, it is another request.
	note, err := p.writeNote(ctx, orderID, invoice, id, fmt.Sprint("stoa-refund-", id, "-", left), left)
	if hasCode(err, stripe.ErrorCodeChargeAlreadyRefunded) {
		return payment.CreditNote{}, nil
	}
	return note, err
}

// leftOf returns what was neither refunded nor credited of a payment of an invoice.
func leftOf(ip *stripe.InvoicePayment) int64 {
	left := ip.AmountPaid
	if c := ip.Payment.PaymentIntent.LatestCharge; c != nil && c.Amount > 0 {
		left = min(left, c.Amount-c.AmountRefunded)
	}
	if i := ip.Invoice; i != nil && i.AmountPaid > 0 {
		left = min(left, i.AmountPaid-i.PostPaymentCreditNotesAmount)
	}
	return max(left, 0)
}

// writeNote makes a credit note that refunds an amount. A second call with the same key makes no other.
func (p *Provider) writeNote(
	ctx context.Context, orderID, invoice, id, key string, amount int64,
) (payment.CreditNote, error) {
	params := &stripe.CreditNoteCreateParams{
		Invoice: &invoice, Amount: &amount, RefundAmount: &amount,
		Metadata: map[string]string{metadataKey: orderID, refundKey: id},
	}
	params.AddExpand("refunds.refund")
	params.SetIdempotencyKey(key)
	note, err := p.client.V1CreditNotes.Create(ctx, params)
	if err != nil {
		return payment.CreditNote{}, explain("make a credit note", err)
	}
	for _, r := range note.Refunds {
		if r.Refund != nil && bounced(string(r.Refund.Status)) {
			return payment.CreditNote{}, fmt.Errorf("stripe: refund %s of credit note %s is %s (%s): %w",
				r.Refund.ID, note.ID, r.Refund.Status, r.Refund.FailureReason, payment.ErrRefused)
		}
	}
	return newNote(invoice, note), nil
}

func newNote(invoice string, n *stripe.CreditNote) payment.CreditNote {
	return payment.CreditNote{Invoice: invoice, Number: cmp.Or(n.Number, n.ID)}
}

// findNote returns the credit note that was made of an invoice for a refund; its zero value if there is none. Stripe
// forgets idempotency keys after a day.
func (p *Provider) findNote(ctx context.Context, invoice, id string) (payment.CreditNote, error) {
	params := &stripe.CreditNoteListParams{Invoice: &invoice}
	params.AddExpand("data.refunds.refund")
	for note, err := range p.client.V1CreditNotes.List(ctx, params).All(ctx) {
		if err != nil {
			return payment.CreditNote{}, explain("look for a credit note", err)
		}
		if note.Metadata[refundKey] == id && !voided(note) {
			return newNote(invoice, note), nil
		}
	}
	return payment.CreditNote{}, nil
}

// voided reports whether a credit note gave nothing back.
func voided(n *stripe.CreditNote) bool {
	for _, r := range n.Refunds {
		if r.Refund != nil && bounced(string(r.Refund.Status)) {
			return true
		}
	}
	return n.Status == stripe.CreditNoteStatusVoid
}
