package review

import (
	"context"

	"stoa/internal/audit"
)

// Store is the reviews of products in the database, and the sums that their
// products show of them.
type Store interface {
	// HoldsLicense reports whether a user has a licence of a product that is paid
	// for and not revoked. One that expired counts.
	HoldsLicense(ctx context.Context, productID, userID string) (bool, error)

	// Tally returns what a product's rating is made of. It returns an errs.UnknownKey
	// error when there is no such product. Inside InTx the product stays locked
	// until the transaction ends, so that those who change its reviews follow one
	// another.
	Tally(ctx context.Context, productID string) (Tally, error)

	// SetTally stores the Stars and Store of a tally, and the rating and count to
	// show that follow from it. It returns an errs.UnknownKey error when there is no
	// such product.
	SetTally(ctx context.Context, productID string, t Tally) error

	// ReviewByID and ReviewBy return a review. They return an errs.UnknownKey error
	// when there is none.
	ReviewByID(ctx context.Context, id string) (Review, error)
	ReviewBy(ctx context.Context, productID, userID string) (Review, error)

	// SaveReview inserts a review, or overwrites that with its id but for product,
	// user and CreatedAt. It returns an errs.Conflict error when the user has
	// another review of the product.
	SaveReview(ctx context.Context, r Review) error

	// DeleteReview removes a review. It returns an errs.UnknownKey error when there
	// is none.
	DeleteReview(ctx context.Context, id string) error

	// ListReviews returns the reviews that a query wants, the newest first, and how
	// many there are on all pages. A page beyond the last is empty.
	ListReviews(ctx context.Context, q Query) ([]Review, int, error)

	// Record and InTx are as in Store.
	Record(ctx context.Context, e audit.Entry) error
	InTx(ctx context.Context, fn func(Store) error) error
}
