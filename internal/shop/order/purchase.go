package order

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// PurchaseRequest is what a buyer asks for.
type PurchaseRequest struct {
	TierID        string       `json:"tierId"`
	PaymentMethod string       `json:"paymentMethod"`
	Billing       *BillingInfo `json:"billingInfo"` // nil if the buyer gave none
	// DiscountCode is empty if the buyer has none.
	DiscountCode string `json:"discountCode"`
	// LicenseKey is the key of a trial that is to become the license. Empty for a new license.
	LicenseKey string `json:"licenseKey"`
	// HandoffID is the Handoff that the order is for. Empty for a license of the buyer's own.
	HandoffID string `json:"handoffId"`

	// OrderID is the id for the order, chosen by a caller who may have to repeat the request. If it is
	// empty, Purchase chooses one.
	OrderID string `json:"-"`

	trial    license.License // of LicenseKey, or of HandoffID
	language string          // Order.Language
	host     string          // on which a trial is to run; empty if it is not known, or does not count
}

// Issues returns what is wrong with the request.
func (r PurchaseRequest) Issues() errs.Issues {
	var is errs.Issues
	if r.TierID == "" {
		is.Add("tierId", errs.CodeRequired, "tierId is required.")
	}
	switch {
	case strings.TrimSpace(r.PaymentMethod) == "":
		is.Add("paymentMethod", errs.CodeRequired, "paymentMethod is required.")
	case !text.Printable(r.PaymentMethod, text.Short):
		is.Add("paymentMethod", errs.CodeOutOfRange, "paymentMethod must be at most %d printable characters.", text.Short)
	}
	if r.HandoffID != "" && r.LicenseKey != "" {
		is.Add("licenseKey", errs.CodeInvalid, "licenseKey must be absent with a handoffId, which names the trial itself.")
	}
	if b := r.Billing; b != nil {
		for _, f := range []struct{ name, value string }{{"name", b.Name}, {"email", b.Email}, {"company", b.Company}} {
			if !text.Printable(f.value, text.Short) {
				is.Add("billingInfo."+f.name, errs.CodeOutOfRange,
					"billingInfo.%s must be at most %d printable characters.", f.name, text.Short)
			}
		}
	}
	return is
}

// Confirmation is the result of a purchase.
type Confirmation struct {
	OrderID string
	// LicenseKey is none if the order is for a Handoff.
	LicenseKey license.Key
	PaymentURL string // empty if nothing is left to pay
}

func newConfirmation(o Order, key license.Key) Confirmation {
	c := Confirmation{OrderID: o.ID, LicenseKey: key}
	if o.Status() == Pending {
		c.PaymentURL = o.PaymentURL
	}
	return c
}

// Purchase places an order for a product at one of its tiers, and creates the license, in one
// transaction. With the key of a trial, that becomes the license, as soon as the order is paid. The buyer is the user
// in ctx, if there is one. If nothing is left to pay, the order is paid at once. Otherwise the confirmation says where
// to pay, and the license works once the provider reports the payment (HandleWebhook).
//
// Two calls are two purchases, unless they have the same OrderID: then the second returns the
// confirmation of the first, and begins the payment again if that had failed.
//
// It returns VALIDATION_ERROR for what PurchaseRequest.Issues finds, ErrNotForSale, ErrTierNotFound,
// discount.ErrRefused, ErrNotTrial, ErrBeingBought, ErrSeatsInUse, ErrPaymentNotTaken, ErrPaymentRefused,
// ErrPaymentUnreachable, for an OrderID that was used ErrIDTaken or ErrCancelled, and for a HandoffID
// ErrHandoffUnknown, ErrHandoffOther, ErrHandoffTrial, ErrHandoffOver or ErrHandoffTaken. Of several purchases for a
// handoff at once, one succeeds.
func (s *Service) Purchase(ctx context.Context, slug string, req PurchaseRequest) (Confirmation, error) {
	if err := req.Issues().Err(); err != nil {
		return Confirmation{}, err
	}
	c, err := s.purchase(ctx, slug, req)
	return c.withoutKey(req), err
}

func (s *Service) purchase(ctx context.Context, slug string, req PurchaseRequest) (Confirmation, error) {
	p, err := s.Products.Get(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Confirmation{}, ErrNotForSale
	} else if err != nil {
		return Confirmation{}, err
	}
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
	case !ok:
		return Confirmation{}, ErrTierNotFound
	case req.DiscountCode == "" && !s.takes(tier.Price):
		return Confirmation{}, ErrPaymentNotTaken
	}
	if req, err = s.mayPlace(ctx, tier, req); err != nil {
		return Confirmation{}, err
	}
	if req.trial, err = s.trialOf(ctx, p, req); err != nil {
		return Confirmation{}, err
	}
	if req, err = s.forHandoff(ctx, p, req); err != nil {
		return Confirmation{}, err
	}
	if req.DiscountCode != "" {
		return s.placeDiscounted(ctx, p, tier, req)
	}
	return s.place(ctx, p, tier, req, deduction{})
}

