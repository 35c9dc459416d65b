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

	// FanOut passes at most limit new events to fn, in the order in which they were written, and
	// adds the deliveries that fn returns, in one transaction. It returns the number of events. One
	// process at a time does this.
	FanOut(ctx context.Context, limit int, fn func([]event.Event) ([]Delivery, error)) (int, error)

	// GiveUp makes deliveries dead at now that have waited since before until without being tried,
	// because others before them in their queue fail. It returns how many, at most limit.
	GiveUp(ctx context.Context, until, now time.Time, limit int) (int, error)

	// Sweep deletes events and finished deliveries from before until, with their attempts. It
	// returns how many rows it deleted, at most limit of each.
	Sweep(ctx context.Context, until time.Time, limit int) (int, error)
}

// Claims is the part of Store about sending.
type Claims interface {
	// Claim leases at most limit queues of a lane that have deliveries due at now, the longest
	// waiting first, and returns their names. No other worker gets them until the lease of that
	// name is released or hold has passed by the clock of the database; the clocks of processes may
	// differ.
	Claim(ctx context.Context, lane Lane, lease string, now time.Time, hold time.Duration, limit int) ([]string, error)

	// Next returns at most limit deliveries of a queue that may be sent at now: those at
	// its head in the lane Plugins, up to the first that is not due, and the due ones,
	// longest waiting first, in the lane Webhooks.
	Next(ctx context.Context, lane Lane, queue string, now time.Time, limit int) ([]Delivery, error)

	// Settle records attempts and the new states of deliveries, and extends the lease of their
	// queue by hold from now. It returns false, and changes nothing, if the queue has another lease
	// by now.
	Settle(ctx context.Context, queue, lease string, settled []Settled, hold time.Duration) (bool, error)

	// Release ends a lease. The queue can be claimed again when its next delivery is due, and at
	// rest at the earliest. It does nothing if the queue has another lease by now.
	Release(ctx context.Context, queue, lease string, rest time.Time) error

	// NextDue returns when the next delivery is due in a queue of the lane without a lease; the
	// zero time for never.
	NextDue(ctx context.Context, lane Lane) (time.Time, error)
}

// Settled is a delivery after an attempt.
type Settled struct {
	Delivery
	Attempt Attempt // Number 0 if nothing was sent
}

// Query selects deliveries. Empty fields match every delivery.
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

// Log is the part of Store about past and waiting deliveries.
type Log interface {
	// List returns one page of the deliveries that match a query, newest first, and how
	// many there are on all pages.
	List(ctx context.Context, q Query) ([]Listed, int, error)

	// Find returns a delivery of a lane, or an errs.NotFound error.
	Find(ctx context.Context, lane Lane, id string) (Listed, error)

	// Replay makes a delivery due at now, as if it had never been tried, except that its attempts
	// keep counting. The error is an errs.NotFound if there is none.
	Replay(ctx context.Context, lane Lane, id string, now time.Time) error

	// ReplayDead is Replay for all dead deliveries to plugins, or only those of an owner if it is
	// not empty, that were recorded at or after since. They keep their order, and their failed
	// attempts do not delay the deliveries after them. It returns their number.
	ReplayDead(ctx context.Context, owner string, since, now time.Time) (int, error)
}
