package market

import (
	"context"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
)

// Issues returns what is wrong with the query.
func (q LicenseQuery) Issues() []errs.Issue {
	var is errs.Issues
	if q.ProductSlug != "" && !ValidSlug(q.ProductSlug) {
		is.Add("product", "invalid", "product must be the slug of a product.")
	}
	if q.UserID != "" && !cuid2.Plausible(q.UserID) {
		is.Add("user", "invalid", "user must be the id of a user, or anonymous.")
	}
	switch q.Status {
	case "", LicenseActive, LicenseExpired, LicenseRevoked:
	default:
		is.Add("status", "unknown_value", "status must be active, expired or revoked.")
	}
	return is.List()
}

// FindLicenses returns one page of the licences that a query wants, as they are
// now, the newest first, and how many there are on all pages. It returns
// VALIDATION_ERROR for a query that LicenseQuery.Issues finds fault with.
func (s *LicenseService) FindLicenses(ctx context.Context, q LicenseQuery) ([]ListedLicense, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	q.At = s.Now()
	return s.Store.ListLicenses(ctx, q)
}

// LicenseByID returns the licence with that id, whosever it is, or
// ErrLicenseNotFound.
func (s *LicenseService) LicenseByID(ctx context.Context, id string) (ListedLicense, error) {
	if !cuid2.Plausible(id) {
		return ListedLicense{}, ErrLicenseNotFound
	}
	return oneLicense(ctx, s.Store, LicenseQuery{ID: id})
}

// LookUpLicense returns the licence with that key, as its holder wrote it, of
// whatever product, or ErrLicenseNotFound.
func (s *LicenseService) LookUpLicense(ctx context.Context, key string) (ListedLicense, error) {
	k, err := ParseLicenseKey(key)
	if err != nil {
		return ListedLicense{}, ErrLicenseNotFound
	}
	return oneLicense(ctx, s.Store, LicenseQuery{KeyHash: s.Keys.Hash(k)})
}

// Activations returns one page of the instances of a licence, whosever it is,
// the longest activated first, and how many there are on all pages. It returns
// ErrLicenseNotFound.
func (s *LicenseService) Activations(ctx context.Context, licenseID string, p Slice) ([]Activation, int, error) {
	if _, err := licenseByID(ctx, s.Store, licenseID); err != nil {
		return nil, 0, err
	}
	return s.Store.ListInstances(ctx, licenseID, p)
}

// FreeInstance takes a licence away from an instance, whosever it is, and returns
// the licence as it stands afterwards. It returns ErrLicenseNotFound and
// ErrNotActivated.
func (s *LicenseService) FreeInstance(ctx context.Context, licenseID, instanceID string) (ListedLicense, error) {
	var freed ListedLicense
	err := s.Store.InTx(ctx, func(tx Licenses) error {
		l, err := licenseByID(ctx, tx, licenseID)
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
		freed, err = oneLicense(ctx, tx, LicenseQuery{ID: licenseID})
		return err
	})
	return freed, err
}
