package license

import "time"

// ChurnLimit is how many new instances a license may have per day beyond its MaxInstances. 0 means
// no limit. Without it, one seat that is freed and taken in turns would serve any number of
// instances.
//
// The algorithm is GCRA. Its state is a single time in the license's row (License.Churn), changed
// under the lock that counts instances, so it is exact across replicas. A license that was idle for
// long may take MaxInstances plus the limit at once, and from then on the limit per day, evenly
// spread. Activating an instance again costs nothing, nor does a development instance.
type ChurnLimit int

// MaxChurn is the highest limit.
const MaxChurn = 1_000_000

// dayMillis is one day. The database keeps milliseconds, and the product of two limits does not
// overflow in them.
const dayMillis = 24 * 60 * 60 * 1000

// take counts a new instance at now and returns the license's next Churn, or ErrChurn with the time
// to wait.
func (limit ChurnLimit) take(l *License, now time.Time) (time.Time, error) {
	if limit <= 0 {
		return l.Churn, nil
	}
	interval := int64(dayMillis / limit)
	burst := (int64(l.MaxInstances) + int64(limit)) * interval
	at := now.UnixMilli()
	next := at
	if !l.Churn.IsZero() {
		// Capped at "nothing left": the limit or the number of seats may have been higher when the
		// state was stored.
		next = min(max(at, l.Churn.UnixMilli()), at+burst)
	}
	next += interval
	if wait := next - burst - at; wait > 0 {
		return time.Time{}, ErrChurn.After(time.Duration(wait) * time.Millisecond)
	}
	return time.UnixMilli(next).UTC(), nil
}
