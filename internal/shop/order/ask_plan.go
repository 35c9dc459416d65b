package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// askProration fills in the provider's figures for a change that begins at once.
func (s *Service) askProration(ctx context.Context, c *planned) error {
	// Providers count by the second.
	at := c.quote.At.Truncate(time.Second)
	var out payment.Proration
	err := s.ask(c.asked, func() (err error) {
		out, err = s.Payments.PreviewPlan(ctx, c.asked.Payment,
			newPlan(c.holding, c.tier.ID, c.tier.Price, c.tier.Period.Months(), at))
		return err
	})
	switch {
	case errors.Is(err, payment.ErrRefused):
		return ErrPaymentRefused.Because(fmt.Errorf("license %s: %w", c.license.ID, err))
	case errors.Is(err, ErrProviderUnreachable):
		return ErrPaymentUnreachable.Because(err)
	case err != nil:
		return err
	}
	c.quote.Due.Minor = rescaled(out.Due, out.Exponent, c.tier.Price.Currency)
	c.quote.Credit.Minor = rescaled(out.Credit, out.Exponent, c.tier.Price.Currency)
	return nil
}

// newPlan returns a tier in the provider's words.
func newPlan(h holding, tierID string, price product.Money, months int, at time.Time) payment.Plan {
	out := payment.Plan{
		Minor: price.Minor, Currency: price.Currency, Months: months, Name: lineOf(h.product, tierID), At: at,
	}
	out.Exponent, _ = product.Exponent(price.Currency)
	return out
}

// finishFollower begins the payment of an order that was stored for a license, if there is anything to pay. once says
// that the caller cannot try again.
func (s *Service) finishFollower(ctx context.Context, h holding, o Order, once bool) (Bought, error) {
	key, err := s.Vault.Open(h.license)
	if err != nil {
		return Bought{}, err
	}
	if o.Status() == Pending {
		base, ok, err := s.changing(ctx, h, o)
		switch {
		case err != nil:
			return Bought{}, err
		case ok:
			err = s.askPlan(ctx, h, base, &o)
		default:
			var c Confirmation
			c, err = s.begin(ctx, h.product, o, key, once)
			o.PaymentURL = c.PaymentURL
		}
		if err != nil {
			return Bought{}, err
		}
	}
	s.Courier.Wake()
	if o.Status() == Paid {
		_ = s.undoPlan(ctx, o) // or the sweep does
	}
	return Bought{newConfirmation(o, key), o.Amount.Minor > 0}, nil
}

// changing returns the order whose subscription its provider changes, and charges, for a change of plan.
func (s *Service) changing(ctx context.Context, h holding, change Order) (Order, bool, error) {
	base, ok := h.subscription()
	if change.Kind != Change || !ok {
		return Order{}, false, nil
	}
	t, err := s.Store.TermsOf(ctx, change)
	return base, !t.Own, err
}

// resumeFollower returns what came of a request that was made before with the same OrderID, and begins the payment
// again if that had failed. It returns an errs.NotFound error if it was not made, and ErrIDTaken if it was another one.
func (s *Service) resumeFollower(ctx context.Context, licenseID string, kind Kind, id, tierID string) (Bought, error) {
	o, err := s.Store.OrderByID(ctx, id)
	if kind == Change && errs.KindOf(err) == errs.NotFound {
		return Bought{}, s.withdrawn(ctx, licenseID, id, err)
	} else if err != nil {
		return Bought{}, err
	}
	if o.LicenseID != licenseID || o.Kind != kind || tierID != "" && o.TierID != tierID {
		return Bought{}, ErrIDTaken
	}
	l, p, err := s.ownLicense(ctx, licenseID)
	if err != nil {
		return Bought{}, err
	}
	if o.Status() == Cancelled {
		return Bought{}, ErrCancelled
	}
	h, err := holdingOf(ctx, s.Store, l, p)
	if err == nil && o.Status() == Pending && o.PaymentURL == "" {
		return s.finishFollower(ctx, h, o, false)
	} else if err != nil {
		return Bought{}, err
	}
	key, err := s.Vault.Open(l)
	return Bought{newConfirmation(o, key), o.Amount.Minor > 0}, err
}

