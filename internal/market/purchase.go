package market

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/mail"
	"stoa/internal/market/payment"
)

// Purchase orders a product at one of its tiers for the caller in ctx, who may
// be nobody, and creates the licence, in one transaction. Where nothing is left
// to pay, the order is paid with it. Otherwise the licence cannot be used before
// the provider says that the order is paid (TakeEvent), and the receipt tells
// where to pay.
//
// Calling it twice is two purchases, unless both ask for the same OrderID: then
// the second call returns the first one's receipt, beginning the payment again
// if that had not succeeded.
//
// It returns VALIDATION_ERROR for what PurchaseRequest.Issues finds, and
// ErrNotForSale, ErrTierNotFound, ErrPaymentNotTaken, ErrPaymentRefused,
// ErrPaymentUnreachable, or for an OrderID that was used ErrOrderTaken or
// ErrOrderCancelled.
func (s *OrderService) Purchase(ctx context.Context, slug string, req PurchaseRequest) (Receipt, error) {
	if err := errs.Validation(req.Issues()...); err != nil {
		return Receipt{}, err
	}
	p, err := s.Products.Product(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Receipt{}, ErrNotForSale
	} else if err != nil {
		return Receipt{}, err
	}
	if req.OrderID != "" {
		receipt, err := s.resume(ctx, p, req)
		if errs.KindOf(err) != errs.NotFound {
			return receipt, err
		}
	}
	tier, ok := p.Tier(req.TierID)
	switch {
	case !p.Published:
		return Receipt{}, ErrNotForSale
	case !ok:
		return Receipt{}, ErrTierNotFound
	case tier.Price.Minor != 0 && s.Payments.Mode() == payment.Closed:
		return Receipt{}, ErrPaymentNotTaken
	}
	return s.order(ctx, p, tier, req)
}

// order makes a new order and begins its payment.
func (s *OrderService) order(ctx context.Context, p Product, tier Tier, req PurchaseRequest) (Receipt, error) {
	order, license, key := s.draft(ctx, p.ID, tier, req)
	err := s.Store.InTx(ctx, func(tx Sales) error {
		if err := tx.CreateLicense(ctx, license); err != nil {
			return err
		}
		if err := tx.CreateOrder(ctx, order); err != nil {
			return err
		}
		if order.Status() == OrderPaid {
			return s.settled(ctx, tx, order)
		}
		return nil
	})
	if errs.KindOf(err) == errs.Conflict && req.OrderID != "" {
		return s.resume(ctx, p, req) // somebody else was quicker
	}
	if errs.KindOf(err) == errs.NotFound { // the product was deleted meanwhile
		return Receipt{}, ErrNotForSale
	}
	if err != nil {
		return Receipt{}, err
	}
	if order.Status() == OrderPaid {
		s.Courier.Wake()
		return Receipt{OrderID: order.ID, LicenseKey: key}, nil
	}
	return s.begin(ctx, p, order, key, req)
}

// draft returns an order, its license and the license's key. Both are paid if nothing is left to pay.
func (s *OrderService) draft(ctx context.Context, productID string, tier Tier, req PurchaseRequest) (Order, License, LicenseKey) {
	now := s.Now().UTC()
	l, key := s.Keys.Issue(productID, tier, buyer(ctx), now)
	o := Order{
		ID: req.OrderID, ProductID: productID, TierID: tier.ID, UserID: l.UserID, PaymentMethod: req.PaymentMethod, Billing: req.Billing,
		Amount: tier.Price, Period: tier.Period, LicenseID: l.ID, CreatedAt: now,
	}
	if o.ID == "" {
		o.ID = cuid2.New()
	}
	if o.Amount.Minor != 0 {
		o.Provider = s.Payments.Name()
	}
	if o.Provider == "" || s.Payments.Mode() == payment.Instant {
		o.PaidAt, l.Paid = now, true
	}
	return o, l, key
}

// buyer returns the id of the user in ctx, or caller.Anonymous.
func buyer(ctx context.Context) string {
	if id := caller.From(ctx).UserID; id != "" {
		return id
	}
	return caller.Anonymous
}

