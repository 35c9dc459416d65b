package account

import (
	"context"
	"time"
)

// Ways selects ways into an account to remove.
type Ways struct {
	// Factors says that passkeys, one-time codes and recovery codes are among them.
	Factors bool
	// Since leaves those that are older.
	Since time.Time
}

// Proofs is the part of Store about mailboxes, and what lets somebody in besides a password.
type Proofs interface {
	// SetEmail gives a user an address, which is proven since a time, or not if that is zero.
	// The error is an errs.Conflict if another user has its Key, and an errs.NotFound for an
	// unknown user.
	SetEmail(ctx context.Context, id, email string, proven time.Time) error

	// SetProven notes since when the user's address is proven. The error is an errs.NotFound for
	// an unknown user.
	SetProven(ctx context.Context, id string, at time.Time) error

	// CancelDeletion calls a planned deletion of a user off. Having none is not an error.
	CancelDeletion(ctx context.Context, id string) error

	// RemoveWays removes the user's identities, API keys and factors that w selects, and whatever
	// was begun with any of them. All devices are forgotten. Having none is not an error.
	RemoveWays(ctx context.Context, userID string, w Ways) error
}
