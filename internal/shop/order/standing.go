package order

import (
	"cmp"
	"context"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
	"stoa/internal/shop/plan"
	"stoa/internal/shop/product"
)

// holding is a license, its product, and what was ordered for it.
type holding struct {
	license license.License
	product product.Product
	// orders are those that are paid, without a trial: the one that took effect last comes first.
	orders []effective
	plan.Standing
	// bill is whom further orders are billed to.
	bill Order
	// owed is the change that was taken back, but not by the provider yet (Terms.Undo). Empty: none.
	owed string
}

// effective is an order that is paid, and what it did to its license.
type effective struct {
	Order
	Terms

	payments []Payment // in a holding
}

// months returns for how long a payment for the order's plan is.
func (e effective) months() int {
	if e.Kind == "" {
		return e.Period.Months()
	}
	return e.Months
}

// version returns that of the license before the order took effect; 0 for the one that issued or bought it.
func (e effective) version() int64 {
	if e.Applied == nil {
		return 0
	}
	return e.Applied.Version
}

// effectiveOf returns the orders of a list that are paid and no trials, those that took effect last first.
func effectiveOf(ctx context.Context, tx Store, siblings []Order) (list []effective, err error) {
	for _, o := range siblings {
		if o.Status() != Paid || o.Trial {
			continue
		}
		e := effective{Order: o}
		if o.Kind != "" {
			if e.Terms, err = tx.TermsOf(ctx, o); err != nil {
				return nil, err
			}
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b effective) int { return cmp.Compare(b.version(), a.version()) })
	return list, nil
}

// ownLicense returns a license of the user in ctx and its product. It returns license.ErrNotFound.
func (s *Service) ownLicense(ctx context.Context, id string) (license.License, product.Product, error) {
	l, err := s.Licenses.GetOwn(ctx, id)
	if err != nil {
		return license.License{}, product.Product{}, err
	}
	p, err := s.Products.Get(ctx, l.ProductSlug)
	if errs.KindOf(err) == errs.NotFound {
		err = ErrNotForSale
	}
	return l.License, p, err
}

// holdingOf returns what is known of a license. In a transaction that has locked the license, nothing of it changes.
func holdingOf(ctx context.Context, tx Store, l license.License, p product.Product) (holding, error) {
	h := holding{license: l, product: p, Standing: plan.Standing{License: l}}
	list, err := tx.Siblings(ctx, l.ID)
	if err != nil {
		return h, err
	}
	if len(list) > 0 {
		h.bill = list[0]
	}
	if h.orders, err = effectiveOf(ctx, tx, list); err != nil {
		return h, err
	}
	h.rate()
	for i, o := range h.orders {
		if h.orders[i].payments, err = paidFor(ctx, tx, o.Order); err != nil {
			return h, err
		}
		h.Paid += h.kept(h.orders[i].payments...)
	}
	h.periods()
	for _, o := range list {
		if o.Kind != Change || o.Status() != Refunded && o.Status() != Cancelled {
			continue
		}
		if t, err := tx.TermsOf(ctx, o); err != nil {
			return h, err
		} else if t.Undo {
			h.owed = o.ID
		}
	}
	return h, nil
}

// kept returns what was not given back of payments, in the currency of the license's plan.
func (h *holding) kept(paid ...Payment) (sum int64) {
	for _, p := range paid {
		if p.Currency == h.Rate.Currency {
			sum += p.untaxed()
		}
	}
	return sum
}

// back returns what was given back of payments, in the currency of the license's plan.
func (h *holding) back(paid []Payment) (sum int64) {
	for _, p := range paid {
		whole := p
		whole.Refunded = 0
		sum += h.kept(whole) - h.kept(p)
	}
	return sum
}

