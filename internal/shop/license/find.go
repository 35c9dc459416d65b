package license

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/paging"
	"stoa/internal/base/text"
	"stoa/internal/shop/product"
)

// Listed is a license with the slug and the name of its product.
type Listed struct {
	License     License
	ProductSlug string
	ProductName string
	// TierName is what the tier is called now; its id if the product has no such tier any more.
	TierName string
	// UserEmail is the address of the owner's account. Empty for caller.Anonymous.
	UserEmail string
	// BilledEmail is the address on the bill of the order. Empty if there is none.
	BilledEmail string
	// OrderID is the order that bought the license if it was a trial, else the one that issued it: the one of which its
	// owner manages the payment. Empty if an administrator granted it.
	OrderID string
}

// Query says which licenses are wanted. Empty fields match all.
type Query struct {
	ID          string
	KeyHash     string
	ProductSlug string
	UserID      string
	// Search is part of an e-mail address, of an id or of a product's slug, ignoring case, or the last
	// group of a license key.
	Search string
	// Masked says that the reader sees no addresses: none is searched for, nor the end of a key.
	Masked bool
	// NoFormer says that what those who left wrote on their bills is not searched for.
	NoFormer bool
	// Status is the wanted status at the time At.
	Status Status
	At     time.Time
	// Sort is one of Sorts; empty means the newest first.
	Sort string

	Limit, Offset int
	// After is an entry that those wanted follow, the newest first: then Sort and Offset do not count, nor is counted
	// how many there are.
	After paging.Mark
}

// Sorts are the orders of lists of licenses; "-" stands for descending. A license without an end
// counts as ending after all others.
var Sorts = []string{"created", "-created", "expires", "-expires", "product", "-product"}

// Issues returns what is wrong with the query.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	switch {
	case !text.Printable(q.ProductSlug, text.Short):
		is.Add("product", errs.CodeOutOfRange, "product must be at most %d printable characters.", text.Short)
	case q.ProductSlug != "" && !product.ValidSlug(q.ProductSlug):
		is.Add("product", errs.CodeInvalid, "product must be the slug of a product.")
	}
	switch {
	case !text.Printable(q.UserID, text.Short):
		is.Add("user", errs.CodeOutOfRange, "user must be at most %d printable characters.", text.Short)
	case q.UserID != "" && !ids.Plausible(q.UserID):
		is.Add("user", errs.CodeInvalid, "user must be the id of a user, or anonymous.")
	}
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	switch q.Status {
	case "", StatusActive, StatusExpired, StatusRevoked:
	default:
		is.Add("status", errs.CodeUnknownValue, "status must be active, expired or revoked.")
	}
	is.OneOf("sort", q.Sort, Sorts...)
	return is
}

// Find returns one page of the licenses that match a query now, in its order, and how many there are
// on all pages. It returns VALIDATION_ERROR for what Query.Issues finds.
func (s *Service) Find(ctx context.Context, q Query) ([]Listed, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	q.At = s.Now()
	return s.Store.ListLicenses(ctx, q)
}

// Get returns the license with that id, of any user, or ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Listed, error) {
	if !ids.Plausible(id) {
		return Listed{}, ErrNotFound
	}
	return one(ctx, s.Store, Query{ID: id})
}

// GetByKey returns the license with that key, as its holder wrote it, of any product, or ErrNotFound.
func (s *Service) GetByKey(ctx context.Context, key string) (Listed, error) {
	k, err := ParseKey(key)
	if err != nil {
		return Listed{}, ErrNotFound
	}
	return FindByHash(s.Vault, k, func(hash string) (Listed, error) {
		return one(ctx, s.Store, Query{KeyHash: hash})
	})
}

// ListActivations returns one page of the activations of a license of any user, oldest first, and how
// many there are on all pages. It returns ErrNotFound.
func (s *Service) ListActivations(ctx context.Context, licenseID string, limit, offset int) ([]Activation, int, error) {
	if _, err := byID(ctx, s.Store, licenseID); err != nil {
		return nil, 0, err
	}
	return s.Store.ListActivations(ctx, licenseID, limit, offset)
}

// one returns the license that matches a query, or ErrNotFound.
func one(ctx context.Context, st Store, q Query) (Listed, error) {
	q.Limit = 1
	list, _, err := st.ListLicenses(ctx, q)
	if err != nil {
		return Listed{}, err
	}
	if len(list) == 0 {
		return Listed{}, ErrNotFound
	}
	return list[0], nil
}

// byID returns the license with that id, or ErrNotFound.
func byID(ctx context.Context, st Store, id string) (License, error) {
	if !ids.Plausible(id) {
		return License{}, ErrNotFound
	}
	l, err := st.LicenseByID(ctx, id)
	if errs.KindOf(err) == errs.NotFound {
		return License{}, ErrNotFound
	}
	return l, err
}
