package order

import (
	"context"
	"errors"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/shop/license"
	"stoa/internal/shop/plan"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// ChangeRequest asks for another tier of a license.
type ChangeRequest struct {
	TierID string `json:"tierId"`
	// Preview asks what the change would cost.
	Preview bool `json:"preview"`

	// OrderID is PurchaseRequest.OrderID.
	OrderID string `json:"-"`
}

// Issues returns what is wrong with the request.
func (r ChangeRequest) Issues() errs.Issues {
	var is errs.Issues
	if r.TierID == "" {
		is.Add("tierId", errs.CodeRequired, "tierId is required.")
	}
	return is
}

// PreviewChange returns what it costs to change a license of the user in ctx to another tier now, and when that begins.
// It changes nothing, and returns the errors of ChangePlan.
func (s *Service) PreviewChange(ctx context.Context, licenseID string, r ChangeRequest) (plan.Quote, error) {
	if err := r.Issues().Err(); err != nil {
		return plan.Quote{}, err
	}
	c, err := s.planChange(ctx, licenseID, r)
	return c.quote, err
}

// planned is a change that can be made.
type planned struct {
	holding

	tier  product.Tier
	quote plan.Quote
	// asked is the order whose subscription the provider changes, and charges if the change begins at once. Its zero
	// value: none, stoa computes by itself.
	asked Order
	own   bool // Terms.Own: then nobody is asked
}

// planChange returns the change that a request asks for, with the provider's figures where it has any.
func (s *Service) planChange(ctx context.Context, licenseID string, r ChangeRequest) (planned, error) {
	l, p, err := s.ownLicense(ctx, licenseID)
	if err != nil {
		return planned{}, err
	}
	tier, ok := p.Tier(r.TierID)
	if !ok || tier.Unpriced {
		return planned{}, ErrTierNotFound
	}
	h, err := holdingOf(ctx, s.Store, l, p)
	if err != nil {
		return planned{}, err
	}
	if tier.Price, err = s.lasting(ctx, h, tier); err != nil {
		return planned{}, err
	}
	c, err := s.quoteChange(ctx, s.Store, h, tier)
	if h.owed != "" && errors.Is(err, ErrBeingBought) && s.undoOwed(ctx, h.owed) == nil {
		if h, err = holdingOf(ctx, s.Store, l, p); err == nil {
			c, err = s.quoteChange(ctx, s.Store, h, tier)
		}
	}
	if err != nil || c.asked.ID == "" || c.quote.Later {
		return c, err
	}
	err = s.askProration(ctx, &c)
	return c, err
}

// undoOwed is undoPlan for the change that holding.owed names.
func (s *Service) undoOwed(ctx context.Context, id string) error {
	o, err := s.Store.OrderByID(ctx, id)
	if err != nil {
		return err
	}
	return s.undoPlan(ctx, o)
}

// lasting returns what a period of a tier costs the owner of a license, whose code may hold for ever, or what the tier
// costs once.
func (s *Service) lasting(ctx context.Context, h holding, tier product.Tier) (product.Money, error) {
	if tier.Period.Months() == 0 {
		return tier.Price, nil
	}
	less, err := s.renewalDiscount(ctx, h, tier, RenewalRequest{})
	return less.Total(tier.Price), err
}

// quoteChange returns the change of a license to a tier, at the price that it has for the owner, by stoa's own figures.
// With a transaction that has locked the license it stays possible until that ends.
func (s *Service) quoteChange(ctx context.Context, tx Store, h holding, tier product.Tier) (c planned, err error) {
	c.tier, c.holding = tier, h
	l, now := h.license, s.Now().UTC()
	if !l.Next.None() {
		none := product.Money{Currency: tier.Price.Currency}
		c.quote = plan.Quote{Due: none, Credit: none, At: now}
		if tier.ID != l.TierID {
			return c, ErrPlanned.With("orderId", l.Next.OrderID)
		}
		return c, s.mayWithdraw(ctx, tx, &h, l)
	}
	if c.quote, err = plan.Change(c.Standing, plan.TargetOf(tier), now); err != nil {
		return c, err
	}
	switch o, ok := c.subscription(); {
	case !ok:
	case !c.quote.Later && c.owed != "":
		return c, ErrBeingBought.With("orderId", c.owed)
	case !c.quote.Later && c.paidAhead():
		if o.Renews() {
			return c, ErrPaidAhead
		} else if o.Provider != s.Payments.Name() {
			return c, ErrOtherProvider
		}
		c.own = true
	// A subscription that was ended would go on for another period: the provider is asked if somebody takes that back.
	case !c.quote.Later, o.Renews(), tier.Period.Months() == l.Months:
		c.asked = o
	}
	return c, s.mayFollow(ctx, tx, l, tier.MaxInstances)
}

// paidAhead reports whether the owner of the license paid for a part of its term of which the provider of its
// subscription does not know: with a renewal, or a change that is priced by stoa.
func (h *holding) paidAhead() bool {
	for _, e := range h.orders {
		switch {
		case e.Own, e.Kind == Renewal:
			return true
		case e.Kind == Change && !e.Later && e.Applied != nil && !e.Applied.Term.IsZero():
			return false // the provider charged a new term
		}
	}
	return false
}

// Bought is what came of a change or a renewal.
type Bought struct {
	Confirmation

	// Due says that there was something to pay.
	Due bool
}

// ChangePlan changes the tier of a license of the user in ctx: at once, once the difference is paid, or with the next
// period (package plan). A license whose change begins with the next period can be changed to the tier that it has:
// that takes the change back. Two calls with the same OrderID are one, as of Purchase.
//
// It returns VALIDATION_ERROR for what ChangeRequest.Issues finds, license.ErrNotFound for a license of anybody else,
// ErrTierNotFound, the errors of plan.Change, ErrBeingBought, ErrPlanned, ErrCollected, ErrPaidAhead, ErrSeatsInUse,
// and what Purchase returns for the payment.
func (s *Service) ChangePlan(ctx context.Context, licenseID string, r ChangeRequest) (Bought, error) {
	if err := r.Issues().Err(); err != nil {
		return Bought{}, err
	}
	if r.OrderID != "" {
		b, err := s.resumeFollower(ctx, licenseID, Change, r.OrderID, r.TierID)
		if errs.KindOf(err) != errs.NotFound {
			return b, err
		}
	}
	c, err := s.planChange(ctx, licenseID, r)
	if err != nil {
		return s.orResumed(ctx, licenseID, Change, r.OrderID, r.TierID, err)
	}
	if !c.license.Next.None() {
		if err := s.withdraw(ctx, c, r.OrderID); err != nil {
			return s.orResumed(ctx, licenseID, Change, r.OrderID, r.TierID, err)
		}
		return Bought{}, nil
	}
	var o Order
	err = s.Store.InTx(ctx, func(tx Store) error {
		l, err := tx.LicenseByID(ctx, c.license.ID)
		if err != nil {
			return err
		}
		h, err := holdingOf(ctx, tx, l, c.product)
		if err != nil {
			return err
		}
		now, err := s.quoteChange(ctx, tx, h, c.tier)
		if err != nil {
			return err
		}
		if now.asked.ID != c.asked.ID || now.own != c.own || now.quote.Later != c.quote.Later ||
			!l.Next.None() {
			return ErrBeingBought // it changed in this moment
		}
		if now.asked.ID != "" {
			now.quote = c.quote
		}
		o, err = s.addChange(ctx, tx, now, r.OrderID)
		return err
	})
	if err != nil {
		return s.orResumed(ctx, licenseID, Change, r.OrderID, r.TierID, err)
	}
	return s.finishFollower(ctx, c.holding, o, r.OrderID == "")
}

// addChange stores the order of a change. tx has locked the license.
func (s *Service) addChange(ctx context.Context, tx Store, c planned, id string) (Order, error) {
	t := termsOf(c.tier)
	t.Later, t.Own = c.quote.Later, c.own
	if c.asked.ID == "" && !t.Later && c.license.Months > 0 {
		t.Until = c.license.ExpiresAt
	}
	o := s.draftFollower(ctx, c.holding, Change, id, c.tier)
	s.charge(&o, c.quote.Due)
	switch {
	case c.asked.ID != "": // the provider says what becomes of it
		o.Provider, o.PaidAt = c.asked.Provider, time.Time{}
		if !t.Later {
			o.CreatedAt = c.quote.At // so that the provider prorates for the second of the quote
		}
	case !s.takes(o.Amount):
		return o, ErrPaymentNotTaken
	case t.Later:
		base, _ := c.subscription()
		o.Provider = base.Provider // it hears of the plan if the subscription goes on
	case t.Own:
		o.Provider = s.Payments.Name() // it ends the subscription
	}
	if err := s.putFollower(ctx, tx, &o, c.license, t); err != nil || o.Status() != Paid {
		return o, err
	}
	return o, s.settledAtOnce(ctx, tx, o)
}

// applyChange changes the plan of a license. tx has locked it and the order.
func (s *Service) applyChange(ctx context.Context, tx Store, o Order, l license.License, t Terms) error {
	a := Applied{Version: l.Version, Before: l.Before()}
	details := audit.Details{"orderId": o.ID, "from": l.TierID, "to": t.TierID}
	if t.Later {
		l.Next = license.Next{OrderID: o.ID, Terms: t.Terms, Since: o.PaidAt}
		details["at"] = l.ExpiresAt
	} else {
		l.ChangePlan(t.Terms, o.PaidAt)
		t.Undo = t.Own
		if t.Months != a.Before.Months {
			a.Term = l.Anchor
		}
	}
	t.Applied = &a
	if err := s.putApplied(ctx, tx, o, l, t); err != nil {
		return err
	}
	if err := s.recordLicense(ctx, tx, audit.LicenseChange, l, details); err != nil || t.Later {
		return err
	}
	return s.publishChanged(ctx, tx, l)
}

func (s *Service) publishChanged(ctx context.Context, tx Store, l license.License) error {
	return tx.Publish(ctx, l.Event(event.LicenseChanged, s.Now()))
}

// putApplied stores a license, and what an order did to it.
func (s *Service) putApplied(ctx context.Context, tx Store, o Order, l license.License, t Terms) error {
	if err := tx.UpdateLicense(ctx, l); err != nil {
		return err
	}
	return tx.PutTerms(ctx, o.ID, t)
}

// recordLicense adds what happened to a license to the audit log. Nobody did what a demo makes up.
func (s *Service) recordLicense(
	ctx context.Context, tx Store, action audit.Action, l license.License, details audit.Details,
) error {
	if s.Demo {
		return nil
	}
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "license", ID: l.ID}, details))
}

