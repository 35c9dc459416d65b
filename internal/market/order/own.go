package order

import (
	"context"
	"time"

	"stoa/internal/caller"
)

// ClaimStore is the orders in the database, as for those who placed them. Package
// store implements it.
type ClaimStore interface {
	// HasUnclaimed reports whether there are orders of caller.Anonymous whose bill
	// has an e-mail address with that key (EmailKey).
	HasUnclaimed(ctx context.Context, emailKey string) (bool, error)

	// Claim gives those orders and their licences to a user and returns how
	// many orders they were.
	ClaimOrders(ctx context.Context, emailKey, userID string) (int, error)

	// CreateClaim inserts a claim. It returns an errs.Conflict error when its hash
	// is taken.
	CreateClaim(ctx context.Context, c Claim) error

	// TakeClaim deletes the claim with that hash, if it is the user's and was made
	// after since, and returns it; the user's other claims of the same address are
	// deleted with it. It returns an errs.UnknownKey error when there is none. Of
	// several calls at once, one succeeds.
	TakeClaim(ctx context.Context, hash, userID string, since time.Time) (Claim, error)

	// DeleteClaims deletes all claims made at or before until.
	DeleteClaims(ctx context.Context, until time.Time) error

	// Allow counts a mail against the allowance of that name, as Allowance says. It
	// returns the zero time if the mail may go, and else when the next may.
	// However many ask at once, no more than the allowance pass.
	Allow(ctx context.Context, name string, a Allowance, now time.Time) (time.Time, error)

	// InTx is as in Store.
	InTx(ctx context.Context, fn func(ClaimStore) error) error
}

// Allowance is how many mails somebody gets: AtOnce at once, and then one Every
// so often.
type Allowance struct {
	AtOnce int
	Every  time.Duration
}

// Listed is an order as its owner sees it.
type Listed struct {
	Order

	ProductSlug, ProductName string // today's
}

// ListOwn returns a part of the orders of the user in ctx, the newest first,
// and how many there are. ClaimStore of caller.Anonymous are nobody's.
func (s *Service) ListOwn(ctx context.Context, limit, offset int) ([]Listed, int, error) {
	user := caller.From(ctx).UserID
	if user == "" {
		return nil, 0, nil
	}
	return s.Store.FindOrders(ctx, Query{UserID: user, Limit: limit, Offset: offset})
}
