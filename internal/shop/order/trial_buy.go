package order

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
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

// mayBuy reports whether a license is a trial that an order may buy.
func (o *Order) mayBuy(l license.License) bool {
	buyer := o.UserID
	if buyer == reqctx.Anonymous {
		buyer = l.UserID // guests pay for whoever has the trial
	}
	return buyable(l, o.ProductID, buyer)
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

// refundTrial marks the trial that a refunded order had bought as refunded too: no paid order stands for a license that
// a refund has revoked. tx has locked the order.
func (s *Service) refundTrial(ctx context.Context, tx Store, o Order, at time.Time) error {
	if !o.Follows || o.Kind != "" {
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
