package license

import "time"

// ChurnLimit is how many new instances a licence may have in a day beyond its
// MaxInstances; 0 is no limit. It makes a seat a seat: freed and taken in turns it
// would do for any number of instances.
//
// It is GCRA, whose state is one moment in the licence's row (License.Churn),
// under the lock that counts instances: exact on every replica. A licence that was
// not used for long may have MaxInstances and the limit at once, and the limit per
// day from then on, evenly. Instances that are activated again cost nothing, nor
// do development instances.
type ChurnLimit int

// MaxChurn is the highest limit.
const MaxChurn = 1_000_000

// dayMillis is a day. The arithmetic is in milliseconds, which the database keeps
// and which no product of two limits overflows.
const dayMillis = 24 * 60 * 60 * 1000

// take counts a new instance at now and returns the licence's next Churn, or
// ErrChurn with the time to wait.
func (limit ChurnLimit) take(l *License, now time.Time) (time.Time, error) {
	if limit <= 0 {
		return l.Churn, nil
	}
	interval := int64(dayMillis / limit)
	whole := (int64(l.MaxInstances) + int64(limit)) * interval
	at := now.UnixMilli()
	next := at
	if !l.Churn.IsZero() {
		// No later than when nothing is left: the limit, or the number of seats, may
		// have been higher when it was stored.
		next = min(max(at, l.Churn.UnixMilli()), at+whole)
	}
	next += interval
	if wait := next - whole - at; wait > 0 {
		return time.Time{}, ErrChurn.After(time.Duration(wait) * time.Millisecond)
	}
	return time.UnixMilli(next).UTC(), nil
}
