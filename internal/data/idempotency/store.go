package idempotency

import (
	"context"
	"time"
)

// Claim is a request for the right to run an operation.
type Claim struct {
	ID          string    // hash of the operation, the caller and the key
	Fingerprint string    // hash of the request's content
	Seed        string    // to use if this is the first attempt
	Owner       string    // id of this attempt
	Until       time.Time // end of its lease
	Expires     time.Time // when the key may be used for another request
}

// Record is the row of a key.
type Record struct {
	Fingerprint string
	Seed        string
	Owner       string    // the attempt that has the lease, or had it last
	Until       time.Time // end of that attempt's lease
	Sealed      string    // the answer; empty until there is one
	Expires     time.Time
}

// Store keeps the records in the database. Package store implements it, and its tests
// cover every sentence here.
type Store interface {
	// Claim returns the record with c.ID after trying to claim it. If there is none, or it expired
	// at now or before, Claim creates it from c. If it has no answer, the fingerprint of c and a
	// lease that ended at now or before, it gets the owner, the lease and the expiry of c, and
	// keeps its seed. Otherwise it does not change. Of several concurrent claims, one succeeds.
	Claim(ctx context.Context, c Claim, now time.Time) (Record, error)

	// Renew extends the lease. It returns an errs.NotFound error if the record is gone,
	// has an answer or belongs to another owner.
	Renew(ctx context.Context, id, owner string, until time.Time) error

	// Keep stores the answer. It returns an errs.NotFound error if the record is gone
	// or belongs to another owner.
	Keep(ctx context.Context, id, owner, sealed string) error

	// Release ends the lease, so that another attempt may claim the record with the
	// same seed. It does nothing to a record that has an answer or belongs to another
	// owner.
	Release(ctx context.Context, id, owner string) error

	// Forget deletes the record if it never had another owner. Otherwise it does what
	// Release does, because an earlier attempt may still be running with the seed.
	Forget(ctx context.Context, id, owner string) error

	// DeleteExpired deletes at most limit records that expired at now or before, and
	// returns how many it deleted.
	DeleteExpired(ctx context.Context, now time.Time, limit int) (int, error)
}
