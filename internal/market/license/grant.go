package license

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/errs"
	"stoa/internal/market/product"
	"stoa/internal/text"
)

// Change is what an administrator decides about a licence. What is nil
// stays as it is.
type Change struct {
	Features     *[]string
	MaxInstances *int
	// ExpiresAt is the end of the term. Perpetual takes the end away; then ExpiresAt
	// does not count. No time stands for it: a client that sends its language's zero
	// time does not mean for ever.
	ExpiresAt *time.Time
	Perpetual bool
}

// maxFeatures is how many features a licence may be given by hand; one from a
// tier has fewer. With text.Short it keeps a lease below the 256 KiB that its readers
// take (sdk).
const maxFeatures = 200

// Issues returns what is wrong with the change.
func (ch Change) Issues() errs.Issues {
	var is errs.Issues
	if ch.Features != nil {
		if len(*ch.Features) > maxFeatures {
			is.Add("features", errs.CodeOutOfRange, "features must be at most %d.", maxFeatures)
		}
		for i, f := range *ch.Features {
			if f == "" || !text.Printable(f, text.Short) {
				is.Add(fmt.Sprintf("features[%d]", i), errs.CodeOutOfRange,
					"features[%d] must be 1 to %d printable characters.", i, text.Short)
			}
		}
	}
	if n := ch.MaxInstances; n != nil && (*n < 1 || *n > product.MaxInstances) {
		is.Add("maxInstances", errs.CodeOutOfRange,
			"maxInstances must be a whole number from 1 to %d.", product.MaxInstances)
	}
	if e := ch.ExpiresAt; e != nil && !ch.Perpetual && (e.UTC().Year() < 1970 || e.UTC().Year() > lastYear) {
		is.Add("expiresAt", errs.CodeOutOfRange, "expiresAt must be in the years 1970 to %d.", lastYear)
	}
	return is
}

// apply changes l and returns what it changed, for the audit log.
func (ch Change) apply(l *License) audit.Details {
	details := audit.Details{}
	if f := ch.Features; f != nil && !slices.Equal(*f, l.Features) {
		l.Features = *f
		details["features"] = len(*f)
	}
	if n := ch.MaxInstances; n != nil && *n != l.MaxInstances {
		details["maxInstances"] = map[string]int{"from": l.MaxInstances, "to": *n}
		l.MaxInstances = *n
	}
	if e, given := ch.end(); given && !e.Equal(l.ExpiresAt) {
		details["expiresAt"] = map[string]string{"from": dateText(l.ExpiresAt), "to": dateText(e)}
		l.EndAt(e)
	}
	return details
}

// end returns the new end of the term as licences have it, and whether there is
// one.
func (ch Change) end() (end time.Time, given bool) {
	switch {
	case ch.Perpetual:
		return time.Time{}, true
	case ch.ExpiresAt != nil:
		return ch.ExpiresAt.UTC().Truncate(time.Millisecond), true
	}
	return time.Time{}, false
}

// dateText writes a time for the audit log; a zero one is "never".
func dateText(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

// Change changes what a licence allows, and returns it as it is then.
// Fewer instances than are activated leave those as they are and admit no more.
// Changing nothing leaves the version as it is.
//
// It returns VALIDATION_ERROR for what Change.Issues finds,
// ErrNotFound, ErrStale if match refuses the licence's version, and
// ErrRevoked.
func (s *Service) Change(ctx context.Context, id string, ch Change, match Match) (Listed, error) {
	if err := ch.Issues().Err(); err != nil {
		return Listed{}, err
	}
	return s.change(ctx, id, match, func(_ Store, l *License) (audit.Action, audit.Details, error) {
		details := ch.apply(l)
		switch {
		case len(details) == 0:
			return "", nil, nil
		case !l.RevokedAt.IsZero():
			return "", nil, ErrRevoked
		}
		return audit.LicenseUpdate, details, nil
	})
}

// GrantRequest is a licence that an administrator gives without a purchase. It
// is that of the tier, but for what Change says.
type GrantRequest struct {
	ProductSlug string
	TierID      string
	UserID      string // "" or caller.Anonymous for nobody's
	Change      Change
}

// Issues returns what is wrong with the request by itself.
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

// Grant gives a licence without an order, of a published product or not,
// and returns it with its key, which is never shown to administrators again.
//
// It returns VALIDATION_ERROR for what GrantRequest.Issues finds, and for a
// product, tier or user that is not there.
func (s *Service) Grant(ctx context.Context, r GrantRequest) (Listed, Key, error) {
	p, tier, is, err := s.checkGrant(ctx, r)
	if err == nil {
		err = is.Err()
	}
	if err != nil {
		return Listed{}, Key{}, err
	}
	owner := cmp.Or(r.UserID, caller.Anonymous)
	now := s.Now().UTC()
	l, key := s.Vault.Issue(p.ID, tier, owner, now)
	l.Paid = true
	details := r.Change.apply(&l)
	details["product"], details["tier"], details["user"] = p.Slug, tier.ID, owner
	var granted Listed
	err = s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.CreateLicense(ctx, l); err != nil {
			return err
		}
		if err := tx.Record(ctx, audit.New(ctx, now, audit.LicenseGrant, audit.Target{Type: "license", ID: l.ID}, details)); err != nil {
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

// GrantIssues returns everything that is wrong with a request, also that what it
// names is not there.
func (s *Service) GrantIssues(ctx context.Context, r GrantRequest) (errs.Issues, error) {
	_, _, is, err := s.checkGrant(ctx, r)
	return is, err
}

// checkGrant returns the product and tier of a request and what is wrong with it.
func (s *Service) checkGrant(ctx context.Context, r GrantRequest) (p product.Product, tier product.Tier, is errs.Issues, err error) {
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
	if r.UserID != "" && r.UserID != caller.Anonymous {
		_, err = s.Users.Email(ctx, r.UserID)
		if errs.KindOf(err) == errs.NotFound {
			is.Add("userId", errs.CodeUnknownValue, "there is no such user.")
		} else if err != nil {
			return p, tier, is, err
		}
	}
	return p, tier, is, nil
}
