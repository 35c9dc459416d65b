package order

import (
	"context"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
)

// takeOut takes back what an order did to its license, because it is refunded: a change brings the tier before back,
// a renewal loses its period. tx has locked the order.
func (s *Service) takeOut(ctx context.Context, tx Store, o Order) error {
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	t, err := tx.TermsOf(ctx, o)
	if err != nil {
		return err
	}
	undo := o.Kind == Change && o.Provider != "" && o.Provider != (payment.Test{}).Name()
	if t.Applied == nil || !l.RevokedAt.IsZero() {
		if t.Undo = undo && l.RevokedAt.IsZero(); t.Undo { // it was paid too late
			return tx.PutTerms(ctx, o.ID, t)
		}
		return nil
	}
	siblings, err := tx.Siblings(ctx, l.ID)
	if err != nil {
		return err
	}
	list, err := effectiveOf(ctx, tx, siblings)
	if err != nil {
		return err
	}
	tier := l.TierID
	after := later(list, t.Applied.Version)
	if o.Kind == Renewal {
		err = s.takeOutRenewal(ctx, tx, &l, t, after)
	} else {
		undo = undo && len(after) == 0
		err = s.takeOutChange(ctx, tx, &l, effective{o, t}, after)
	}
	if err != nil {
		return err
	}
	t.Applied, t.Undo = nil, undo
	if err := s.putApplied(ctx, tx, o, l, t); err != nil || l.TierID == tier {
		return err
	}
	return s.publishChanged(ctx, tx, l)
}

// later returns the changes of a list that took effect, or were planned, after a version of the license, the first one
// first.
func later(list []effective, version int64) (out []effective) {
	for _, e := range list {
		if e.Kind == Change && e.version() > version {
			out = append([]effective{e}, out...)
		}
	}
	return out
}

// takeOutRenewal takes the period of a renewal off the license, and off what later changes would bring back.
func (s *Service) takeOutRenewal(ctx context.Context, tx Store, l *license.License, t Terms, after []effective) error {
	for _, e := range after {
		if e.Applied.Before.LosePeriod(t.Applied.Term) {
			if err := tx.PutTerms(ctx, e.ID, e.Terms); err != nil {
				return err
			}
		}
	}
	l.LosePeriod(t.Applied.Term)
	return nil
}

// takeOutChange brings the tier before a change back, or has the change after it bring that back.
func (s *Service) takeOutChange(
	ctx context.Context, tx Store, l *license.License, e effective, after []effective,
) error {
	if l.Next.OrderID == e.ID {
		l.Next = license.Next{}
		return nil
	}
	planned := len(after) == 1 && l.Next.OrderID == after[0].ID
	if len(after) == 0 || planned {
		term := e.Applied.Term
		if e.Later {
			term = time.Time{} // its periods are of the length that the provider charges
		}
		l.Restore(e.Applied.Before, term)
	}
	if len(after) == 0 {
		return nil
	}
	next := after[0]
	before := e.Applied.Before
	if next.Applied.Before.Months == before.Months {
		before.Anchor, before.Periods = next.Applied.Before.Anchor, next.Applied.Before.Periods
	}
	next.Applied.Before = before
	return tx.PutTerms(ctx, next.ID, next.Terms)
}
