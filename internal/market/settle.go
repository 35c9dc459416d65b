package market

import (
	"context"
	"time"
)

// settle notes that an order was paid at a time, and makes its licence usable
// unless the order is over. Noting it twice is the same as once. tx holds the
// order's lock.
func (s *Service) settle(ctx context.Context, tx Sales, o *Order, at time.Time) error {
	if !o.PaidAt.IsZero() {
		o.PaidAt = earlier(o.PaidAt, at)
		return tx.UpdateOrder(ctx, *o)
	}
	o.PaidAt = at
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	if o.Status() != OrderPaid {
		return nil // too late: it is given back
	}
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	l.startAt(*o, at)
	if err := tx.UpdateLicense(ctx, l); err != nil {
		return err
	}
	return s.settled(ctx, tx, *o)
}

// settled does what happens once for every order: when it is paid. It is the end
// of the transaction, because buyers of the same product wait for one another.
// After the commit the Courier is to be woken.
func (s *Service) settled(ctx context.Context, tx Sales, o Order) error {
	if o.Addressed() {
		if err := tx.AddReceipt(ctx, o.ID, s.Now()); err != nil {
			return err
		}
	}
	return tx.CountDownload(ctx, o.ProductID)
}

// startAt makes a licence usable from a time on. The term that its buyer paid for
// begins then, not when it was ordered; one that was set by hand stays.
func (l *License) startAt(o Order, at time.Time) {
	l.Paid = true
	if l.Months > 0 && l.Anchor.Equal(o.CreatedAt) {
		l.Anchor = at.UTC().Truncate(time.Millisecond)
		l.ExpiresAt = addMonths(l.Anchor, l.Months*l.Periods)
	}
}

// giveUp cancels an order that is still pending, and revokes its licence.
func (s *Service) giveUp(ctx context.Context, orderID string) error {
	return s.Sales.InTx(ctx, func(tx Sales) error {
		o, err := tx.OrderByID(ctx, orderID)
		if err != nil || o.Status() != OrderPending {
			return err
		}
		return s.cancel(ctx, tx, &o, s.Now().UTC())
	})
}

// cancel notes that a pending order is cancelled. tx holds the order's lock.
func (s *Service) cancel(ctx context.Context, tx Sales, o *Order, at time.Time) error {
	o.CancelledAt = at
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	return s.revoke(ctx, tx, o.LicenseID, at)
}

// revoke withdraws a licence, if it was not before.
func (s *Service) revoke(ctx context.Context, tx Sales, licenseID string, at time.Time) error {
	l, err := tx.LicenseByID(ctx, licenseID)
	if err != nil || !l.Revoke(at) {
		return err
	}
	return tx.UpdateLicense(ctx, l)
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
