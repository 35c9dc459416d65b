package order

import (
	"context"
	"errors"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/plan"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// RenewalRequest asks for a further period of a license.
type RenewalRequest struct {
	// DiscountCode is empty if the owner has none.
	DiscountCode string `json:"discountCode"`

	// OrderID is PurchaseRequest.OrderID.
	OrderID string `json:"-"`
}

// Renew adds a period to the term of a license of the user in ctx, once it is paid. A plan that was to begin with the
// next period begins with it. Two calls with the same OrderID are one, as of Purchase.
//
// It returns license.ErrNotFound for a license of anybody else, the errors of plan.Renewable, ErrTierNotFound,
// ErrBeingBought, discount.ErrRefused, and what Purchase returns for the payment.
func (s *Service) Renew(ctx context.Context, licenseID string, r RenewalRequest) (Bought, error) {
	if r.OrderID != "" {
		b, err := s.resumeFollower(ctx, licenseID, Renewal, r.OrderID, "")
		if errs.KindOf(err) != errs.NotFound {
			return b, err
		}
	}
	l, p, err := s.ownLicense(ctx, licenseID)
	if err != nil {
		return Bought{}, err
	}
	for range quoteTries {
		h, err := holdingOf(ctx, s.Store, l, p)
		if err != nil {
			return Bought{}, err
		}
		// Before the code: who cannot renew does not hear whether a code exists.
		tier, err := s.renewable(ctx, s.Store, h)
		if err != nil {
			return Bought{}, err
		}
		less, err := s.renewalDiscount(ctx, h, tier, r)
		if err != nil {
			return Bought{}, err
		}
		o, err := s.placeRenewal(ctx, h, tier, less, r.OrderID)
		switch {
		case errors.Is(err, errUseGone):
			continue // an administrator changed the code in this moment
		case errors.Is(err, errCustomerUsed):
			return Bought{}, discount.Refused(discount.AlreadyUsed)
		case err != nil:
			return s.orResumed(ctx, licenseID, Renewal, r.OrderID, "", err)
		}
		return s.finishFollower(ctx, h, o, r.OrderID == "")
	}
	return Bought{}, discount.Refused(discount.UsedUp)
}

// renewable returns the tier whose price a renewal costs. With a transaction that has locked the license it stays
// possible until that ends.
func (s *Service) renewable(ctx context.Context, tx Store, h holding) (product.Tier, error) {
	if err := plan.Renewable(h.license, h.renews()); err != nil {
		return product.Tier{}, err
	}
	tier, ok := h.product.Tier(coming(h.license))
	switch {
	case !ok, tier.Unpriced:
		return tier, ErrTierNotFound
	case tier.Period.Months() == 0:
		return tier, plan.ErrOtherWay
	}
	// Whoever has more seats than the tier by now keeps them: a renewal takes none away.
	return tier, s.mayFollow(ctx, tx, h.license, h.license.Instances)
}

// coming returns the tier of a license in its next period.
func coming(l license.License) string {
	if l.Next.None() {
		return l.TierID
	}
	return l.Next.TierID
}

// placeRenewal stores the order of a renewal.
func (s *Service) placeRenewal(
	ctx context.Context, h holding, tier product.Tier, less deduction, id string,
) (o Order, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		l, err := tx.LicenseByID(ctx, h.license.ID)
		if err != nil {
			return err
		}
		now, err := holdingOf(ctx, tx, l, h.product)
		if err != nil {
			return err
		}
		again, err := s.renewable(ctx, tx, now)
		if err != nil {
			return err
		}
		if again.ID != tier.ID {
			return ErrBeingBought // its plan changed in this moment
		}
		o = s.draftFollower(ctx, now, Renewal, id, tier)
		o.Discount = newDiscount(less.Quote)
		if s.charge(&o, less.Total(tier.Price)); !s.takes(o.Amount) {
			return ErrPaymentNotTaken
		}
		if err := renewed(&l, o, termsOf(tier)); err != nil {
			return err // its term cannot be longer
		}
		if err := s.putFollower(ctx, tx, &o, now.license, termsOf(tier)); err != nil {
			return err
		}
		return s.sold(ctx, tx, o, less)
	})
	return o, err
}

// renewed adds the period of an order to the term of a license.
func renewed(l *license.License, o Order, t Terms) error {
	if l.Next.None() {
		l.Follow(t.Months)
	}
	at := o.PaidAt
	if at.IsZero() {
		at = o.CreatedAt
	}
	return l.Renew(license.Renewal{Periods: 1}, at)
}

// applyRenewal renews a license. tx has locked it and the order. It returns ErrBeingBought if the plan of the next
// period is not that whose price was paid, because a refund took it back.
func (s *Service) applyRenewal(ctx context.Context, tx Store, o Order, l license.License, t Terms) error {
	if o.TierID != coming(l) {
		return ErrBeingBought
	}
	before := l
	if err := renewed(&l, o, t); err != nil {
		return err
	}
	t.Applied = &Applied{Version: l.Version, Before: before.Before(), Term: l.Anchor}
	if err := s.putApplied(ctx, tx, o, l, t); err != nil {
		return err
	}
	details := audit.Details{"orderId": o.ID, "periods": 1, "expiresAt": l.ExpiresAt}
	events := []event.Event{l.Event(event.LicenseRenewed, s.Now())}
	if l.TierID != before.TierID {
		details["from"], details["to"] = before.TierID, l.TierID
		events = append(events, l.Event(event.LicenseChanged, s.Now()))
	}
	if err := s.recordLicense(ctx, tx, audit.LicenseRenew, l, details); err != nil {
		return err
	}
	return tx.Publish(ctx, events...)
}

// renewalDiscount returns what is taken off a renewal: for the request's code, or for the one with which the license
// was bought, if that holds for ever.
func (s *Service) renewalDiscount(
	ctx context.Context, h holding, tier product.Tier, r RenewalRequest,
) (deduction, error) {
	if r.DiscountCode != "" {
		return s.deduct(ctx, h.product, tier, PurchaseRequest{DiscountCode: r.DiscountCode, Billing: h.bill.Billing})
	}
	for _, o := range h.orders {
		if o.Discount.None() || o.Discount.Duration != discount.Forever || o.Amount.Currency != tier.Price.Currency {
			continue
		}
		if q, err := s.held(ctx, o.Order, h.product.Slug, tier); err != nil || !q.None() {
			return deduction{Quote: q, held: true}, err
		}
	}
	return deduction{}, nil
}

// held returns what the code of an order that holds for ever takes off the price of a tier: what it took off the same
// price, and else what it is worth by now. It is no discount if the code is for other tiers, and not for this one.
func (s *Service) held(ctx context.Context, o Order, slug string, tier product.Tier) (q discount.Quote, err error) {
	same := o.Amount.Minor+o.Discount.Minor == tier.Price.Minor
	if !same || tier.ID != o.TierID {
		q, err = s.Discounts.Held(ctx, o.Discount.ID, slug, o.TierID, tier)
		if err != nil || q.None() {
			return q, err
		}
	}
	if same {
		q.Off = o.Off()
	}
	q.Discount.ID, q.Discount.Code, q.Discount.Duration = o.Discount.ID, o.Discount.Code, o.Discount.Duration
	return q, nil
}