// orResumed returns what came of the same request, sent twice, if the other one was quicker, and otherwise the error.
func (s *Service) orResumed(
	ctx context.Context, licenseID string, kind Kind, id, tierID string, err error,
) (Bought, error) {
	if id != "" && errs.KindOf(err) == errs.Conflict {
		if b, err := s.resumeFollower(ctx, licenseID, kind, id, tierID); errs.KindOf(err) != errs.NotFound {
			return b, err
		}
	}
	return Bought{}, err
}

// askPlan has the provider change the plan of a subscription for a pending order, and settles that unless it waits for
// the payment. It may be repeated. If the provider does not answer, the order stays: it may have done so.
func (s *Service) askPlan(ctx context.Context, h holding, base Order, o *Order) error {
	t, err := s.Store.TermsOf(ctx, *o)
	if err != nil {
		return err
	}
	want := newPlan(h, o.TierID, product.Money{Minor: t.Price, Currency: o.Amount.Currency}, t.Months, time.Time{})
	want.OrderID, want.Later = o.ID, t.Later
	if !t.Later {
		want.At = o.CreatedAt.Truncate(time.Second) // of the preview that the order was made from
	}
	var done payment.Changed
	err = s.ask(base, func() (err error) {
		done, err = s.Payments.ChangePlan(ctx, base.Payment, want)
		return err
	})
	switch {
	case errors.Is(err, payment.ErrRefused):
		return ErrPaymentRefused.Because(fmt.Errorf("order %s: %w", o.ID,
			errors.Join(err, s.giveUp(context.WithoutCancel(ctx), *o))))
	case errors.Is(err, ErrProviderUnreachable):
		return ErrPaymentUnreachable.Because(err)
	case err != nil:
		return err
	}
	err = s.update(ctx, o, func(tx Store, o *Order) error {
		if o.Status() != Pending {
			return nil // its webhook was quicker
		}
		o.Payment.Invoice, o.PaymentURL = done.Invoice, done.URL
		if !done.Paid {
			return tx.UpdateOrder(ctx, *o)
		}
		return s.settle(ctx, tx, o, rescaled(done.Minor, done.Exponent, o.Amount.Currency), s.Now().UTC())
	})
	if err == nil && o.Status() == Cancelled {
		return cmp.Or(s.followUp(context.WithoutCancel(ctx), o, new(Outcome)), error(ErrCancelled))
	}
	return err
}

// goOnWithPlan finishes a change that was stored, but of which the provider was not asked, or did not answer, or whose
// webhook is missing. While the change may still be paid, the outcome says that nothing was done.
func (s *Service) goOnWithPlan(ctx context.Context, o Order) (Outcome, error) {
	out := Outcome{OrderID: o.ID}
	waits := s.Now().Before(o.CreatedAt.Add(pageLife))
	if o.invoiced() {
		seen, err := s.lookUp(ctx, o)
		switch {
		case err != nil && !errors.Is(err, payment.ErrRefused), err == nil && seen.Done != "":
			return seen, err
		case waits:
			return out, nil
		}
	} else {
		h, err := s.holdingBehind(ctx, o)
		if err != nil {
			return out, err
		}
		if base, ok, err := s.changing(ctx, h, o); err != nil {
			return out, err
		} else if ok {
			out.Done = "the plan of the subscription is changed"
			return out, s.askPlan(ctx, h, base, &o)
		}
		if waits {
			return out, nil // whoever wants the change may open its page
		}
	}
	out.Done = "the change is cancelled: it was not paid"
	return out, s.giveUp(ctx, o)
}

