package stripe

import (
	"context"

	"github.com/stripe/stripe-go/v85"

	"stoa/internal/market/payment"
)

// Look implements payment.Provider. The page is read as the webhooks' are.
func (s *Stripe) Look(ctx context.Context, r payment.Reference) (payment.Event, error) {
	params := new(stripe.CheckoutSessionRetrieveParams)
	params.AddExpand("payment_intent")
	params.AddExpand("subscription")
	page, err := s.client.V1CheckoutSessions.Retrieve(ctx, r.Session, params)
	if err != nil {
		return payment.Event{}, explain("look at a checkout page", err)
	}
	out := payment.Event{Type: "checkout.session looked at"}
	if err := readSession(ctx, &out, page.LastResponse.RawJSON); err != nil {
		return payment.Event{}, err
	}
	if out.Kind == payment.Unrelated && neverPaid(page) {
		if err := readFailure(ctx, &out, page.LastResponse.RawJSON); err != nil {
			return payment.Event{}, err
		}
	}
	out.ID = map[payment.EventKind]string{payment.Paid: "paid ", payment.Failed: "failed "}[out.Kind] + r.Session
	return out, nil
}

// neverPaid reports whether an unpaid page cannot be paid any more: it expired, or
// the bank refused after it was completed.
func neverPaid(page *stripe.CheckoutSession) bool {
	switch page.Status {
	case stripe.CheckoutSessionStatusExpired:
		return true
	case stripe.CheckoutSessionStatusComplete:
	default:
		return false
	}
	if p := page.PaymentIntent; p != nil {
		return p.Status == stripe.PaymentIntentStatusRequiresPaymentMethod || p.Status == stripe.PaymentIntentStatusCanceled
	}
	sub := page.Subscription
	return sub != nil && (sub.Status == stripe.SubscriptionStatusIncompleteExpired || sub.Status == stripe.SubscriptionStatusCanceled)
}
