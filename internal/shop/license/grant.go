package license

import (
	"cmp"
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// GrantRequest asks for a license without a purchase. The license is that of the tier, except for what
// Change changes.
type GrantRequest struct {
	ProductSlug string
	TierID      string
	UserID      string // "" or reqctx.Anonymous: the license belongs to nobody
	Change      Change
}

// Issues returns what is wrong with the request, without looking up what it names.
func (r GrantRequest) Issues() errs.Issues {
	var is errs.Issues
	if r.ProductSlug == "" {
		is.Add("productSlug", errs.CodeRequired, "productSlug is required.")
	}
	if r.TierID == "" {
		is.Add("tierId", errs.CodeRequired, "tierId is required.")
	}
	is.Merge(r.Change.Issues())
	return is
}

// Grant creates a license without an order and returns it with its key, which is never shown to
// administrators again. The product may be unpublished.
//
// It returns VALIDATION_ERROR for what GrantIssues finds.
func (s *Service) Grant(ctx context.Context, r GrantRequest) (Listed, Key, error) {
	p, tier, is, err := s.checkGrant(ctx, r)
	if err == nil {
		err = is.Err()
	}
	if err != nil {
		return Listed{}, Key{}, err
	}
	owner := cmp.Or(r.UserID, reqctx.Anonymous)
	l, key := s.Vault.Issue(p.ID, tier, owner, s.Now().UTC())
	l.Paid = true
	details := r.Change.apply(&l)
	details["product"], details["tier"], details["user"] = p.Slug, tier.ID, owner
	var granted Listed
	err = s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.CreateLicense(ctx, l); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.LicenseGrant, l.ID, details); err != nil {
			return err
		}
		if err := tx.Publish(ctx, l.Event(event.LicenseIssued, l.CreatedAt)); err != nil {
			return err
		}
		granted, err = one(ctx, tx, Query{ID: l.ID})
		return err
	})
	if err != nil {
		return Listed{}, Key{}, err
	}
	return granted, key, nil
}

// GrantIssues returns everything that is wrong with a request: what GrantRequest.Issues finds, and
// whether the product, the tier or the user does not exist.
func (s *Service) GrantIssues(ctx context.Context, r GrantRequest) (errs.Issues, error) {
	_, _, is, err := s.checkGrant(ctx, r)
	return is, err
}

// checkGrant returns the product and the tier of a request, and what is wrong with it.
func (s *Service) checkGrant(
	ctx context.Context, r GrantRequest,
) (p product.Product, tier product.Tier, is errs.Issues, err error) {
	is = r.Issues()
	if r.ProductSlug != "" {
		p, err = s.Products.Get(ctx, r.ProductSlug)
		var ok bool
		switch tier, ok = p.Tier(r.TierID); {
		case errs.KindOf(err) == errs.NotFound:
			is.Add("productSlug", errs.CodeUnknownValue, "there is no such product.")
		case err != nil:
			return p, tier, is, err
		case !ok && r.TierID != "":
			is.Add("tierId", errs.CodeUnknownValue, "the product has no such tier.")
		}
	}
	if r.UserID != "" && r.UserID != reqctx.Anonymous {
		_, err = s.Users.Email(ctx, r.UserID)
		if errs.KindOf(err) == errs.NotFound {
			is.Add("userId", errs.CodeUnknownValue, "there is no such user.")
		} else if err != nil {
			return p, tier, is, err
		}
	}
	return p, tier, is, nil
}
