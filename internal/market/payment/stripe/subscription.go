package stripe

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/market/payment"
)

// End implements payment.Provider.
func (s *Stripe) End(ctx context.Context, r payment.Reference) error {
	if r.Subscription == "" {
		return nil
	}
	_, err := s.client.V1Subscriptions.Cancel(ctx, r.Subscription, nil)
	if hasCode(err, stripe.ErrorCodeResourceMissing) { // it has ended already
		return nil
	}
	return explain("end a subscription", err)
}

// Collect implements payment.Provider. Stripe leaves the invoice of a further
// period in draft for about an hour, so that lines can be added; nobody does.
func (s *Stripe) Collect(ctx context.Context, r payment.Reference) error {
	finalize := &stripe.InvoiceFinalizeInvoiceParams{AutoAdvance: stripe.Bool(true)} // Stripe goes on if the rest fails
	finalize.SetIdempotencyKey("stoa-finalize-" + r.Invoice)
	_, err := s.client.V1Invoices.FinalizeInvoice(ctx, r.Invoice, finalize)
	if err = explain("finalize an invoice", err); err != nil && !errors.Is(err, payment.ErrRefused) {
		return err
	}
	// Refused where it was finalized before.
	pay := new(stripe.InvoicePayParams)
	pay.SetIdempotencyKey("stoa-pay-" + r.Invoice)
	_, err = s.client.V1Invoices.Pay(ctx, r.Invoice, pay)
	return explain("pay an invoice", err)
}
