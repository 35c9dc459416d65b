package order

import (
	"context"
	"time"
)

// settle notes that an order was paid at a time, and makes its licence usable
// unless the order is over. Noting it twice is the same as once, whichever time
// comes first: the earlier one counts. tx holds the order's lock.
func (s *Service) settle(ctx context.Context, tx Store, o *Order, at time.Time) error {
	before := o.PaidAt
	if before.IsZero() || at.Before(before) {
		o.PaidAt = at
	}
	if err := tx.UpdateOrder(ctx, *o); err != nil || o.Status() == Cancelled {
		return err // too late: it is given back
	}
	if before.Equal(o.PaidAt) {
		return nil
	}
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	l.Paid = true
	from := before
	if from.IsZero() {
		from = o.CreatedAt
	}
	l.MoveStart(from, o.PaidAt)
	if err := tx.UpdateLicense(ctx, l); err != nil || !before.IsZero() {
		return err
	}
	return s.settled(ctx, tx, *o)
}

// settled does what happens once for every order: when it is paid. It is the end
// of the transaction, because buyers of the same product wait for one another.
// After the commit the Courier is to be woken.
func (s *Service) settled(ctx context.Context, tx Store, o Order) error {
	if o.Addressed() {
		if err := tx.AddReceipt(ctx, o.ID, s.Now()); err != nil {
			return err
		}
	}
	return tx.CountDownload(ctx, o.ProductID)
}

// giveUp cancels an order if it is still pending.
func (s *Service) giveUp(ctx context.Context, orderID string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		o, err := tx.OrderByID(ctx, orderID)
		if err != nil || o.Status() != Pending {
			return err
		}
		return s.markCancelled(ctx, tx, &o, s.Now())
	})
}

// markCancelled notes that a pending order is cancelled, and revokes its licence. tx
// holds the order's lock.
func (s *Service) markCancelled(ctx context.Context, tx Store, o *Order, at time.Time) error {
	o.CancelledAt = at.UTC()
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	return s.revoke(ctx, tx, o.LicenseID, at)
}

// markRefunded notes that everything paid for an order was given back, and revokes its
// licence. tx holds the order's lock.
func (s *Service) markRefunded(ctx context.Context, tx Store, o *Order, at time.Time) error {
	if o.RefundedAt.IsZero() || at.Before(o.RefundedAt) {
		o.RefundedAt = at.UTC()
	}
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	return s.revoke(ctx, tx, o.LicenseID, at)
}

// revoke withdraws a licence, if it was not before.
func (s *Service) revoke(ctx context.Context, tx Store, licenseID string, at time.Time) error {
	l, err := tx.LicenseByID(ctx, licenseID)
	if err != nil || !l.Revoke(at) {
		return err
	}
	return tx.UpdateLicense(ctx, l)
}
