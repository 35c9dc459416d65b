package order

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/paging"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Listed is an order with the current slug and name of its product.
type Listed struct {
	Order

	ProductSlug, ProductName string
	// TierName is what the tier is called now; its id if the product has no such tier any more.
	TierName string
	// UserEmail is the address of the buyer's account. Empty for reqctx.Anonymous.
	UserEmail string
	// ExpiresAt is the end of the license's term. Zero if it has none.
	ExpiresAt time.Time

	// Back is how much was given back of all payments, in the units of Amount. Periods is how many payments there are.
	Back    int64
	Periods int
	// Followed says that the plan of its license was changed, or its term renewed, with another order.
	Followed bool
	// RefundDays is for how many days after the payment buyers may take back an order of the product.
	RefundDays int
	// RefundableUntil is until when the buyer may take the order back, in the buyer's own lists. Zero: not at all.
	RefundableUntil time.Time
	// Refunds is what was given back, the oldest first.
	Refunds []Refund
	// Paid is what was paid at first, in the units of Amount, and Bill what is known of its tax and invoice.
	Paid int64
	Bill payment.Bill
}

// GivenBack returns how much of what was paid the buyer got back so far, with the later periods of a subscription.
func (o *Listed) GivenBack() product.Money {
	return product.Money{Minor: o.Back, Currency: o.Amount.Currency}
}

// Query says which orders are wanted. Empty fields match all.
type Query struct {
	ID string
	// Search is part of an e-mail address, of an id or of a product's slug, ignoring case, or the last
	// group of a license key.
	Search string
	// Masked says that the reader sees no addresses: none is searched for, nor the end of a key.
	Masked bool
	// NoTails says that the end of a key is not searched for.
	NoTails bool
	// NoFormer says that what those who left wrote on their bills is not searched for.
	NoFormer bool
	Status   Status
	Product  string // slug
	UserID   string // or reqctx.Anonymous
	// Email is an address on the bill or of the buyer's account, compared by EmailKey.
	Email string
	// From (inclusive) and To (exclusive) bound the time of the order. Zero means no bound.
	From, To time.Time
	// Sort is one of Sorts; empty means the newest first.
	Sort string

	Limit, Offset int
	// After is an entry that those wanted follow, the newest first: then Sort and Offset do not count, nor is counted
	// how many there are.
	After paging.Mark
}

// Sorts are the orders of lists of orders; "-" stands for descending. Amounts are compared by
// number, regardless of currency.
var Sorts = []string{"created", "-created", "amount", "-amount", "product", "-product", "status", "-status"}

// Issues returns what is wrong with the query.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	switch q.Status {
	case "", Pending, Paid, Refunded, Cancelled:
	default:
		is.Add("status", errs.CodeUnknownValue, "status must be pending, paid, refunded or cancelled.")
	}
	for _, f := range []struct{ name, value string }{{"q", q.Search}, {"product", q.Product}, {"user", q.UserID}} {
		if !text.Printable(f.value, text.Short) {
			is.Add(f.name, errs.CodeOutOfRange, "%s must be at most %d printable characters.", f.name, text.Short)
		}
	}
	if q.Email != "" && EmailKey(q.Email) == "" {
		is.Add("email", errs.CodeInvalid, "email must be one e-mail address.")
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		is.Add("to", errs.CodeOutOfRange, "to must not be before from.")
	}
	is.OneOf("sort", q.Sort, Sorts...)
	return is
}

// Find returns one page of the orders that match a query, in its order, and how many there are on all
// pages. It returns VALIDATION_ERROR for what Query.Issues finds.
func (s *Service) Find(ctx context.Context, q Query) ([]Listed, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	found, total, err := s.Store.FindOrders(ctx, q)
	if err == nil {
		err = s.addRefunds(ctx, found)
	}
	return found, total, err
}

// addRefunds adds to orders what was given back of them.
func (s *Service) addRefunds(ctx context.Context, list []Listed) error {
	var back []string
	for _, o := range list {
		if o.Back > 0 {
			back = append(back, o.ID)
		}
	}
	if len(back) == 0 {
		return nil
	}
	refunds, err := s.Store.RefundsOf(ctx, back...)
	for i, o := range list {
		list[i].Refunds = refunds[o.ID]
	}
	return err
}

// Get returns the order with that id, of any user, or ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Listed, error) {
	if !ids.Plausible(id) {
		return Listed{}, ErrNotFound
	}
	found, _, err := s.Store.FindOrders(ctx, Query{ID: id, Limit: 1})
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err == nil {
		err = s.addRefunds(ctx, found)
	}
	if err != nil {
		return Listed{}, err
	}
	return found[0], nil
}

// ListOwn returns one page of the orders of the user in ctx, newest first, and how many there are on
// all pages. Without a user there are none: nobody owns the orders of reqctx.Anonymous.
func (s *Service) ListOwn(ctx context.Context, limit, offset int) ([]Listed, int, error) {
	user := reqctx.CallerFrom(ctx).UserID
	if user == "" {
		return nil, 0, nil
	}
	list, total, err := s.Store.FindOrders(ctx, Query{UserID: user, Limit: limit, Offset: offset})
	if err == nil {
		err = s.addRefundable(ctx, list)
	}
	return list, total, err
}

// GetOwn returns the order with that id of the user in ctx, and its key. It returns
// ErrNotFound for an order of anybody else.
func (s *Service) GetOwn(ctx context.Context, id string) (Listed, license.Key, error) {
	o, err := s.own(ctx, id)
	if err != nil {
		return Listed{}, license.Key{}, err
	}
	l, err := s.Store.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return Listed{}, license.Key{}, err
	}
	key, err := s.Vault.Open(l)
	return o, key, err
}

// own returns an order of the user in ctx, or ErrNotFound.
func (s *Service) own(ctx context.Context, id string) (Listed, error) {
	o, err := s.Get(ctx, id)
	if err == nil && (o.UserID == reqctx.Anonymous || o.UserID != reqctx.CallerFrom(ctx).UserID) {
		return Listed{}, ErrNotFound
	}
	if err == nil {
		one := []Listed{o}
		err = s.addRefundable(ctx, one)
		o = one[0]
	}
	return o, err
}

// GetByKey returns the order with that id that a guest has placed, to whoever knows its
// license key: the answer to the purchase and the receipt have it. It returns ErrNotFound
// for another key, and for orders of users, who sign in.
func (s *Service) GetByKey(ctx context.Context, id, key string) (Listed, error) {
	known, err := license.ParseKey(key)
	if err != nil {
		return Listed{}, ErrNotFound
	}
	o, err := s.Get(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	l, err := s.Store.LicenseByID(ctx, o.LicenseID)
	if err == nil && (o.UserID != reqctx.Anonymous || !s.Vault.IsKeyOf(known, l)) {
		err = ErrNotFound
	}
	if err != nil {
		return Listed{}, err
	}
	return o, nil
}
