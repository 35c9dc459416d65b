package order

import (
	"context"
	"errors"

	"stoa/internal/shop/payment"
	"stoa/internal/trust/audit"
)

// Cancel cancels a pending order: it can no longer be paid, and its license is revoked. A payment that
// arrives all the same, because the buyer was about to pay, is refunded (HandleWebhook). For a cancelled order
// it changes nothing and returns it.
//
// It returns ErrNotFound, ErrNotCancellable, ErrOtherProvider, ErrBeingPaid and ErrProviderUnreachable.
func (s *Service) Cancel(ctx context.Context, id string) (Listed, error) {
	o, err := s.Get(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	if o.invoiced() { // what the provider cannot close may be paid already
		if o, err = s.refresh(ctx, o); err != nil {
			return Listed{}, err
		}
	}
	switch o.Status() {
	case Pending:
	case Cancelled:
		return o, nil
	case Paid, Refunded:
		return Listed{}, ErrNotCancellable
	}
	err = s.ask(o.Order, func() error { return s.Payments.Cancel(ctx, o.Payment) })
	if errors.Is(err, payment.ErrRefused) {
		err = s.checkCompleted(ctx, o, err)
	}
	if err != nil {
		return Listed{}, err
	}
	return s.change(ctx, o, audit.OrderCancel, func(tx Store, o *Order) error {
		switch o.Status() {
		case Pending:
			return s.markCancelled(ctx, tx, o, s.Now())
		case Cancelled: // its webhook was quicker
			return nil
		case Paid, Refunded:
		}
		return ErrNotCancellable
	})
}

// checkCompleted handles the provider's refusal to close a payment page because the buyer completed it.
// It returns nil once the outcome of the payment is known, which then decides whether the order can be
// cancelled, and ErrBeingPaid before.
func (s *Service) checkCompleted(ctx context.Context, o Listed, refused error) error {
	now, err := s.refresh(ctx, o)
	if err == nil && now.Status() == Pending {
		err = ErrBeingPaid.Because(refused)
	}
	return err
}
