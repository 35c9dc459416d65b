package license

import (
	"context"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/market/product"
	"stoa/internal/text"
)

// Issues returns what is wrong with the query.
func (q Query) Issues() []errs.Issue {
	var is errs.Issues
	if q.ProductSlug != "" && !product.ValidSlug(q.ProductSlug) {
		is.Add("product", "invalid", "product must be the slug of a product.")
	}
	if q.UserID != "" && !cuid2.Plausible(q.UserID) {
		is.Add("user", "invalid", "user must be the id of a user, or anonymous.")
	}
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", "out_of_range", "q must be at most %d printable characters.", text.Short)
	}
	switch q.Status {
	case "", StatusActive, StatusExpired, StatusRevoked:
	default:
		is.Add("status", "unknown_value", "status must be active, expired or revoked.")
	}
	return is.List()
}

// Find returns one page of the licences that a query wants, as they are
// now, the newest first, and how many there are on all pages. It returns
// VALIDATION_ERROR for a query that Query.Issues finds fault with.
func (s *Service) Find(ctx context.Context, q Query) ([]Listed, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	q.At = s.Now()
	return s.Store.ListLicenses(ctx, q)
}

// Get returns the licence with that id, whosever it is, or
// ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Listed, error) {
	if !cuid2.Plausible(id) {
		return Listed{}, ErrNotFound
	}
	return one(ctx, s.Store, Query{ID: id})
}

// LookUp returns the licence with that key, as its holder wrote it, of
// whatever product, or ErrNotFound.
func (s *Service) LookUp(ctx context.Context, key string) (Listed, error) {
	k, err := ParseKey(key)
	if err != nil {
		return Listed{}, ErrNotFound
	}
	return one(ctx, s.Store, Query{KeyHash: s.Vault.Hash(k)})
}

// ListActivations returns one page of the instances of a licence, whosever it is,
// the longest activated first, and how many there are on all pages. It returns
// ErrNotFound.
func (s *Service) ListActivations(ctx context.Context, licenseID string, limit, offset int) ([]Activation, int, error) {
	if _, err := byID(ctx, s.Store, licenseID); err != nil {
		return nil, 0, err
	}
	return s.Store.ListInstances(ctx, licenseID, limit, offset)
}

// FreeInstance takes a licence away from an instance, whosever it is, and returns
// the licence as it stands afterwards. It returns ErrNotFound and
// ErrNotActivated.
func (s *Service) FreeInstance(ctx context.Context, licenseID, instanceID string) (Listed, error) {
	var freed Listed
	err := s.Store.InTx(ctx, func(tx Store) error {
		l, err := byID(ctx, tx, licenseID)
		if err != nil {
			return err
		}
		if _, err := free(ctx, tx, l, instanceID); err != nil {
			return err
		}
		id, _ := normalInstanceID(instanceID)
		err = tx.Record(ctx, audit.New(ctx, s.Now(), audit.LicenseDeactivate, audit.Target{Type: "license", ID: licenseID}, audit.Details{"instance": id}))
		if err != nil {
			return err
		}
		freed, err = one(ctx, tx, Query{ID: licenseID})
		return err
	})
	return freed, err
}