// holdingBehind returns the holding of the license of an order.
func (s *Service) holdingBehind(ctx context.Context, o Order) (holding, error) {
	listed, err := s.Get(ctx, o.ID)
	if err != nil {
		return holding{}, err
	}
	p, err := s.Products.Get(ctx, listed.ProductSlug)
	if err != nil {
		return holding{}, err
	}
	l, err := s.Store.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return holding{}, err
	}
	return holdingOf(ctx, s.Store, l, p)
}

// adjust handles that a change of plan was paid, or that it will not be. The event names the subscription of the order
// that issued or bought the license, of which one change is open at most.
func (s *Service) adjust(ctx context.Context, e payment.Event, out *Outcome) error {
	of, err := s.orderOf(ctx, s.Store, e)
	if errs.KindOf(err) == errs.NotFound {
		return nil // of another system
	} else if err != nil {
		return err
	}
	out.OrderID = of.ID
	o, ok, err := s.adjusted(ctx, of, e)
	if err != nil {
		return err
	}
	if !ok {
		if e.Kind == payment.Adjusted {
			out.Warning = "the plan of the subscription was changed at the provider: the license keeps its tier"
		}
		return nil
	}
	before := o.Status()
	err = s.update(ctx, &o, func(tx Store, o *Order) error {
		if e.Kind == payment.AdjustmentFailed {
			if o.Status() != Pending {
				return nil
			}
			return s.markCancelled(ctx, tx, o, s.Now())
		}
		o.Payment.Invoice = cmp.Or(o.Payment.Invoice, e.Reference.Invoice)
		o.Payment.Payment = cmp.Or(o.Payment.Payment, e.Reference.Payment)
		at := e.At
		if at.Before(o.CreatedAt) {
			at = o.CreatedAt // providers round to whole seconds
		}
		paid, _ := inUnitsOf(o.Amount.Currency, e)
		if err := s.settle(ctx, tx, o, paid, at); err != nil {
			return err
		}
		return s.recordBill(ctx, tx, *o, e)
	})
	if err != nil {
		return err
	}
	out.OrderID = o.ID
	if now := o.Status(); now != before {
		out.Done, out.Status = "the order is "+string(now), now
	}
	s.Courier.Wake()
	return s.followUp(ctx, &o, out)
}

// adjusted returns the change that an event is about: the one of its invoice, else the open one or the latest one that
// was cancelled without a payment. The operator can change plans at the provider, too: their invoices are of no order.
func (s *Service) adjusted(ctx context.Context, of Order, e payment.Event) (Order, bool, error) {
	if of.Kind == Change {
		return of, true, nil
	}
	list, err := s.Store.Siblings(ctx, of.LicenseID)
	if err != nil {
		return Order{}, false, err
	}
	for _, o := range list {
		if o.Kind != Change || !o.awaits(e) {
			continue
		}
		// What begins with the next period has no invoice of the subscription, nor has what is paid on a page.
		if t, err := s.Store.TermsOf(ctx, o); err != nil || !t.Later && !t.Own {
			return o, err == nil, err
		}
	}
	return Order{}, false, nil
}

// awaits reports whether an event that names no order can be about a change: one that is open, or one that was
// cancelled before the provider had answered, but not because it had refused.
func (o *Order) awaits(e payment.Event) bool {
	if !o.PaidAt.IsZero() ||
		o.Payment.Invoice != "" && e.Reference.Invoice != "" && o.Payment.Invoice != e.Reference.Invoice {
		return false
	}
	if e.Kind == payment.AdjustmentFailed {
		// Those of the change before may come late. Providers count by the second.
		return o.Status() == Pending && !e.At.Before(o.CreatedAt.Truncate(time.Second))
	}
	paid, same := inUnitsOf(o.Amount.Currency, e)
	if o.Status() == Pending {
		return same && paid >= o.Amount.Minor
	}
	// A refusal leaves no mark, but what is paid later, or in another amount, is not what was asked for.
	from, until := o.CreatedAt.Truncate(time.Second), o.CreatedAt.Add(pageLife)
	return same && paid == o.Amount.Minor && o.Payment.Invoice == "" && !e.At.Before(from) && !e.At.After(until)
}

