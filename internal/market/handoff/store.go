package handoff

import (
	"context"
	"time"
)

// Store is the handoffs in the database. Package store implements it, and order.Handoffs on the same rows.
type Store interface {
	// Create inserts a handoff without an order.
	Create(ctx context.Context, h Handoff) error

	// ByID returns a handoff with its last order, or an errs.NotFound error. ProductSlug is empty if the product was
	// deleted.
	ByID(ctx context.Context, id string) (Handoff, error)

	// Claim records when the key of a handoff was given, the first time only.
	Claim(ctx context.Context, id string, at time.Time) error

	// Sweep deletes all handoffs created at or before until.
	Sweep(ctx context.Context, until time.Time) error
}
