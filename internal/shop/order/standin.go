package order

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// errForBuyerOnly is returned to staff who act as a user and would spend that user's money.
var errForBuyerOnly = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN", "Nobody buys for somebody else.")

// byStandIn reports whether the caller of the request acts as somebody else.
func byStandIn(ctx context.Context) bool { return reqctx.CallerFrom(ctx).Impersonator != "" }

// mayPlace returns nil if the caller may order a tier, and the request with the language of the buyer. One by staff who
// act as a user is in the language that user chose, and has the user's address: a receipt has the license key.
func (s *Service) mayPlace(ctx context.Context, tier product.Tier, req PurchaseRequest) (PurchaseRequest, error) {
	req.language = reqctx.LanguageFrom(ctx)
	if !byStandIn(ctx) {
		return req, nil
	}
	if tier.Price.Minor != 0 {
		return req, errForBuyerOnly
	}
	user := reqctx.CallerFrom(ctx).UserID
	chosen, err := s.Users.Language(ctx, user)
	if err != nil {
		return req, err
	}
	req.language = reqctx.LanguageFor(ctx, user, chosen)
	if req.Billing == nil || req.Billing.Email == "" {
		return req, nil
	}
	email, err := s.Users.Email(ctx, user)
	own := *req.Billing
	own.Email = email
	req.Billing = &own
	return req, err
}

// recordForOther records an order that staff place who act as a user. What users order is not recorded.
func (s *Service) recordForOther(ctx context.Context, tx Store, o Order) error {
	if !byStandIn(ctx) {
		return nil
	}
	return tx.Record(ctx, audit.New(ctx, s.Now(), audit.OrderCreate, audit.Target{Type: "order", ID: o.ID},
		audit.Details{"tier": o.TierID, "licenseId": o.LicenseID}))
}
