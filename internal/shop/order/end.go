package order

import (
	"cmp"
	"context"
	"errors"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/trust/audit"
)

// EndSubscription lets the subscription of an order of the user in ctx end with the period that is paid:
// nothing more is charged, and the license goes on until its term ends. For a subscription that ends
// already it changes nothing and returns the order. If the provider took note and this call then fails,
// its webhook makes up for it.
//
// It returns ErrNotFound for an order of anybody else, ErrNoSubscription, ErrSubscriptionUnpaid,
// ErrSubscriptionOver, ErrOtherProvider, ErrEndRefused and ErrProviderUnreachable.
func (s *Service) EndSubscription(ctx context.Context, id string) (Listed, error) {
	o, err := s.own(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	l, err := s.Store.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return Listed{}, err
	}
	if err := o.canEnd(l, s.Now()); err != nil || o.Ends {
		return o, err
	}
	err = s.endLater(ctx, &o.Order)
	return o, err
}

// endLater has the provider end the subscription of an order with the period that is paid, and records it.
func (s *Service) endLater(ctx context.Context, o *Order) error {
	var at time.Time
	err := s.ask(*o, func() (err error) {
		at, err = s.Payments.EndLater(ctx, o.Payment)
		at = cmp.Or(at, s.Now().UTC())
		return err
	})
	if errors.Is(err, payment.ErrRefused) {
		err = ErrEndRefused.Because(err)
	}
	if err == nil {
		err = s.update(ctx, o, func(tx Store, o *Order) error { return s.end(ctx, tx, o, at) })
	}
	return err
}

// endNow has the provider end the subscription of an order at once, because it does not fit the license any more, and
// records it. The license keeps its term.
func (s *Service) endNow(ctx context.Context, o *Order) error {
	err := s.ask(*o, func() error { return s.Payments.End(ctx, o.Payment) })
	if errors.Is(err, payment.ErrRefused) {
		err = ErrEndRefused.Because(err)
	}
	if err != nil {
		return err
	}
	return s.update(ctx, o, func(tx Store, o *Order) error {
		if !o.EndedAt.IsZero() {
			return nil // its webhook was quicker
		}
		known := o.Ends
		o.Ends, o.EndedAt = true, s.Now().UTC()
		if err := tx.UpdateOrder(ctx, *o); err != nil || known {
			return err
		}
		return s.markEnds(ctx, tx, *o)
	})
}

// end records that a subscription ends. at is when the provider said so. tx has locked the order.
func (s *Service) end(ctx context.Context, tx Store, o *Order, at time.Time) error {
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	// Its webhook, or the same request sent twice, may have been quicker.
	if err := o.canEnd(l, s.Now()); err != nil || o.Ends {
		return err
	}
	o.Ends = true
	if at.After(o.RenewalToldAt) {
		o.RenewalToldAt = at
	}
	if err := tx.UpdateOrder(ctx, *o); err != nil {
		return err
	}
	return s.markEnds(ctx, tx, *o)
}

// markEnds makes the license of an order say whether it is renewed, as the order does. tx has locked the
// order.
func (s *Service) markEnds(ctx context.Context, tx Store, o Order) error {
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	if o.Ends {
		l.EndRenewal()
	} else {
		l.ResumeRenewal(s.leeway(o), s.Now())
		if err := owePlan(ctx, tx, l); err != nil {
			return err
		}
	}
	if err := tx.UpdateLicense(ctx, l); err != nil {
		return err
	}
	target := audit.Target{Type: "license", ID: l.ID}
	return tx.Record(ctx, audit.New(ctx, s.Now(), audit.LicenseUpdate, target, audit.Details{"ends": l.Ends}))
}

// canEnd returns nil if the order has a subscription that runs, or that ends with a period that is paid.
func (o *Order) canEnd(l license.License, now time.Time) error {
	switch {
	case o.Period.Months() == 0 || o.Provider == "" || o.Kind != "":
		return ErrNoSubscription
	case o.Status() == Pending:
		return ErrSubscriptionUnpaid
	case o.Status() != Paid, !o.EndedAt.IsZero():
		return ErrSubscriptionOver
	case l.StatusAt(now) == license.StatusActive && !l.ExpiresAt.IsZero():
		return nil
	case o.Ends, o.Payment.Subscription == "":
		return ErrSubscriptionOver
	}
	return nil // whatever became of the license, the provider goes on charging
}

// learnRenewal keeps what an event says about whether the subscription goes on. Events come in any order:
// the provider's latest word counts, and of two of the same second the one that ends it.
func (o *Order) learnRenewal(e payment.Event) {
	ends, at := false, e.At
	switch e.Kind {
	case payment.Ended:
		o.Ends = true
		return
	case payment.WillNotRenew:
		ends = true
	case payment.WillRenew:
	case payment.Billed, payment.Renewed: // what ends is not billed any more, but may be paid late
		if !e.BilledAt.IsZero() {
			at = e.BilledAt
		}
	case payment.Unrelated, payment.Paid, payment.Failed, payment.Refunded, payment.Bounced, payment.PartlyRefunded,
		payment.PeriodRefunded, payment.NotRenewed, payment.Adjusted, payment.AdjustmentFailed:
		return
	}
	if !o.EndedAt.IsZero() || at.Before(o.RenewalToldAt) || at.Equal(o.RenewalToldAt) && !ends {
		return
	}
	o.Ends, o.RenewalToldAt = ends, at
}
