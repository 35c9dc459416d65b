package entitlement

import (
	"time"

	"stoa/internal/extension"
)

// State is the state of a license.
type State string

// The states.
const (
	Trial  State = "trial"  // it holds, and was given to try the product
	Valid  State = "valid"  // it holds
	Grace  State = "grace"  // the lease is over, and no new one came: the package runs until GraceUntil
	Lapsed State = "lapsed" // the package is stopped
)

// Reason says why a license has lapsed.
type Reason string

// The reasons.
const (
	Expired      Reason = "expired"       // the license has ended, and can be renewed
	Revoked      Reason = "revoked"       // for good, or the market does not know the key
	Unpaid       Reason = "unpaid"        // until the payment arrives
	TrialEnded   Reason = "trial_ended"   // until it is bought
	NotActivated Reason = "not_activated" // this stoa has no seat
	Unreachable  Reason = "unreachable"   // no lease came until the end of the grace
	NotCovered   Reason = "not_covered"   // the license covers earlier versions of the package
)

// Subject is what a license is for.
type Subject struct {
	Kind    extension.Kind
	Slug    string // the package's
	Market  string
	Product string // the product's slug, in the market
}

// License is the license of a package.
type License struct {
	Subject

	ID       string
	Sealed   string // the key, bound to the ID. Never shown
	KeyTail  string // the end of the key, by which people know it
	Instance string // as which the market knows this stoa

	// Lease is what the license client keeps. It is no secret, and only the client reads it.
	Lease string
	// What the last lease says.
	Tier     string
	Features []string
	IsTrial  bool
	TermEnds time.Time // the end of the license itself; zero if it has none

	LeasedAt   time.Time
	LeaseUntil time.Time
	GraceUntil time.Time

	// State and Reason are what stoa acted upon last. At says what is now.
	State  State
	Reason Reason // of Lapsed

	CheckedAt time.Time // when the market last answered with its signature; zero if it did not since activation
	// LastSeen is the latest time known to have passed: a clock that is set back gains nothing.
	LastSeen time.Time
	Due      time.Time // of the next check

	Mailed    Mailed // what administrators were told of the present grace or lapse
	Installed bool   // the package was seen installed since the license was taken
	Seated    bool   // the market holds a seat for this stoa, as far as is known

	// Revision rises with every change: of two checks at the same time, the first one counts.
	Revision int64

	// Live says that the package is installed, Known that it is, or can be restored. The Store tells; they are not kept.
	Live, Known bool
}

// Mailed is what administrators were told of a license that is in grace or has lapsed.
type Mailed string

// What they may have been told.
const (
	NotMailed   Mailed = ""
	BeganMailed Mailed = "began"
	EndsMailed  Mailed = "ends"   // that it ends within a day
	LapseMailed Mailed = "lapsed" // that the license has lapsed
)

// At returns the state of l at a time, and why it is lapsed. What has lapsed stays so until a new lease
// comes.
func (l License) At(now time.Time) (State, Reason) {
	if l.State == Lapsed {
		return Lapsed, l.Reason
	}
	switch at := later(now, l.LastSeen); {
	case at.Before(l.LeaseUntil) && l.IsTrial:
		return Trial, ""
	case at.Before(l.LeaseUntil):
		return Valid, ""
	case at.Before(l.GraceUntil):
		return Grace, ""
	}
	return Lapsed, l.whyOver()
}

// whyOver returns why l has lapsed when its last lease is over. A lease never outlives the license, so
// one that ends with it has not ended because the market is away.
func (l License) whyOver() Reason {
	switch {
	case l.TermEnds.IsZero() || l.GraceUntil.Before(l.TermEnds):
		return Unreachable
	case l.IsTrial:
		return TrialEnded
	}
	return Expired
}

// How often a license is checked.
const (
	checkEvery  = 6 * time.Hour
	checkSpread = checkEvery / 10
	urgentEvery = time.Hour
	urgentFrom  = 72 * time.Hour // before the end of a lease
	justBefore  = time.Minute    // before a state gets worse
)

// nextCheck returns when l is due again that was checked at now. early is how much of checkSpread this
// check comes early, so that the stoas of a market do not come together.
func (l License) nextCheck(now time.Time, early time.Duration) time.Time {
	at := now.Add(checkEvery - early)
	if l.State == Lapsed && l.Reason != Unreachable {
		return at // the market has said what there is to say
	}
	urgent := l.LeaseUntil.Add(-urgentFrom)
	if !later(now, l.LastSeen).Before(urgent) {
		at = earlier(at, now.Add(urgentEvery))
	}
	for _, moment := range []time.Time{
		urgent, l.LeasedAt.Add(l.LeaseUntil.Sub(l.LeasedAt) * 2 / 3),
		l.LeaseUntil.Add(-justBefore), l.GraceUntil.Add(-justBefore),
	} {
		if moment.After(now) {
			at = earlier(at, moment)
		}
	}
	return at
}

// isAhead reports whether a time is still to come. One that is further ahead than anybody sets it, which is most, was
// written while a clock was: it does not count.
func isAhead(at, now time.Time, most time.Duration) bool {
	return at.After(now) && at.Sub(now) <= most
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
