package review

import (
	"context"

	"stoa/internal/trust/audit"
)

// Store keeps reviews in the database, and the ratings that products derive from them.
// Package store implements it, and its tests cover every sentence here.
type Store interface {
	// HoldsLicense reports whether a user has a license of a product that is paid for
	// and not revoked. An expired one counts.
	HoldsLicense(ctx context.Context, productID, userID string) (bool, error)

	// Tally returns the sums behind a product's rating. It returns an errs.NotFound
	// error if there is no such product. Inside InTx the product stays locked until
	// the transaction ends, so that changes to its reviews happen one at a time.
	Tally(ctx context.Context, productID string) (Tally, error)

	// SetTally stores Stars and Reviews of a tally, and the rating and count that
	// follow from it. It returns an errs.NotFound error if there is no such product.
	SetTally(ctx context.Context, productID string, t Tally) error

	// ReviewByID returns a review, or an errs.NotFound error if there is none.
	ReviewByID(ctx context.Context, id string) (Review, error)

	// ReviewBy returns a user's review of a product, or an errs.NotFound error if
	// there is none.
	ReviewBy(ctx context.Context, productID, userID string) (Review, error)

	// SaveReview inserts a review, or overwrites the one with its id, except for its
	// product, user and CreatedAt. It returns an errs.Conflict error if the user has
	// another review of the product.
	SaveReview(ctx context.Context, r Review) error

	// DeleteReview deletes a review. It returns an errs.NotFound error if there is
	// none.
	DeleteReview(ctx context.Context, id string) error

	// ListReviews returns the reviews that a query selects, in its order, and how many
	// there are on all pages. A page after the last is empty.
	ListReviews(ctx context.Context, q Query) ([]Review, int, error)

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are
	// undone otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}
