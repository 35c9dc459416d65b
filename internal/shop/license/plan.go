package license

import "time"

// Terms are what a license gets of a tier when it is bought, and when its plan changes.
type Terms struct {
	TierID       string   `json:"tierId"`
	Features     []string `json:"features"`
	MaxInstances int      `json:"maxInstances"`
	Months       int      `json:"months,omitempty"` // the billing period; zero if it is paid once
}

// Next is the plan that begins with the next period, and the order that chose it. Zero is none: the plan stays.
type Next struct {
	OrderID string `json:"orderId"`
	Terms

	// Since is when the plan was chosen: a period that was billed before has the price of the plan before. Zero if a
	// release that did not know it wrote the license.
	Since time.Time `json:"since,omitzero"`
}

// None reports whether no change is planned.
func (n Next) None() bool { return n.OrderID == "" }

// beginsWith reports whether the plan begins with a period that a provider billed at a time; zero: none did, or it is
// not known when.
func (n Next) beginsWith(billed time.Time) bool {
	// Providers count by the second.
	return !n.None() && (billed.IsZero() || !billed.Before(n.Since.Truncate(time.Second)))
}

// Before is what a license had before a change.
type Before struct {
	Terms

	Anchor  time.Time `json:"anchor,omitzero"`
	Periods int       `json:"periods,omitempty"`
	// Rest is by how many months the term is longer than its periods.
	Rest int `json:"rest,omitempty"`
}

// Before returns what is kept of the license before a change, to be taken back with Restore.
func (l *License) Before() Before {
	return Before{Terms{l.TierID, l.Features, l.MaxInstances, l.Months}, l.Anchor, l.Periods, l.rest()}
}

// length returns how many months the term had.
func (b *Before) length() int { return b.Rest + b.Periods*b.Months }

// setLength makes the term that many months long.
func (b *Before) setLength(months int) {
	if b.Months > 0 {
		b.Periods, b.Rest = months/b.Months, months%b.Months
	}
}

// Lose takes so many months off the term. Anchor is that of the term to which they were added: one that has begun anew
// since, or was set by hand, stays as it is.
func (b *Before) Lose(anchor time.Time, months int) bool {
	if !b.Anchor.Equal(anchor) || b.length() < months {
		return false
	}
	b.setLength(b.length() - months)
	return true
}

// Lose is Before.Lose for the license as it is.
func (l *License) Lose(anchor time.Time, months int) {
	if b := l.Before(); b.Lose(anchor, months) {
		l.extend(b.length())
	}
}

// Resume has what was added to a term follow the one before, because the change that began it is taken back: months is
// what the change was paid for, and anchor that of its term. It reports false for any other term.
func (b *Before) Resume(before Before, anchor time.Time, months int) bool {
	if before.Months == 0 || !b.Anchor.Equal(anchor) {
		return false
	}
	b.Anchor = before.Anchor
	b.setLength(max(b.length()-months, 0) + before.length())
	return true
}

// Resume is Before.Resume for the license as it is.
func (l *License) Resume(before Before, anchor time.Time, months int) {
	if b := l.Before(); !l.ExpiresAt.IsZero() && b.Resume(before, anchor, months) {
		l.Anchor = b.Anchor
		l.extend(b.length())
	}
}

// Adopt is License.Adopt for what the license had.
func (b *Before) Adopt(plan Terms) {
	length := b.length()
	b.Terms = plan
	b.setLength(length)
}

// ChangePlan gives the license another plan at once. With another billing period a new term begins.
func (l *License) ChangePlan(plan Terms, at time.Time) {
	if plan.Months != l.Months {
		if early := l.Anchor.Sub(at); early >= 0 && early < time.Second {
			at = l.Anchor.Add(time.Millisecond) // terms are told apart by their anchors
		}
		l.Begin(plan.Months, at)
	}
	l.Adopt(plan)
}

// Adopt gives the license another plan. The term stays.
func (l *License) Adopt(plan Terms) {
	l.TierID, l.Features, l.MaxInstances = plan.TierID, plan.Features, plan.MaxInstances
	if plan.Months > 0 {
		l.Follow(plan.Months)
	}
}

// Follow makes the periods that are added from now on of another length. The term goes on to its end.
func (l *License) Follow(months int) {
	if months == l.Months {
		return
	}
	length, ok := l.length()
	if !ok {
		l.Anchor, length = l.ExpiresAt, 0
	}
	l.Months, l.Periods = months, length/months
}

// length returns how many months after Anchor the term ends, unless it ends at another time of its day.
func (l *License) length() (months int, ok bool) {
	if l.ExpiresAt.IsZero() {
		return 0, true
	}
	from, to := l.Anchor.UTC(), l.ExpiresAt.UTC()
	months = (to.Year()-from.Year())*12 + int(to.Month()-from.Month())
	return months, addMonths(from, months).Equal(to)
}

// rest returns by how many months the term is longer than its periods: with a change of plan, periods of another length
// may have been added before.
func (l *License) rest() int {
	if months, ok := l.length(); ok {
		return months - l.Months*l.Periods
	}
	return 0
}

// extend makes the term that many months long.
func (l *License) extend(months int) {
	l.Periods, l.ExpiresAt = months/l.Months, addMonths(l.Anchor, months)
}

// TierUntil returns the tier of the period that ends at the time named by a provider, and was billed at another, which
// may be zero: that of Next unless the term includes the period already, or it was billed before.
func (l *License) TierUntil(end, billed time.Time) string {
	if period := l.periodUntil(end); !l.Next.beginsWith(billed) || period > 0 && period <= l.Periods {
		return l.TierID
	}
	return l.Next.TierID
}

// beginNext begins the plan of the next period, if there is one and that period is not one which a provider had billed
// before, as Next.beginsWith says.
func (l *License) beginNext(billed time.Time) {
	if !l.Next.beginsWith(billed) {
		return
	}
	l.Adopt(l.Next.Terms)
	l.Next = Next{}
}