// place stores a new order and begins its payment.
func (s *Service) place(
	ctx context.Context, p product.Product, tier product.Tier, req PurchaseRequest, less deduction,
) (Confirmation, error) {
	o, l, key := s.draft(ctx, p.ID, tier, req, less.Quote)
	if !s.takes(o.Amount) {
		return Confirmation{}, ErrPaymentNotTaken
	}
	if req.trial.ID != "" {
		var err error
		if key, err = s.follow(&o, req.trial); err != nil {
			return Confirmation{}, err
		}
	}
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := s.bindHandoff(ctx, tx, o, req); err != nil {
			return err
		}
		if err := s.add(ctx, tx, o, l, tier); err != nil {
			return err
		}
		if err := s.recordForOther(ctx, tx, o); err != nil {
			return err
		}
		return s.sold(ctx, tx, o, less)
	})
	if errs.KindOf(err) == errs.Conflict && req.OrderID != "" {
		// The same request, sent twice: the other one was quicker.
		if c, err := s.resume(ctx, p, req); errs.KindOf(err) != errs.NotFound {
			return c, err
		}
	}
	if errs.KindOf(err) == errs.NotFound { // the product was deleted in the meantime
		return Confirmation{}, ErrNotForSale
	}
	if err != nil {
		return Confirmation{}, err
	}
	if o.Status() == Paid {
		s.Courier.Wake()
		return newConfirmation(o, key), nil
	}
	return s.begin(ctx, p, o, key, req.OrderID == "")
}

// sold does what is left once an order is stored: what is taken off is recorded, and an order that is paid by now is
// settled. Call it last in the transaction, because other buyers with the code wait.
func (s *Service) sold(ctx context.Context, tx Store, o Order, less deduction) error {
	if err := less.add(ctx, tx, o); err != nil {
		return err
	}
	if o.Status() == Paid {
		if err := s.settledAtOnce(ctx, tx, o); err != nil {
			return err
		}
	}
	return less.take(ctx, tx)
}

// add stores an order and its license, or an order that buys a trial.
func (s *Service) add(ctx context.Context, tx Store, o Order, l license.License, tier product.Tier) error {
	if o.Follows {
		return s.addFollower(ctx, tx, o, termsOf(tier))
	}
	if err := tx.CreateLicense(ctx, l); err != nil {
		return err
	}
	return tx.CreateOrder(ctx, o)
}

// takes reports whether an amount can be paid here.
func (s *Service) takes(amount product.Money) bool {
	return amount.Minor == 0 || s.Payments.Mode() != payment.Closed
}

// draft returns a new order, its license and the license's key. Order and license are paid if nothing
// is left to pay.
func (s *Service) draft(
	ctx context.Context, productID string, tier product.Tier, req PurchaseRequest, less discount.Quote,
) (Order, license.License, license.Key) {
	o := s.draftOrder(ctx, productID, tier, req)
	l, key := s.Vault.Issue(productID, tier, o.UserID, o.CreatedAt)
	o.LicenseID, o.Discount = l.ID, newDiscount(less)
	s.charge(&o, less.Total(tier.Price))
	l.Demo, l.Paid = s.Demo, o.Status() == Paid
	return o, l, key
}

// draftOrder returns a new order of a tier, without what is to be paid and without a license.
func (s *Service) draftOrder(ctx context.Context, productID string, tier product.Tier, req PurchaseRequest) Order {
	return Order{
		ID: cmp.Or(req.OrderID, ids.New()), ProductID: productID, TierID: tier.ID, UserID: buyer(ctx),
		PaymentMethod: req.PaymentMethod, Billing: req.Billing, Period: tier.Period, CreatedAt: s.Now().UTC(),
		Language: req.language, Demo: s.Demo,
	}
}

// charge sets what is to be paid for a draft. It is paid if nothing is.
func (s *Service) charge(o *Order, amount product.Money) {
	o.Amount = amount
	if amount.Minor != 0 {
		o.Provider = s.Payments.Name()
	}
	if o.Provider == "" || s.Payments.Mode() == payment.Instant {
		o.PaidAt = o.CreatedAt
	}
}

// buyer returns the id of the user in ctx, or reqctx.Anonymous.
func buyer(ctx context.Context) string {
	return cmp.Or(reqctx.CallerFrom(ctx).UserID, reqctx.Anonymous)
}

// resume returns the confirmation of the order that req asks for, which was placed before. It returns
// an errs.NotFound error when there is no such order, ErrIDTaken when it is another purchase, and what
// Purchase returns for its payment.
func (s *Service) resume(ctx context.Context, p product.Product, req PurchaseRequest) (Confirmation, error) {
	o, err := s.Store.OrderByID(ctx, req.OrderID)
	if err != nil {
		return Confirmation{}, err
	}
	if o.ProductID != p.ID || o.TierID != req.TierID || o.UserID != buyer(ctx) {
		return Confirmation{}, ErrIDTaken
	}
	if o.Status() == Cancelled {
		return Confirmation{}, ErrCancelled
	}
	l, err := s.Store.LicenseByID(ctx, o.LicenseID)
	if err != nil {
		return Confirmation{}, fmt.Errorf("license of order %s: %w", o.ID, err)
	}
	key, err := s.Vault.Open(l)
	if err != nil {
		return Confirmation{}, err
	}
	if o.Status() == Pending && o.PaymentURL == "" {
		return s.begin(ctx, p, o, key, false)
	}
	return newConfirmation(o, key), nil
}
