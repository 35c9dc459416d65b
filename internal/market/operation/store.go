package operation

import (
	"context"
	"time"

	"stoa/internal/trust/audit"
)

// Stored is an Operation as the database keeps it.
type Stored struct {
	Operation // without its Secrets

	Sealed string // the Secrets; empty if there are none
}

// Store keeps operations. Package store implements it, and its tests cover every sentence here.
type Store interface {
	// Create adds an operation. With a lease nobody else carries it on before it is due. The error is ErrBuying for a
	// second purchase (Buying), and has the kind NotFound if the market was removed meanwhile.
	Create(ctx context.Context, o Stored, lease string) error

	// Buying returns the id of the purchase of a product that is not over; ok is false if there is none.
	Buying(ctx context.Context, market, product string) (id string, ok bool, err error)

	// Bought returns the failed operation that has the key of a product's license: the newest purchase, or else the
	// newest trial. ok is false if none has one.
	Bought(ctx context.Context, market, product string) (o Stored, ok bool, err error)

	// Get returns an operation; the error has the kind NotFound if there is none.
	Get(ctx context.Context, id string) (Stored, error)

	// List returns operations, the newest first, and how many there are.
	List(ctx context.Context, limit, offset int) ([]Stored, int, error)

	// Lease returns an operation that is due at now, the longest waiting first, and leases it: nobody else gets it
	// before until. ok is false if none is due. What is due more than five minutes from now is due: a clock was ahead.
	// Those of a market of which two are leased by now are left out.
	Lease(ctx context.Context, lease string, now, until time.Time) (o Stored, ok bool, err error)

	// Take is Lease for one operation, due or not. ok is false if it is over, or in other hands.
	Take(ctx context.Context, id, lease string, now, until time.Time) (o Stored, ok bool, err error)

	// Renew makes a lease last until a time. ok is false if the operation has another lease by now, or is over.
	Renew(ctx context.Context, id, lease string, until time.Time) (ok bool, err error)

	// Keep stores what changed of a leased operation, and appends entries to the audit log in the same transaction.
	// Unless the lease goes on, it ends. The error has the kind NotFound if the operation has another lease by now.
	Keep(ctx context.Context, o Stored, lease string, goesOn bool, entries ...audit.Entry) error

	// Next returns when the next operation is due, leased ones included; ok is false if all are over.
	Next(ctx context.Context) (at time.Time, ok bool, err error)

	// Sweep deletes the operations that were over before a time.
	Sweep(ctx context.Context, until time.Time) error
}
