package order

import (
	"context"
	"errors"
	"time"

	"stoa/internal/errs"
	"stoa/internal/market/license"
	"stoa/internal/market/payment"
)

// followUp does what an order that is over leaves to do at its provider. It is done
// once, however often it is called.
func (s *Service) followUp(ctx context.Context, o *Order, n *Notice) error {
	if o.refundDue() {
		if err := s.giveBack(ctx, o, n); err != nil {
			return err
		}
	}
	if o.endDue() {
		return s.endSubscription(ctx, o, n)
	}
	return nil
}

// refundDue reports whether a payment came too late and was not given back yet.
func (o *Order) refundDue() bool {
	return !o.CancelledAt.IsZero() && !o.PaidAt.IsZero() && o.RefundedAt.IsZero()
}

// giveBack refunds the payment of an order that had been cancelled before.
func (s *Service) giveBack(ctx context.Context, o *Order, n *Notice) error {
	err := s.Payments.Refund(ctx, o.ID, o.Payment)
	if errors.Is(err, payment.ErrRefused) {
		n.Warning = "the order was cancelled before it was paid, and the payment cannot be refunded: " + err.Error()
		return nil // asking again would bring the same
	}
	if err != nil {
		return ErrProviderUnreachable.Because(err)
	}
	n.Done = "the order was cancelled before it was paid: the payment is refunded"
	return s.Store.InTx(ctx, func(tx Store) error {
		if *o, err = tx.OrderByID(ctx, o.ID); err != nil {
			return err
		}
		return s.markRefunded(ctx, tx, o, s.Now())
	})
}

// endDue reports whether the order is over and its subscription goes on.
func (o *Order) endDue() bool {
	return o.Payment.Subscription != "" && o.EndedAt.IsZero() && (!o.CancelledAt.IsZero() || !o.RefundedAt.IsZero())
}

// endSubscription ends the subscription of an order that is over.
func (s *Service) endSubscription(ctx context.Context, o *Order, n *Notice) error {
	err := s.Payments.End(ctx, o.Payment)
	if errors.Is(err, payment.ErrRefused) {
		n.Warning = "the order is over, but its subscription cannot be ended: end it at the provider. " + err.Error()
		return nil
	}
	if err != nil {
		return ErrProviderUnreachable.Because(err)
	}
	if n.Done != "" {
		n.Done += "; "
	}
	n.Done += "the subscription of an order that is over is ended"
	return s.Store.InTx(ctx, func(tx Store) error {
		if *o, err = tx.OrderByID(ctx, o.ID); err != nil {
			return err
		}
		o.EndedAt = s.Now().UTC()
		return tx.UpdateOrder(ctx, *o)
	})
}

// collect has a further period paid now. If that fails, the provider collects it
// by itself, but later.
func (s *Service) collect(ctx context.Context, e payment.Event, n *Notice) {
	n.Done = "the invoice of the next period is paid at once"
	if err := s.Payments.Collect(ctx, e.Reference); err != nil {
		n.Done = "the invoice of the next period is left to the provider: " + err.Error()
	}
}

// tooLate reports whether a period that was paid at a time was paid after the
// order was over.
func (o *Order) tooLate(at time.Time) bool {
	return !o.CancelledAt.IsZero() || !o.RefundedAt.IsZero() && at.After(o.RefundedAt)
}

// returnPeriod refunds a period that was paid for an order that was over.
func (s *Service) returnPeriod(ctx context.Context, o Order, e payment.Event, n *Notice) error {
	err := s.Payments.Refund(ctx, o.ID, payment.Reference{Invoice: e.Reference.Invoice})
	switch {
	case errors.Is(err, payment.ErrRefused):
		n.Failure = "a further period of an order that is over was paid, and cannot be refunded: " + err.Error()
	case err != nil:
		return ErrProviderUnreachable.Because(err)
	default:
		n.Done = "a further period of an order that is over was paid: it is refunded"
	}
	return nil
}

// renewPaid renews the licence of an order for the invoice that was paid.
func (s *Service) renewPaid(ctx context.Context, o Order, e payment.Event, n *Notice) error {
	l, err := s.Licenses.Renew(ctx, o.LicenseID, license.Renewal{
		Periods: 1, Reference: s.Payments.Name() + ":" + e.Reference.Invoice, Billed: true, Until: e.Until,
	}, nil)
	if err == nil {
		n.Done = "the licence ends " + l.License.ExpiresAt.Format(time.DateOnly)
		return nil
	}
	if kind := errs.KindOf(err); kind == errs.Conflict || kind == errs.Invalid {
		n.Warning = "a further period was paid for a licence that cannot be renewed: end the subscription. " + err.Error()
		return nil
	}
	return err
}
