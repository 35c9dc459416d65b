package idempotency

import (
	"context"
	"time"
)

// Claim is an attempt to carry an operation out.
type Claim struct {
	ID          string    // of the operation, the caller and the key
	Fingerprint string    // of the request's content
	Seed        string    // for an operation that nobody attempted before
	Owner       string    // names this attempt
	Until       time.Time // end of its lease
	Expires     time.Time // when the key may be used anew
}

// Record is what the database knows about a key.
type Record struct {
	Fingerprint string
	Seed        string
	Owner       string    // the attempt that has it, or had it last
	Until       time.Time // end of that attempt's lease
	Sealed      string    // the answer; empty until there is one
	Expires     time.Time
}

// Store is where keys live. Package store implements it for SQLite and
// PostgreSQL; storetest holds every sentence here to it.
type Store interface {
	// Claim returns the record of c.ID. If there was none, or it had expired at
	// now or before, it is a new one made from c. If it had no answer, c's
	// fingerprint and a lease that ended at now or before, it is c's from now on:
	// its owner, its end of lease and its expiry, while the seed stays what it
	// was. Otherwise it is left as it is. Of several that claim a record at once
	// one becomes its owner.
	Claim(ctx context.Context, c Claim, now time.Time) (Record, error)

	// Renew moves the end of the lease. It returns an errs.NotFound error if the
	// record is gone, has an answer or is not owner's.
	Renew(ctx context.Context, id, owner string, until time.Time) error

	// Keep stores the answer. It returns an errs.NotFound error if the record is
	// gone or is not owner's.
	Keep(ctx context.Context, id, owner, sealed string) error

	// Release ends the lease, so that another attempt may claim the record, with
	// the same seed. It does nothing to a record that has an answer or is not
	// owner's.
	Release(ctx context.Context, id, owner string) error

	// Forget deletes the record if owner is the only one it ever had, and is
	// Release otherwise: an attempt before, that may still be running, is bound to
	// the seed.
	Forget(ctx context.Context, id, owner string) error

	// DeleteExpired deletes records that expired at now or before, limit of them
	// at most, and returns how many it deleted.
	DeleteExpired(ctx context.Context, now time.Time, limit int) (int, error)
}
