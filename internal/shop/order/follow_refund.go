package order

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// precedes reports whether the order issued or bought a license for which another one followed: that is refunded or
// cancelled before this one.
func (o Order) precedes(f Order) bool {
	return f.ID != o.ID && (f.Kind != "" && o.Kind == "" || o.Trial && f.Follows)
}

// later returns the orders of a license that are to be refunded or cancelled before the one that issued or bought it.
func (o Order) later(siblings []Order) []Order {
	return slices.DeleteFunc(siblings, func(f Order) bool {
		return !o.precedes(f) || f.Status() != Paid && f.Status() != Pending
	})
}

// isFollowed reports whether orders that are paid, or wait for their payment, followed for the license of an order. The
// license stays locked: one that is paid from now on finds it revoked. tx has locked the order.
func (s *Service) isFollowed(ctx context.Context, tx Store, o Order) (bool, error) {
	if o.Kind != "" {
		return false, nil
	}
	if _, err := tx.LicenseByID(ctx, o.LicenseID); err != nil {
		return false, err
	}
	list, err := tx.Siblings(ctx, o.LicenseID)
	return len(o.later(list)) > 0, err
}

// refundFollowers refunds the orders that followed for the license of an order which issued or bought it, and cancels
// those that wait for their payment, before the license is revoked with that order. With unpaid it refunds none: those
// that are paid by now are in the way of a buyer, who begins again. It returns the errors of Refund and Cancel.
func (s *Service) refundFollowers(ctx context.Context, o Order, unpaid bool) error {
	list, err := s.Store.Siblings(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	for _, f := range o.later(list) {
		listed, err := s.Get(ctx, f.ID)
		if err == nil && f.Status() == Pending {
			if _, err = s.Cancel(ctx, f.ID); err == nil {
				continue
			}
			if !errors.Is(err, ErrNotCancellable) && (unpaid || !errors.Is(err, ErrBeingPaid)) {
				return err
			}
			err = nil // paid in this moment
		}
		if err == nil && !unpaid {
			_, err = s.refund(ctx, listed, RefundRequest{}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// oweFollowers has the orders that followed for a license refunded, because the provider refunded the order that issued
// or bought it. Those that wait for their payment are orphans. The license stays locked. tx has locked the order.
func (s *Service) oweFollowers(ctx context.Context, tx Store, o Order, at time.Time) error {
	// First: else a change that costs nothing could follow unseen until the license is revoked.
	if _, err := tx.LicenseByID(ctx, o.LicenseID); err != nil {
		return err
	}
	list, err := tx.Siblings(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	for _, f := range o.later(list) {
		if err := s.oweFollower(ctx, tx, f.ID, at); err != nil {
			return err
		}
	}
	return nil
}

// oweFollower has all that is left of an order refunded, unless it is not paid, or a refund of it is due: oweRest goes
// on after that.
func (s *Service) oweFollower(ctx context.Context, tx Store, id string, at time.Time) error {
	f, err := tx.OrderByID(ctx, id)
	if err != nil {
		return err
	}
	_, due, err := tx.RefundDueOf(ctx, f.ID)
	if err != nil || due || f.Status() != Paid {
		return err
	}
	paid, err := s.paymentsOf(ctx, tx, f)
	switch {
	case err != nil:
		return err
	case len(paid) == 0:
		return s.markRefunded(ctx, tx, &f, at)
	}
	return tx.AddRefundDue(ctx, s.newRefundDue(ctx, f.ID, RefundRequest{}))
}

// oweRest has the rest of an order refunded after a part of it, if the order that issued or bought its license was
// refunded while the part was due. tx has locked the order.
func (s *Service) oweRest(ctx context.Context, tx Store, o Order) error {
	list, err := tx.Siblings(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	for _, first := range list {
		if first.Status() == Refunded && first.precedes(o) {
			return s.oweFollower(ctx, tx, o.ID, s.Now())
		}
	}
	return nil
}

// refundOwed carries out what oweFollowers recorded. What fails is tried again by Sweep.
func (s *Service) refundOwed(ctx context.Context, o Order, out *Outcome) error {
	list, err := s.Store.Siblings(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	for _, f := range o.later(list) {
		warning := ""
		for due := true; due; { // the rest follows a part
			due, err = s.goOnWithRefund(ctx, f.ID)
			switch {
			case errors.Is(err, ErrRefundRefused):
				warning = "the license is revoked, and its order " + f.ID + " cannot be refunded: " + err.Error()
			case err != nil:
				return err
			case due:
				warning = "" // the rest was given back, with what was refused before
			}
		}
		out.Warning = cmp.Or(warning, out.Warning)
	}
	return nil
}
