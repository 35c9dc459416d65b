package order

import (
	"context"
	"slices"

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
		if t.Undo = undo && !t.Own && l.RevokedAt.IsZero(); t.Undo { // it was paid too late
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
	tier, over := l.TierID, false
	after := later(list, t.Applied.Version)
	started := slices.DeleteFunc(changesOf(after), func(e effective) bool { return e.ID == l.Next.OrderID })
	t.Undo = undo && len(started) == 0
	if o.Kind == Renewal {
		loseRenewal(&l, t, after)
	} else {
		over = t.Later && l.Next.OrderID != o.ID
		restore(&l, effective{Order: o, Terms: t}, after)
	}
	for _, e := range after {
		if err := tx.PutTerms(ctx, e.ID, e.Terms); err != nil {
			return err
		}
	}
	if t.Applied = nil; over {
		t.Applied = &Applied{Over: true}
	}
	if err := s.putApplied(ctx, tx, o, l, t); err != nil || l.TierID == tier {
		return err
	}
	return s.publishChanged(ctx, tx, l)
}

// later returns the orders of a list that took effect, or were planned, after a version of the license, the first one
// first.
func later(list []effective, version int64) (out []effective) {
	for _, e := range list {
		if e.version() > version {
			out = append([]effective{e}, out...)
		}
	}
	return out
}

// changesOf returns the changes of a list.
func changesOf(list []effective) (out []effective) {
	for _, e := range list {
		if e.Kind == Change {
			out = append(out, e)
		}
	}
	return out
}

// loseRenewal takes the period of a renewal off the license, and off what later changes would bring back.
func loseRenewal(l *license.License, t Terms, after []effective) {
	for _, e := range after {
		e.Applied.Before.Lose(t.Applied.Term, t.Months)
	}
	l.Lose(t.Applied.Term, t.Months)
}

// restore brings the tier before a change back, or has the change after it bring that back.
func restore(l *license.License, e effective, after []effective) {
	if l.Next.OrderID == e.ID {
		l.Next = license.Next{}
		return
	}
	was, began, changes := e.Applied.Before, e.Applied.Term, changesOf(after)
	if len(changes) == 0 || l.Next.OrderID == changes[0].ID {
		l.Adopt(was.Terms)
	} else if next := changes[0]; !began.IsZero() && next.Applied.Term.IsZero() && next.Months == e.Months {
		next.Applied.Before, next.Applied.Term = was, began // its plan has the term, which goes with it
		return
	}
	if len(changes) > 0 {
		changes[0].Applied.Before.Adopt(was.Terms)
	}
	if began.IsZero() {
		return
	}
	for _, f := range after {
		f.Applied.Before.Resume(was, began, e.Months)
		if f.Kind == Renewal && f.Applied.Term.Equal(began) {
			f.Applied.Term = was.Anchor
		}
	}
	l.Resume(was, began, e.Months)
}