// mayWithdraw returns why a planned change cannot be taken back: a renewal that is open has its price, or a period that
// the provider bills already and that is not paid yet.
func (s *Service) mayWithdraw(ctx context.Context, tx Store, h *holding, l license.License) error {
	if err := plan.Usable(l); err != nil {
		return err
	}
	if _, renews := h.subscription(); renews && l.Next.Since.Before(l.ExpiresAt) && !s.Now().Before(l.ExpiresAt) {
		return ErrCollected.With("orderId", l.Next.OrderID)
	}
	return s.mayFollow(ctx, tx, l, l.Instances)
}

// withdraw takes back a change that was to begin with the next period. id is ChangeRequest.OrderID, by which withdrawn
// knows the same request.
func (s *Service) withdraw(ctx context.Context, c planned, id string) error {
	o := Order{ID: c.license.Next.OrderID}
	err := s.update(ctx, &o, func(tx Store, o *Order) error {
		l, err := tx.LicenseByID(ctx, c.license.ID)
		if err != nil {
			return err
		}
		if l.Next.OrderID != o.ID {
			return plan.ErrSameTier // it has begun, or somebody was quicker
		}
		if err := s.mayWithdraw(ctx, tx, &c.holding, l); err != nil {
			return err
		}
		if err := s.markRefunded(ctx, tx, o, s.Now()); err != nil {
			return err
		}
		t, err := tx.TermsOf(ctx, *o)
		if err != nil {
			return err
		}
		t.Applied = &Applied{Withdrawn: id}
		if err := tx.PutTerms(ctx, o.ID, t); err != nil {
			return err
		}
		return s.recordLicense(ctx, tx, audit.LicenseChange, l, audit.Details{
			"orderId": o.ID, "from": l.Next.TierID, "to": l.TierID, "withdrawn": true,
		})
	})
	if err == nil {
		_ = s.undoPlan(ctx, o) // or the sweep does
	}
	return err
}

// withdrawn returns nil if the request with that id took back a planned change of a license, and otherwise the error.
func (s *Service) withdrawn(ctx context.Context, licenseID, id string, otherwise error) error {
	if _, _, err := s.ownLicense(ctx, licenseID); err != nil {
		return err
	}
	list, err := s.Store.Siblings(ctx, licenseID)
	if err != nil {
		return err
	}
	for _, o := range list {
		if o.Kind != Change || o.Status() != Refunded {
			continue
		}
		t, err := s.Store.TermsOf(ctx, o)
		if err != nil || t.Applied != nil && t.Applied.Withdrawn == id {
			return err
		}
	}
	return otherwise
}
