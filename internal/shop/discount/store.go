package discount

import (
	"context"
	"time"

	"stoa/internal/trust/audit"
)

// Store is the discounts in the database. The tests of package store cover every sentence here.
type Store interface {
	// DiscountByCode returns the discount with that code, or an errs.NotFound error.
	DiscountByCode(ctx context.Context, code string) (Discount, error)

	// DiscountByID returns a discount, or an errs.NotFound error. Inside InTx it stays locked until the
	// transaction ends.
	DiscountByID(ctx context.Context, id string) (Discount, error)

	// FindDiscounts returns one page of the discounts whose code contains a text, the newest first, and how
	// many there are on all pages.
	FindDiscounts(ctx context.Context, q Query) ([]Discount, int, error)

	// CreateDiscount inserts a discount. It returns an errs.Conflict error when its code is taken.
	CreateDiscount(ctx context.Context, d Discount) error

	// UpdateDiscount overwrites a discount except for Uses, Used and CreatedAt. It returns an errs.NotFound
	// error when there is no such discount, and an errs.Conflict error when its code is taken.
	UpdateDiscount(ctx context.Context, d Discount) error

	// DeleteDiscount deletes a discount. It returns an errs.NotFound error when there is none.
	DeleteDiscount(ctx context.Context, id string) error

	// TierIDs returns the ids of the tiers of the products with these slugs, published or not, by slug; of
	// all products if all is set.
	TierIDs(ctx context.Context, slugs []string, all bool) (map[string][]string, error)

	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are undone otherwise. fn may
	// run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Uses are the uses of discounts, as part of the transactions that make and cancel orders.
type Uses interface {
	// AddUse records that an order uses a discount, and that these keys belong to its customer, if the discount
	// holds once for each. It reports false if one of them belongs to another order with that discount. Then
	// undo the transaction. TakeUse counts the use.
	AddUse(ctx context.Context, discountID, orderID string, keys []string, at time.Time) (bool, error)

	// TakeUse counts a use of a discount, which AddUse has recorded. It reports false if that has not the given
	// version any more, or is used up. Then undo the transaction. However many transactions call it at once, a
	// discount is never used more often than it may be. Others of the discount wait until the transaction ends:
	// call it last.
	TakeUse(ctx context.Context, discountID string, version int64) (bool, error)

	// GiveBackUse undoes AddUse and TakeUse for an order. Again, and for an order without a use, it does
	// nothing.
	GiveBackUse(ctx context.Context, orderID string) error

	// Reduces reports whether a discount is for a tier, by its id: whether it names that, or none. It locks nothing, and
	// returns an errs.NotFound error.
	Reduces(ctx context.Context, discountID, tierID string) (bool, error)
}

// Query says which discounts are wanted.
type Query struct {
	Search        string // part of the code, ignoring case; empty means all
	Limit, Offset int
}
