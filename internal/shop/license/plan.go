package license

import "time"

// Terms are what a license gets of a tier when it is bought, and when its plan changes.
type Terms struct {
	TierID       string   `json:"tierId"`
	Features     []string `json:"features"`
	MaxInstances int      `json:"maxInstances"`
	Months       int      `json:"months,omitempty"` // the billing period; zero if it is paid once
}

// Next is the plan that begins with the next period, and the order that chose it. Its zero value is none: the plan stays.
type Next struct {
	OrderID string `json:"orderId"`
	Terms
}

// None reports whether no change is planned.
func (n Next) None() bool { return n.OrderID == "" }

// Before is what a license had before a change.
type Before struct {
	Terms

	Anchor  time.Time `json:"anchor,omitzero"`
	Periods int       `json:"periods,omitempty"`
}

// Before returns what is kept of the license before a change, to be taken back with Restore.
func (l *License) Before() Before {
	return Before{Terms{l.TierID, l.Features, l.MaxInstances, l.Months}, l.Anchor, l.Periods}
}

// LosePeriod takes one period off the term. Anchor is that of the term to which the period was added: one that has
// begun anew since, or was set by hand, stays as it is.
func (b *Before) LosePeriod(anchor time.Time) bool {
	if !b.Anchor.Equal(anchor) || b.Periods == 0 {
		return false
	}
	b.Periods--
	return true
}

// LosePeriod is Before.LosePeriod for the license as it is.
func (l *License) LosePeriod(anchor time.Time) bool {
	b := l.Before()
	lost := b.LosePeriod(anchor)
	if lost {
		l.Periods, l.ExpiresAt = b.Periods, l.endOf(b.Periods)
	}
	return lost
}

// ChangePlan gives the license other terms at once. With another billing period a new term begins.
func (l *License) ChangePlan(t Terms, at time.Time) {
	l.adopt(t)
	if t.Months != l.Months {
		l.Begin(t.Months, at)
	}
}

// adopt takes all of a plan but its billing period.
func (l *License) adopt(t Terms) {
	l.TierID, l.Features, l.MaxInstances = t.TierID, t.Features, t.MaxInstances
}

// Restore takes a change back. What was paid for periods since stays: if the change began the present term, which
// anchor tells, they follow the one before.
func (l *License) Restore(b Before, anchor time.Time) {
	l.adopt(b.Terms)
	if b.Months == l.Months || b.Months == 0 || !l.Anchor.Equal(anchor) {
		return
	}
	since := (l.Periods - 1) * l.Months
	l.Months, l.Anchor, l.Periods = b.Months, b.Anchor, b.Periods+since/b.Months
	l.ExpiresAt = l.endOf(l.Periods)
}

// Follow makes the periods that are added from now on of another length. The term goes on to its end.
func (l *License) Follow(months int) {
	if months != l.Months {
		l.Months, l.Anchor, l.Periods = months, l.ExpiresAt, 0
	}
}

// TierUntil returns the tier of the period that ends at the time named by a provider: that of Next unless the term
// includes it already.
func (l *License) TierUntil(end time.Time) string {
	if period := l.periodUntil(end); l.Next.None() || period > 0 && period <= l.Periods {
		return l.TierID
	}
	return l.Next.TierID
}

// beginNext begins the plan of the next period, if there is one.
func (l *License) beginNext() {
	if l.Next.None() {
		return
	}
	l.adopt(l.Next.Terms)
	l.Follow(l.Next.Months)
	l.Next = Next{}
}
