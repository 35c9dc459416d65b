package order

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/mail"
	"stoa/internal/market/license"
	"stoa/internal/market/payment"
	"stoa/internal/market/product"
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
// ErrPaymentUnreachable, or for an OrderID that was used ErrTaken or
// ErrCancelled.
func (s *Service) Purchase(ctx context.Context, slug string, req PurchaseRequest) (Confirmation, error) {
	if err := req.Issues().Err(); err != nil {
		return Confirmation{}, err
	}
	p, err := s.Products.Get(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Confirmation{}, ErrNotForSale
	} else if err != nil {
		return Confirmation{}, err
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
		return Confirmation{}, ErrNotForSale
	case !ok:
		return Confirmation{}, ErrTierNotFound
	case tier.Price.Minor != 0 && s.Payments.Mode() == payment.Closed:
		return Confirmation{}, ErrPaymentNotTaken
	}
	return s.place(ctx, p, tier, req)
}

// place makes a new order and begins its payment.
func (s *Service) place(ctx context.Context, p product.Product, tier product.Tier, req PurchaseRequest) (Confirmation, error) {
	order, license, key := s.draft(ctx, p.ID, tier, req)
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.CreateLicense(ctx, license); err != nil {
			return err
		}
		if err := tx.CreateOrder(ctx, order); err != nil {
			return err
		}
		if order.Status() == Paid {
			return s.settled(ctx, tx, order)
		}
		return nil
	})
	if errs.KindOf(err) == errs.Conflict && req.OrderID != "" {
		return s.resume(ctx, p, req) // somebody else was quicker
	}
	if errs.KindOf(err) == errs.NotFound { // the product was deleted meanwhile
		return Confirmation{}, ErrNotForSale
	}
	if err != nil {
		return Confirmation{}, err
	}
	if order.Status() == Paid {
		s.Courier.Wake()
		return Confirmation{OrderID: order.ID, LicenseKey: key}, nil
	}
	return s.begin(ctx, p, order, key, req)
}

// draft returns an order, its license and the license's key. Both are paid if nothing is left to pay.
func (s *Service) draft(ctx context.Context, productID string, tier product.Tier, req PurchaseRequest) (Order, license.License, license.Key) {
	now := s.Now().UTC()
	l, key := s.Vault.Issue(productID, tier, buyer(ctx), now)
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
// before. It returns an errs.UnknownKey error when there is none, ErrTaken
// when it is another purchase, and what Purchase returns for its payment.
func (s *Service) resume(ctx context.Context, p product.Product, req PurchaseRequest) (Confirmation, error) {
	order, err := s.Store.OrderByID(ctx, req.OrderID)
	if err != nil {
		return Confirmation{}, err
	}
	if order.ProductID != p.ID || order.TierID != req.TierID || order.UserID != buyer(ctx) {
		return Confirmation{}, ErrTaken
	}
	if order.Status() == Cancelled {
		return Confirmation{}, ErrCancelled
	}
	license, err := s.Store.LicenseByID(ctx, order.LicenseID)
	if err != nil {
		return Confirmation{}, fmt.Errorf("market: licence of order %s: %w", order.ID, err)
	}
	key, err := s.Vault.Open(license.KeySealed, license.ID)
	if err != nil {
		return Confirmation{}, fmt.Errorf("market: licence %s: %w", license.ID, err)
	}
	if order.Status() == Pending && order.PaymentURL == "" {
		return s.begin(ctx, p, order, key, req)
	}
	return confirmationOf(order, key), nil
}

// confirmationOf returns the receipt of an order. There is something to pay while it
// is pending.
func confirmationOf(o Order, key license.Key) Confirmation {
	r := Confirmation{OrderID: o.ID, LicenseKey: key}
	if o.Status() == Pending {
		r.PaymentURL = o.PaymentURL
	}
	return r
}

// begin opens the page where a pending order is paid. If that fails for good, or
// nobody could ask again, the order is cancelled.
func (s *Service) begin(ctx context.Context, p product.Product, o Order, key license.Key, req PurchaseRequest) (Confirmation, error) {
	if o.Provider != s.Payments.Name() {
		return Confirmation{}, ErrPaymentNotTaken // the configuration changed since the order was made
	}
	page, err := s.Payments.Begin(ctx, s.charge(p, o))
	if err != nil {
		refused := errors.Is(err, payment.ErrRefused)
		if refused || req.OrderID == "" {
			// The buyer may be gone. What fails here is swept up later.
			err = errors.Join(err, s.giveUp(context.WithoutCancel(ctx), o.ID))
		}
		if refused {
			return Confirmation{}, ErrPaymentRefused.Because(fmt.Errorf("order %s: %w", o.ID, err))
		}
		return Confirmation{}, ErrPaymentUnreachable.Because(err)
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		// Read again: it may be paid or cancelled by now.
		if o, err = tx.OrderByID(ctx, o.ID); err != nil {
			return err
		}
		o.PaymentURL, o.Payment.Session = page.URL, page.Session
		return tx.UpdateOrder(ctx, o)
	})
	if err != nil {
		return Confirmation{}, err
	}
	if o.Status() == Cancelled {
		// Whoever cancelled it could not close the page, which was not known yet. If
		// this fails, too, what is paid there is given back.
		_ = s.Payments.Cancel(context.WithoutCancel(ctx), o.Payment)
		return Confirmation{}, ErrCancelled
	}
	return confirmationOf(o, key), nil
}

// charge returns what is to be paid for an order.
func (s *Service) charge(p product.Product, o Order) payment.Charge {
	c := payment.Charge{
		OrderID: o.ID, Method: o.PaymentMethod, Minor: o.Amount.Minor, Currency: o.Amount.Currency, Name: p.Name, Months: o.Period.Months(),
	}
	c.Exponent, _ = product.Exponent(o.Amount.Currency)
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
