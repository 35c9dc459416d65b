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
}

// effective is an order that is paid, and what it did to its license.
type effective struct {
	Order
	Terms
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
	if err := h.rate(ctx, tx); err != nil {
		return h, err
	}
	for _, o := range h.orders {
		paid, err := paidFor(ctx, tx, o.Order)
		if err != nil {
			return h, err
		}
		for _, m := range paid {
			if m.Currency == h.Rate.Currency {
				h.Paid += m.untaxed()
			}
		}
	}
	return h, nil
}

// rate fills in what the license's plan costs, which the last order of its tier says, and what was paid for a period of
// it.
func (h *holding) rate(ctx context.Context, tx Store) error {
	for _, o := range h.orders {
		if o.ID == h.license.Next.OrderID {
			continue // its plan has not begun
		}
		price, worth := product.Money{Minor: o.Price, Currency: o.Amount.Currency}, o.Price
		if o.Kind != Change {
			paid, err := paidFor(ctx, tx, o.Order)
			if err != nil {
				return err
			}
			last := latest(paid)
			price, worth = o.regular(), last.untaxed()
		}
		if h.Rate.Currency == "" {
			h.Rate, h.Worth = price, worth
		}
		if o.TierID == h.license.TierID {
			h.Rate = price
			return nil
		}
	}
	if t, ok := h.product.Tier(h.license.TierID); ok && h.Rate.Currency == "" { // nobody paid for it
		h.Rate = t.Price
	}
	return nil
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
