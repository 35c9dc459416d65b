package delivery

import (
	"context"
	"time"

	"stoa/internal/base/event"
)

// Store is the deliveries in the database. The Stores of the domains add to it in their
// transactions: package plugin its hooks (AddDeliveries), all of them events (Publish).
type Store interface {
	Claims
	Log

	// Spread hands at most limit events that nobody was told of yet to fn, in the order in
	// which they were written, and adds the deliveries that fn returns, in one
	// transaction. It returns the number of events. One process at a time does this.
	Spread(ctx context.Context, limit int, fn func([]event.Event) ([]Delivery, error)) (int, error)

	// GiveUp makes deliveries dead at now that have waited since before until and are not
	// being tried: others of their queue come first and do not arrive. It returns how many,
	// at most limit.
	GiveUp(ctx context.Context, until, now time.Time, limit int) (int, error)

	// Sweep deletes events and finished deliveries from before until, with their
	// attempts. It returns how many rows are gone, at most limit of each.
	Sweep(ctx context.Context, until time.Time, limit int) (int, error)
}

// Claims is the part of Store about sending.
type Claims interface {
	// Claim leases at most limit queues of a lane that have something due at now, the
	// longest waiting first, and returns their names. Nobody else gets them until the
	// lease of that name is released or hold has passed, by the clock of the database:
	// whoever claims may have another.
	Claim(ctx context.Context, lane Lane, lease string, now time.Time, hold time.Duration, limit int) ([]string, error)

	// Next returns at most limit deliveries of a queue that may be sent at now: those at
	// its head in the lane Plugins, up to the first that is not due, and the due ones,
	// longest waiting first, in the lane Webhooks.
	Next(ctx context.Context, lane Lane, queue string, now time.Time, limit int) ([]Delivery, error)

	// Settle records attempts, and the deliveries as they left them, and extends the lease
	// of their queue: it ends when hold has passed from now on. It reports false, and
	// changes nothing, if the lease is no longer that one.
	Settle(ctx context.Context, queue, lease string, settled []Settled, hold time.Duration) (bool, error)

	// Release ends a lease. The queue can be claimed again when its next delivery is due,
	// and at rest at the earliest. It does nothing if the lease is no longer that one.
	Release(ctx context.Context, queue, lease string, rest time.Time) error

	// NextDue returns when a queue of the lane that has no lease is due next, the zero time
	// for never.
	NextDue(ctx context.Context, lane Lane) (time.Time, error)
}

// Settled is a delivery after an attempt.
type Settled struct {
	Delivery
	Attempt Attempt // Number 0 if nothing was sent
}

// Query asks for deliveries. Fields that are empty ask for nothing.
type Query struct {
	Lane          Lane // required
	Owner, Target string
	State         State
	From, To      time.Time // when it was recorded: From is inclusive, To is not
	Limit, Offset int
}

// Listed is a delivery with its attempts, first to last.
type Listed struct {
	Delivery
	History []Attempt
}

// Log is the part of Store about what was sent and what was not.
type Log interface {
	// List returns one page of the deliveries that match a query, newest first, and how
	// many there are on all pages.
	List(ctx context.Context, q Query) ([]Listed, int, error)

	// Find returns a delivery of a lane, or an errs.NotFound error.
	Find(ctx context.Context, lane Lane, id string) (Listed, error)

	// Replay makes a delivery due at now, as if it had never been tried, except that its
	// attempts count on. The error is an errs.NotFound if there is none.
	Replay(ctx context.Context, lane Lane, id string, now time.Time) error

	// ReplayDead is Replay for all dead deliveries to plugins, or only those of an owner if
	// it is not empty, that were recorded at or after since. They keep their order, and what
	// waits after them is not held up by its failed attempts. It returns their number.
	ReplayDead(ctx context.Context, owner string, since, now time.Time) (int, error)
}
