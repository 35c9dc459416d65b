package handoff

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// TrialRequest asks for a trial of a tier, for another stoa.
type TrialRequest struct {
	ProductSlug string `json:"productSlug"`
	TierID      string `json:"tierId"`
	Instance    string `json:"instance"`
	Email       string `json:"email"` // of the administrator: the key is mailed there too

	// OrderID is order.PurchaseRequest's.
	OrderID string `json:"-"`
}

// Issues returns what is wrong with the request.
func (r TrialRequest) Issues() errs.Issues {
	var is errs.Issues
	requireName(&is, "productSlug", r.ProductSlug)
	requireName(&is, "tierId", r.TierID)
	requireInstance(&is, r.Instance)
	if is.Require("email", r.Email) && order.EmailKey(r.Email) == "" {
		is.Add("email", errs.CodeInvalid, "email must be one e-mail address.")
	}
	return is
}

// StartTrial gives a trial to another stoa, once for each of its hosts and for each mailbox. The errors are
// VALIDATION_ERROR for what TrialRequest.Issues finds, ErrNoProduct, ErrNoTier, and those of order.Service.StartTrial.
func (s *Service) StartTrial(ctx context.Context, r TrialRequest) (license.Key, error) {
	if err := r.Issues().Err(); err != nil {
		return license.Key{}, err
	}
	if _, _, err := s.offer(ctx, r.ProductSlug, r.TierID); err != nil {
		return license.Key{}, err
	}
	trial, err := s.Orders.StartTrial(ctx, r.ProductSlug, order.TrialRequest{
		TierID: r.TierID, Email: r.Email, Instance: r.Instance, OrderID: r.OrderID,
	})
	return trial.LicenseKey, err
}