// undoPlan has the provider take back the change of an order, if that is due: the subscription goes on with the plan
// that the license has now, or will have with the next period. If the periods of that have another length, or the order
// is an Own change, the subscription is over: the license is renewed by its owner from then on.
func (s *Service) undoPlan(ctx context.Context, o Order) error {
	if o.Kind != Change {
		return nil
	}
	t, err := s.Store.TermsOf(ctx, o)
	if err != nil || !t.Undo {
		return err
	}
	h, err := s.holdingBehind(ctx, o)
	if err != nil {
		return err
	}
	var refused error
	if base, ok := h.subscription(); ok && h.license.RevokedAt.IsZero() {
		err := s.undoAt(ctx, h, base, o, t)
		switch {
		case errors.Is(err, ErrEndRefused):
			refused = err
		case err != nil && !errors.Is(err, payment.ErrRefused):
			return err
		}
	}
	err = s.update(ctx, &o, func(tx Store, o *Order) error {
		t, err := tx.TermsOf(ctx, *o)
		if err != nil {
			return err
		}
		t.Undo = false
		return tx.PutTerms(ctx, o.ID, t)
	})
	return cmp.Or(err, refused)
}

func (s *Service) undoAt(ctx context.Context, h holding, base, o Order, t Terms) error {
	started := !t.Later || t.Applied != nil && t.Applied.Over
	if t.Own || started && t.Months != h.license.Months {
		return s.endNow(ctx, &base)
	}
	want := newPlan(h, h.license.TierID, h.Rate, h.license.Months, time.Time{})
	if want.OrderID = o.ID; o.Status() != Paid {
		want.OrderID += "-undo"
	}
	if next, ok := h.next(); ok { // chosen since
		want = newPlan(h, next.TierID, product.Money{Minor: next.Price, Currency: next.Amount.Currency}, next.Months,
			time.Time{})
		want.OrderID = next.ID
	}
	want.Later = true
	return s.ask(base, func() error {
		_, err := s.Payments.ChangePlan(ctx, base.Payment, want)
		return err
	})
}

// owePlan records that the provider is to be told of the plan that its owner chose for a later period, because the
// subscription goes on after all: the provider may have forgotten it when the subscription was ended, or its owner
// began it by hand since. tx has locked the license.
func owePlan(ctx context.Context, tx Store, l license.License) error {
	id, err := chosen(ctx, tx, l)
	if err != nil || id == "" {
		return err
	}
	t, err := tx.TermsOf(ctx, Order{ID: id, LicenseID: l.ID})
	if err != nil {
		return err
	}
	t.Undo = true
	return tx.PutTerms(ctx, id, t)
}

// chosen returns the order whose plan a license has, or will have, if that was to begin with a period; else "".
func chosen(ctx context.Context, tx Store, l license.License) (string, error) {
	siblings, err := tx.Siblings(ctx, l.ID)
	if err != nil {
		return "", err
	}
	list, err := effectiveOf(ctx, tx, siblings)
	for _, e := range list {
		switch {
		case e.Later:
			return e.ID, err
		case e.Kind == Change:
			return "", err // the provider made it
		}
	}
	return "", err
}

// doNext does what owePlan recorded for the license of an order. If it fails, Sweep does.
func (s *Service) doNext(ctx context.Context, o Order) error {
	l, err := s.Store.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return err
	}
	id, err := chosen(ctx, s.Store, l)
	if err != nil || id == "" {
		return err
	}
	next, err := s.Store.OrderByID(ctx, id)
	if err != nil {
		return err
	}
	return s.undoPlan(ctx, next)
}
