package stripe

import (
	"context"
	"fmt"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/market/payment"
)

// Refund implements payment.Provider. Each payment is given back under a key of
// its own, so that a repetition goes on where the last one stopped.
func (s *Stripe) Refund(ctx context.Context, orderID string, r payment.Reference) error {
	payments, err := s.paymentsOf(ctx, r)
	if err != nil {
		return err
	}
	for _, p := range payments {
		if err := s.refund(ctx, orderID, p); err != nil {
			return err
		}
	}
	return nil
}

// refund gives back what is left of a payment.
func (s *Stripe) refund(ctx context.Context, orderID, paymentID string) error {
	params := &stripe.RefundCreateParams{PaymentIntent: &paymentID, Metadata: map[string]string{metadataKey: orderID}}
	params.SetIdempotencyKey("stoa-refund-" + orderID + "-" + paymentID)
	refund, err := s.client.V1Refunds.Create(ctx, params)
	switch {
	case hasCode(err, stripe.ErrorCodeChargeAlreadyRefunded):
		return nil
	case err != nil:
		return explain("refund a payment", err)
	case bounced(string(refund.Status)):
		return fmt.Errorf("stripe: refund %s of payment %s is %s (%s): %w", refund.ID, paymentID, refund.Status, refund.FailureReason, payment.ErrRefused)
	}
	// One that is pending counts: Stripe goes on with it, and tells if it fails.
	return nil
}

// bounced reports whether a refund in that state gave nothing back.
func bounced(status string) bool {
	return status == string(stripe.RefundStatusFailed) || status == string(stripe.RefundStatusCanceled)
}

// paymentsOf returns the payments of an order, the first one last. A
// subscription's page does not name them; its invoices do.
func (s *Stripe) paymentsOf(ctx context.Context, r payment.Reference) ([]string, error) {
	var invoices, payments []string
	if r.Subscription != "" {
		params := &stripe.InvoiceListParams{Subscription: &r.Subscription, Status: stripe.String(string(stripe.InvoiceStatusPaid))}
		for i, err := range s.client.V1Invoices.List(ctx, params).All(ctx) {
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
		of, err := s.paymentsOfInvoice(ctx, i)
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

func (s *Stripe) paymentsOfInvoice(ctx context.Context, invoiceID string) (payments []string, err error) {
	params := &stripe.InvoicePaymentListParams{Invoice: &invoiceID, Status: stripe.String("paid")}
	for p, err := range s.client.V1InvoicePayments.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, explain("look for the payment of an invoice", err)
		}
		if p.Payment != nil && p.Payment.PaymentIntent != nil {
			payments = append(payments, p.Payment.PaymentIntent.ID)
		}
	}
	return payments, nil // none if nothing was to pay: a period for free
}