// resume returns the receipt of the order that req asks for, which was made
// before. It returns an errs.NotFound error when there is none, ErrOrderTaken
// when it is another purchase, and what Purchase returns for its payment.
func (s *OrderService) resume(ctx context.Context, p Product, req PurchaseRequest) (Receipt, error) {
	order, err := s.Store.OrderByID(ctx, req.OrderID)
	if err != nil {
		return Receipt{}, err
	}
	if order.ProductID != p.ID || order.TierID != req.TierID || order.UserID != buyer(ctx) {
		return Receipt{}, ErrOrderTaken
	}
	if order.Status() == OrderCancelled {
		return Receipt{}, ErrOrderCancelled
	}
	license, err := s.Store.LicenseByID(ctx, order.LicenseID)
	if err != nil {
		return Receipt{}, fmt.Errorf("market: licence of order %s: %w", order.ID, err)
	}
	key, err := s.Keys.Open(license.KeySealed, license.ID)
	if err != nil {
		return Receipt{}, fmt.Errorf("market: licence %s: %w", license.ID, err)
	}
	if order.Status() == OrderPending && order.PaymentURL == "" {
		return s.begin(ctx, p, order, key, req)
	}
	return receiptOf(order, key), nil
}

// receiptOf returns the receipt of an order. There is something to pay while it
// is pending.
func receiptOf(o Order, key LicenseKey) Receipt {
	r := Receipt{OrderID: o.ID, LicenseKey: key}
	if o.Status() == OrderPending {
		r.PaymentURL = o.PaymentURL
	}
	return r
}

// begin opens the page where a pending order is paid. If that fails for good, or
// nobody could ask again, the order is cancelled.
func (s *OrderService) begin(ctx context.Context, p Product, o Order, key LicenseKey, req PurchaseRequest) (Receipt, error) {
	if o.Provider != s.Payments.Name() {
		return Receipt{}, ErrPaymentNotTaken // the configuration changed since the order was made
	}
	page, err := s.Payments.Begin(ctx, s.charge(p, o))
	if err != nil {
		refused := errors.Is(err, payment.ErrRefused)
		if refused || req.OrderID == "" {
			// The buyer may be gone. What fails here is swept up later.
			err = errors.Join(err, s.giveUp(context.WithoutCancel(ctx), o.ID))
		}
		if refused {
			return Receipt{}, ErrPaymentRefused.Because(fmt.Errorf("order %s: %w", o.ID, err))
		}
		return Receipt{}, ErrPaymentUnreachable.Because(err)
	}
	err = s.Store.InTx(ctx, func(tx Sales) error {
		// Read again: it may be paid or cancelled by now.
		if o, err = tx.OrderByID(ctx, o.ID); err != nil {
			return err
		}
		o.PaymentURL, o.Payment.Session = page.URL, page.Session
		return tx.UpdateOrder(ctx, o)
	})
	if err != nil {
		return Receipt{}, err
	}
	if o.Status() == OrderCancelled {
		// Whoever cancelled it could not close the page, which was not known yet. If
		// this fails, too, what is paid there is given back.
		_ = s.Payments.Cancel(context.WithoutCancel(ctx), o.Payment)
		return Receipt{}, ErrOrderCancelled
	}
	return receiptOf(o, key), nil
}

// charge returns what is to be paid for an order.
func (s *OrderService) charge(p Product, o Order) payment.Charge {
	c := payment.Charge{
		OrderID: o.ID, Method: o.PaymentMethod, Minor: o.Amount.Minor, Currency: o.Amount.Currency, Name: p.Name, Months: o.Period.Months(),
	}
	c.Exponent, _ = Exponent(o.Amount.Currency)
	if tier, ok := p.Tier(o.TierID); ok {
		c.Name += " – " + tier.Name
	}
	if o.Billing != nil {
		// Only what is an address: a provider would refuse anything else.
		if mail.Valid(o.Billing.Email) {
			c.Email = o.Billing.Email
		}
	}
	return c
}
