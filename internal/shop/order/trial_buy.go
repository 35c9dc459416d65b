package order

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// trialOf returns the trial that a request buys; the zero License if it names none. It returns ErrNotTrial.
func (s *Service) trialOf(ctx context.Context, p product.Product, req PurchaseRequest) (license.License, error) {
	if req.LicenseKey == "" {
		return license.License{}, nil
	}
	found, err := s.Licenses.GetByKey(ctx, req.LicenseKey)
	if errs.KindOf(err) == errs.NotFound || err == nil && !buyable(found.License, p.ID, buyer(ctx)) {
		err = ErrNotTrial
	}
	return found.License, err
}

// buyable reports whether a license is a trial of a product that a buyer may turn into a paid license.
func buyable(l license.License, productID, buyerID string) bool {
	return l.Trial && l.ProductID == productID && l.RevokedAt.IsZero() &&
		(l.UserID == reqctx.Anonymous || l.UserID == buyerID)
}

// termsOf returns what a license gets of a tier.
func termsOf(t product.Tier) license.Terms {
	return license.Terms{TierID: t.ID, Features: t.Features, MaxInstances: t.MaxInstances, Months: t.Period.Months()}
}

// follow makes a draft an order that buys a trial, and returns the key of that.
func (s *Service) follow(o *Order, l license.License) (license.Key, error) {
	o.LicenseID, o.Follows = l.ID, true
	return s.Vault.Open(l)
}

// addFollower stores an order that buys a trial. If nothing is left to pay, that is bought at once. It returns
// ErrNotTrial, ErrBeingBought and ErrSeatsInUse.
func (s *Service) addFollower(ctx context.Context, tx Store, o Order, t license.Terms) error {
	// The license is locked, so that one of several orders at once is the first.
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	if !buyable(l, o.ProductID, o.UserID) {
		return ErrNotTrial
	}
	if open, err := tx.OpenFollower(ctx, l.ID); err != nil {
		return err
	} else if open != "" {
		return ErrBeingBought.With("orderId", open)
	}
	if l.Instances > t.MaxInstances {
		seated, err := tx.Seated(ctx, l.ID)
		if err != nil {
			return err
		}
		return ErrSeatsInUse.With("maxInstances", t.MaxInstances).With("instances", seated)
	}
	if err := tx.CreateOrder(ctx, o); err != nil {
		return err
	}
	if o.Status() != Paid {
		return tx.AddTerms(ctx, o.ID, t)
	}
	return s.buy(ctx, tx, o, l, t)
}

// buy turns a trial into a license that an order has paid for. The term begins with the payment. A trial of nobody
// becomes the buyer's.
func (s *Service) buy(ctx context.Context, tx Store, o Order, l license.License, t license.Terms) error {
	l.Buy(t, o.PaidAt)
	if l.Months > 0 {
		l.Leeway = s.leeway(o)
	}
	if l.UserID == reqctx.Anonymous {
		l.UserID = o.UserID
	}
	return tx.UpdateLicense(ctx, l)
}

// settleFollower does what settle does for the first payment of an order that buys a trial. If that cannot be bought
// any more, because it was revoked, the order is cancelled: the payment is refunded afterwards. tx has locked the order.
func (s *Service) settleFollower(ctx context.Context, tx Store, o *Order) error {
	l, err := tx.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	if o.RefundedAt.IsZero() && (!l.Trial || !l.RevokedAt.IsZero()) {
		return s.markCancelled(ctx, tx, o, s.Now())
	}
	t, err := tx.TermsOf(ctx, *o)
	if err != nil {
		return err
	}
	if err := s.buy(ctx, tx, *o, l, t); err != nil {
		return err
	}
	return s.settled(ctx, tx, *o)
}

// isFollowed reports whether orders that are paid, or wait for their payment, followed for the license of a trial. The
// license stays locked: one that is paid from now on finds it revoked. tx has locked the order.
func (s *Service) isFollowed(ctx context.Context, tx Store, o Order) (bool, error) {
	if !o.Trial {
		return false, nil
	}
	if _, err := tx.LicenseByID(ctx, o.LicenseID); err != nil {
		return false, err
	}
	list, err := tx.Siblings(ctx, o.LicenseID)
	return slices.ContainsFunc(list, func(f Order) bool {
		return f.Follows && (f.Status() == Paid || f.Status() == Pending)
	}), err
}

// refundFollowers refunds the orders that followed for the license of an order which issued it, and cancels those that
// wait for their payment, before the license is revoked with that order. It returns the errors of Refund and Cancel.
func (s *Service) refundFollowers(ctx context.Context, o Order) error {
	list, err := s.Store.Siblings(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	for _, f := range list {
		switch {
		case !f.Follows:
		case f.Status() == Paid:
			_, err = s.Refund(ctx, f.ID, RefundRequest{})
		case f.Status() == Pending:
			if _, err = s.Cancel(ctx, f.ID); errors.Is(err, ErrBeingPaid) || errors.Is(err, ErrNotCancellable) {
				_, err = s.Refund(ctx, f.ID, RefundRequest{}) // paid in this moment
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refundTrial marks the trial that a refunded order had bought as refunded too: no paid order stands for a license that
// a refund has revoked. tx has locked the order.
func (s *Service) refundTrial(ctx context.Context, tx Store, o Order, at time.Time) error {
	if !o.Follows {
		return nil
	}
	list, err := tx.Siblings(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	for _, sibling := range list {
		if sibling.Follows || sibling.Status() != Paid {
			continue
		}
		issued, err := tx.OrderByID(ctx, sibling.ID)
		if err != nil {
			return err
		}
		if issued.Amount.Minor == 0 && issued.RefundedAt.IsZero() {
			if err := s.markRefunded(ctx, tx, &issued, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// CancelOrphans cancels the pending orders of trials that were revoked. What is paid all the same is refunded.
func (s *Service) CancelOrphans(ctx context.Context, log *slog.Logger) error {
	list, err := s.Store.Orphans(ctx)
	for _, o := range list {
		err := s.ask(o, func() error { return s.Payments.Cancel(ctx, o.Payment) })
		if err == nil || errors.Is(err, payment.ErrRefused) { // refused: it is being paid, and then refunded
			err = s.giveUp(ctx, o)
		}
		if err != nil {
			log.WarnContext(ctx, "the order of a revoked trial cannot be cancelled yet",
				slog.String("order", o.ID), slog.Any("err", err))
		}
	}
	return err
}