// periods fills in what was paid for the periods of the license. What was paid for a change at once made up the
// difference to its price for all periods that were paid by then.
func (h *holding) periods() {
	var billed []Payment // by the provider of the subscription
	for _, o := range h.orders {
		if o.Kind == "" {
			billed = slices.SortedStableFunc(slices.Values(o.payments), func(a, b Payment) int { return b.At.Compare(a.At) })
		}
	}
	for _, o := range h.orders {
		if o.ID == h.license.Next.OrderID || o.months() == 0 {
			continue
		}
		// Those after a change, or a renewal, are for its plan.
		for len(billed) > 0 && (o.Kind == "" || billed[0].At.After(o.PaidAt)) {
			h.Periods = append(h.Periods, plan.Period{Minor: h.kept(billed[0]), Months: o.months()})
			billed = billed[1:]
		}
		switch {
		case o.Kind == Change && !o.Later:
			for back := h.back(o.payments); back > 0 && o.Price > 0; back -= o.Price { // of the last period first
				h.Periods = append(h.Periods, plan.Period{Minor: max(o.Price-back, 0), Months: o.months()})
			}
			h.Periods = append(h.Periods, plan.Period{Minor: o.Price, Months: o.months()})
			return
		case o.Kind == Change && len(h.Periods) == 0: // it began with a period that was given
			h.Periods = append(h.Periods, plan.Period{Minor: o.Price, Months: o.months()})
		case o.Kind == Renewal, o.Kind == "" && len(o.payments) == 0: // also if a code took everything off
			h.Periods = append(h.Periods, plan.Period{Minor: h.kept(o.payments...), Months: o.months()})
		}
	}
}

// rate fills in what the license's plan costs, which the last order of its tier says.
func (h *holding) rate() {
	for _, o := range h.orders {
		if o.ID == h.license.Next.OrderID {
			continue // its plan has not begun
		}
		price := product.Money{Minor: o.Price, Currency: o.Amount.Currency}
		if o.Kind != Change {
			price = o.regular()
		}
		if h.Rate.Currency == "" {
			h.Rate = price
		}
		if o.TierID == h.license.TierID {
			h.Rate = price
			return
		}
	}
	if t, ok := h.product.Tier(h.license.TierID); ok && h.Rate.Currency == "" { // nobody paid for it
		h.Rate = t.Price
	}
}

// paidFor returns the payments of an order, without recording those that the previous release left out.
func paidFor(ctx context.Context, tx Store, o Order) ([]Payment, error) {
	list, err := tx.PaymentsOf(ctx, o.ID)
	if err == nil && o.lacks(list) {
		p := o.paidWith()
		p.Refunded = o.PartlyRefunded
		list = append([]Payment{p}, list...)
	}
	return list, err
}

// untaxed returns how much of the price was not given back: without its part of the tax that came on top.
func (p Payment) untaxed() int64 {
	if p.Bill.Added == 0 || p.Minor == 0 {
		return p.Left()
	}
	return p.Left() - plan.Share(p.Left(), p.Bill.Added, p.Minor)
}

// subscription returns the order whose subscription runs at the provider, if there is one.
func (h *holding) subscription() (Order, bool) {
	for _, o := range h.orders {
		if o.Kind == "" && o.Payment.Subscription != "" && o.EndedAt.IsZero() {
			return o.Order, true
		}
	}
	return Order{}, false
}

// next returns the order whose plan begins with the next period, if there is one.
func (h *holding) next() (effective, bool) {
	for _, o := range h.orders {
		if o.ID == h.license.Next.OrderID {
			return o, true
		}
	}
	return effective{}, false
}

// renews reports whether a provider renews the license.
func (h *holding) renews() bool {
	o, ok := h.subscription()
	return ok && o.Renews()
}

// draftFollower returns a new order for the license, which an order of its owner follows.
func (s *Service) draftFollower(ctx context.Context, h holding, kind Kind, id string, t product.Tier) Order {
	req := PurchaseRequest{
		OrderID: id, TierID: t.ID, Billing: h.bill.Billing, PaymentMethod: cmp.Or(h.bill.PaymentMethod, defaultMethod),
		language: reqctx.LanguageFrom(ctx), // the owner's: staff change and renew for nobody
	}
	if req.PaymentMethod == trialMethod {
		req.PaymentMethod = defaultMethod
	}
	o := s.draftOrder(ctx, h.product.ID, t, req)
	o.LicenseID, o.UserID, o.Follows, o.Kind = h.license.ID, h.license.UserID, true, kind
	return o
}

// defaultMethod is the payment method of a license for which nobody named one.
const defaultMethod = "card"
