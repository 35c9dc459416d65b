package order

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/product"
)

// trialMethod is the payment method of orders of trials, which nobody pays.
const trialMethod = "trial"

// TrialRequest asks for a trial of a tier. Guests have to give an address: a customer tries a product once.
type TrialRequest struct {
	TierID string `json:"tierId"`
	Email  string `json:"email"`

	// Instance is where the trial is to run. A product is tried once on each host. Empty if it is not known.
	Instance string `json:"-"`

	// OrderID is PurchaseRequest.OrderID.
	OrderID string `json:"-"`
}

// Issues returns what is wrong with the request of a buyer with an account; a guest's email is required too.
func (r TrialRequest) Issues() errs.Issues {
	var is errs.Issues
	if r.TierID == "" {
		is.Add("tierId", errs.CodeRequired, "tierId is required.")
	}
	if r.Email != "" && EmailKey(r.Email) == "" {
		is.Add("email", errs.CodeInvalid, "email must be one e-mail address.")
	}
	return is
}

// StartTrial gives a trial of a tier: a license that ends after the tier's TrialDays. The buyer is the user in ctx, if
// there is one. Two calls with the same OrderID are one, as of Purchase.
//
// It returns VALIDATION_ERROR for what TrialRequest.Issues finds and for a guest without an address, ErrNotForSale,
// ErrNoTrial, ErrTrialUsed for a customer who tried the product before, or a host where it was tried, and ErrIDTaken.
func (s *Service) StartTrial(ctx context.Context, slug string, r TrialRequest) (Confirmation, error) {
	is := r.Issues()
	if r.Email == "" && buyer(ctx) == reqctx.Anonymous {
		is.Add("email", errs.CodeRequired, "email is required without an account: the license key is mailed to it.")
	}
	if err := is.Err(); err != nil {
		return Confirmation{}, err
	}
	p, err := s.Products.Get(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Confirmation{}, ErrNotForSale
	} else if err != nil {
		return Confirmation{}, err
	}
	req, err := s.mayPlace(ctx, product.Tier{}, r.purchase())
	if err != nil {
		return Confirmation{}, err
	}
	req.host = s.Licenses.TrialHost(r.Instance)
	if req.OrderID != "" {
		c, err := s.resume(ctx, p, req)
		if errs.KindOf(err) != errs.NotFound {
			return c, err
		}
	}
	tier, ok := p.Tier(req.TierID)
	switch {
	case !p.Published:
		return Confirmation{}, ErrNotForSale
	case !ok || tier.TrialDays == 0:
		return Confirmation{}, ErrNoTrial
	}
	return s.placeTrial(ctx, p, tier, req)
}

// purchase returns the request as that of an order, with the address on the bill.
func (r TrialRequest) purchase() PurchaseRequest {
	req := PurchaseRequest{TierID: r.TierID, PaymentMethod: trialMethod, OrderID: r.OrderID}
	if r.Email != "" {
		req.Billing = &BillingInfo{Email: r.Email}
	}
	return req
}

// placeTrial stores a trial and its order.
func (s *Service) placeTrial(
	ctx context.Context, p product.Product, tier product.Tier, req PurchaseRequest,
) (Confirmation, error) {
	who, err := s.customer(ctx, req.Billing)
	if err != nil {
		return Confirmation{}, err
	}
	o, l, key := s.draftTrial(ctx, p.ID, tier, req)
	err = s.Store.InTx(ctx, func(tx Store) error {
		// First, because the same customer's other requests wait for it.
		if ok, err := tx.TakeTrial(ctx, p.ID, o.ID, s.Discounts.Keys(who), o.CreatedAt); err != nil || !ok {
			return orUsed(err)
		}
		if req.host != "" {
			if ok, err := tx.TakeTrialHost(ctx, p.ID, req.host, l.ID, o.CreatedAt); err != nil || !ok {
				return orUsed(err)
			}
		}
		if err := tx.CreateLicense(ctx, l); err != nil {
			return err
		}
		if err := tx.CreateOrder(ctx, o); err != nil {
			return err
		}
		if err := s.recordForOther(ctx, tx, o); err != nil {
			return err
		}
		return s.settled(ctx, tx, o)
	})
	if errs.KindOf(err) == errs.Conflict && req.OrderID != "" {
		// The same request, sent twice: the other one was quicker.
		if c, err := s.resume(ctx, p, req); errs.KindOf(err) != errs.NotFound {
			return c, err
		}
	}
	if errs.KindOf(err) == errs.NotFound { // the product was deleted in the meantime
		err = ErrNotForSale
	}
	if err != nil {
		return Confirmation{}, err
	}
	s.Courier.Wake()
	return newConfirmation(o, key), nil
}

func orUsed(err error) error {
	if err == nil {
		return ErrTrialUsed
	}
	return err
}

// draftTrial is draft for a trial.
func (s *Service) draftTrial(
	ctx context.Context, productID string, tier product.Tier, req PurchaseRequest,
) (Order, license.License, license.Key) {
	now := s.Now().UTC()
	l, key := s.Vault.Issue(productID, tier, buyer(ctx), now)
	l.BeginTrial(tier.TrialDays, now)
	l.Paid, l.Demo = true, s.Demo
	o := Order{
		ID: req.OrderID, ProductID: productID, TierID: tier.ID, UserID: l.UserID,
		PaymentMethod: req.PaymentMethod, Billing: req.Billing, Amount: product.Money{Currency: tier.Price.Currency},
		LicenseID: l.ID, CreatedAt: now, PaidAt: now, Trial: true, Demo: s.Demo,
		Language: req.language,
	}
	if o.ID == "" {
		o.ID = ids.New()
	}
	return o, l, key
}

// customer returns who places an order: the account, its mailbox, and that of the bill.
func (s *Service) customer(ctx context.Context, bill *BillingInfo) (discount.Customer, error) {
	who := discount.Customer{}
	if user := buyer(ctx); reqctx.IsUser(user) {
		who.UserID = user
		email, err := s.Users.Email(ctx, user)
		if err != nil {
			return who, err
		}
		who.Emails = append(who.Emails, email)
	}
	if bill.EmailKey() != "" {
		who.Emails = append(who.Emails, bill.address())
	}
	return who, nil
}

// saleEvents returns what is told of an order that is paid.
func (s *Service) saleEvents(o Order) []event.Event {
	now := s.Now()
	if o.Follows { // its license was issued before
		return []event.Event{o.paidEvent(now)}
	}
	issued := license.License{ID: o.LicenseID, ProductID: o.ProductID, UserID: o.UserID, Demo: o.Demo}.
		Event(event.LicenseIssued, now)
	if o.Trial {
		return []event.Event{o.event(event.TrialStarted, now), issued}
	}
	return []event.Event{o.paidEvent(now), issued}
}
