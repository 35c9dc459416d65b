package order

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// begin opens the page where a pending order is paid. If that fails for good, or the caller cannot try it
// again (once), the order is cancelled.
func (s *Service) begin(
	ctx context.Context, p product.Product, o Order, key license.Key, once bool,
) (Confirmation, error) {
	if o.Provider != s.Payments.Name() {
		return Confirmation{}, ErrPaymentNotTaken // the configuration changed since the order was placed
	}
	page, err := s.Payments.Begin(ctx, newCharge(p, o))
	if err != nil {
		refused := errors.Is(err, payment.ErrRefused)
		if refused || once {
			// The buyer may be gone. If this fails, the sweep cancels the order later.
			err = errors.Join(err, s.giveUp(context.WithoutCancel(ctx), o))
		}
		if refused {
			return Confirmation{}, ErrPaymentRefused.Because(fmt.Errorf("order %s: %w", o.ID, err))
		}
		return Confirmation{}, ErrPaymentUnreachable.Because(err)
	}
	// update reads the order again: it may be paid or cancelled by now.
	err = s.update(ctx, &o, func(tx Store, o *Order) error {
		o.PaymentURL, o.Payment.Session = page.URL, page.Session
		return tx.UpdateOrder(ctx, *o)
	})
	if err != nil {
		return Confirmation{}, err
	}
	if o.Status() == Cancelled {
		// Whoever cancelled the order could not close the page, which was not known yet. If this fails
		// too, what is paid there is refunded.
		_ = s.Payments.Cancel(context.WithoutCancel(ctx), o.Payment)
		return Confirmation{}, ErrCancelled
	}
	return newConfirmation(o, key), nil
}

// newCharge returns what is to be paid for an order.
func newCharge(p product.Product, o Order) payment.Charge {
	c := payment.Charge{
		OrderID: o.ID, Method: o.PaymentMethod, Minor: o.Amount.Minor, Currency: o.Amount.Currency,
		Name: lineOf(p, o.TierID), Months: o.Period.Months(),
	}
	if o.Kind != "" {
		c.Months = 0 // it is paid once: the license has its subscription, or none
	}
	if o.firstOnly() {
		c.Minor, c.Off = o.Amount.Minor+o.Discount.Minor, o.Discount.Minor
		c.OffName = o.Discount.Code
	}
	c.Exponent, _ = product.Exponent(o.Amount.Currency)
	// The provider would refuse an invalid address.
	if o.Billing != nil && mail.Valid(o.Billing.Email) {
		c.Email = o.Billing.Email
	}
	return c
}

// lineOf returns what a tier of a product is called on a bill.
func lineOf(p product.Product, tierID string) string {
	if tier, ok := p.Tier(tierID); ok {
		return p.Name + " – " + tier.Name
	}
	return p.Name
}

// refresh returns an order as it is now. If it is pending, it asks the provider first, because the
// webhook may be lost. It returns ErrProviderUnreachable if that leaves open whether the order is paid.
func (s *Service) refresh(ctx context.Context, o Listed) (Listed, error) {
	if o.Status() != Pending || o.Provider != s.Payments.Name() || o.Payment.Session == "" && !o.invoiced() {
		return o, nil
	}
	_, lookErr := s.lookUp(ctx, o.Order)
	o, err := s.Get(ctx, o.ID)
	if err != nil {
		return Listed{}, err
	}
	// If the order changed, the error is about a later step, which the sweep tries again.
	if lookErr != nil && o.Status() == Pending && !errors.Is(lookErr, payment.ErrRefused) {
		return Listed{}, lookErr
	}
	return o, nil
}

// invoiced reports whether an order is paid by an invoice of the provider, without a page of ours: a change of the plan
// of a subscription.
func (o *Order) invoiced() bool {
	return o.Kind == Change && o.Payment.Session == "" && o.Payment.Invoice != ""
}

// lookUp asks the provider about the payment page of a pending order, or the invoice of a change, and does what the
// missing webhook would have done.
func (s *Service) lookUp(ctx context.Context, o Order) (Outcome, error) {
	e, err := s.Payments.LookUp(ctx, o.Payment)
	if err != nil {
		return Outcome{OrderID: o.ID}, orUnreachable(err)
	}
	if e.OrderID = o.ID; e.At.IsZero() {
		e.At = s.Now().UTC()
	}
	return s.handle(ctx, e)
}

// ask makes a request to the provider of an order, unless no money moved. Errors other than
// payment.ErrRefused become ErrProviderUnreachable. It returns ErrOtherProvider if the provider is not
// the configured one.
func (s *Service) ask(o Order, request func() error) error {
	switch {
	case o.Provider == "" || o.Provider == (payment.Test{}).Name():
		return nil
	case o.Provider != s.Payments.Name():
		return ErrOtherProvider
	}
	return orUnreachable(request())
}

// orUnreachable turns an error of a provider into ErrProviderUnreachable, unless it is
// payment.ErrRefused.
func orUnreachable(err error) error {
	if err == nil || errors.Is(err, payment.ErrRefused) {
		return err
	}
	return ErrProviderUnreachable.Because(err)
}

// SellsPaid reports whether paid tiers can be bought: live payments need a provider.
func (s *Service) SellsPaid() bool { return s.Payments.Mode() != payment.Closed }

// TestPayments reports whether purchases are paid at once, without money.
func (s *Service) TestPayments() bool { return s.Payments.Mode() == payment.Instant }
