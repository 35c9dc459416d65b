package order

import (
	"context"
	"errors"

	"stoa/internal/shop/payment"
	"stoa/internal/trust/audit"
)

// Refund refunds everything that was paid for an order, revokes its license for good, records that, and
// ends its subscription. Orders that followed for its license are refunded first. For a refunded order it changes nothing and returns it. If the provider refunds and this call
// then fails, the provider's webhook makes up for it.
//
// For a pending order it asks the provider first, because the webhook that reports the payment may be
// lost.
//
// It returns ErrNotFound, ErrNotRefundable, ErrOtherProvider, ErrRefundRefused and
// ErrProviderUnreachable.
func (s *Service) Refund(ctx context.Context, id string) (Listed, error) {
	o, err := s.Get(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	if o, err = s.refresh(ctx, o); err != nil {
		return Listed{}, err
	}
	if !o.RefundedAt.IsZero() {
		return o, nil
	}
	if o.Status() != Paid && !o.refundDue() {
		return Listed{}, ErrNotRefundable
	}
	if err := s.refundFollowers(ctx, o.Order); err != nil {
		return Listed{}, err
	}
	if err := s.ask(o.Order, func() error { return s.Payments.Refund(ctx, o.ID, o.Payment) }); err != nil {
		if errors.Is(err, payment.ErrRefused) {
			return Listed{}, ErrRefundRefused.Because(err)
		}
		return Listed{}, err
	}
	o, err = s.change(ctx, o, audit.OrderRefund, func(tx Store, o *Order) error {
		// Its webhook may have been quicker.
		if o.PaidAt.IsZero() {
			return ErrNotRefundable
		}
		return s.markRefunded(ctx, tx, o, s.Now())
	})
	s.Courier.Wake()
	if err == nil && o.endDue() {
		// Only after the refund, which may be refused: without their money back, buyers keep what they
		// bought. If ending fails, the sweep tries again.
		_ = s.endAtOnce(ctx, &o.Order, new(Notice))
	}
	return o, err
}
