package license

import (
	"time"

	"stoa/internal/base/errs"
)

// Begin sets the first term: one period of that many months from at. With zero months the license is
// perpetual. A month that begins on 31 January ends on the last day of February.
func (l *License) Begin(months int, at time.Time) {
	l.Type, l.ExpiresAt, l.Months, l.Anchor, l.Periods = Perpetual, time.Time{}, months, time.Time{}, 0
	if months > 0 {
		l.Type, l.Anchor, l.Periods = Subscription, at.UTC().Truncate(time.Millisecond), 1
		l.ExpiresAt = addMonths(l.Anchor, months)
	}
}

// MoveStart moves the start of the first term, because an order is paid later than it is placed. A
// term that was set by hand stays as it is.
func (l *License) MoveStart(from, to time.Time) {
	if l.Months > 0 && l.Anchor.Equal(from.Truncate(time.Millisecond)) {
		months := l.Months*l.Periods + l.rest()
		l.Anchor = to.UTC().Truncate(time.Millisecond)
		l.ExpiresAt = addMonths(l.Anchor, months)
	}
}

// EndAt sets the end of the term by hand, without leeway. Renewals continue from there. The zero time
// makes the license perpetual.
func (l *License) EndAt(end time.Time) {
	l.Type, l.ExpiresAt, l.Anchor, l.Periods, l.Leeway = Perpetual, time.Time{}, time.Time{}, 0, 0
	if !end.IsZero() {
		l.Type, l.ExpiresAt = Subscription, end.UTC().Truncate(time.Millisecond)
		l.Anchor = l.ExpiresAt
	}
}

// lastYear is the last year that RFC 3339 can express.
const lastYear = 9999

// Renew adds whole billing periods to the term. They follow its end, however early they are paid. If
// the license has expired they begin at now, unless they were billed for the time since. Months are
// counted from the start of the term, so a February does not turn the 31st into the 28th for good. A plan that was
// to begin with the next period begins (Next), unless that was billed before: then the plan waits for the one after it.
//
// It returns ErrRevoked, ErrNoTerm for a license without a billing period or an end, and
// VALIDATION_ERROR for a term beyond the year 9999. On error the license is unchanged.
func (l *License) Renew(r Renewal, now time.Time) error {
	switch {
	case !l.RevokedAt.IsZero():
		return ErrRevoked
	case l.Months == 0 || l.ExpiresAt.IsZero():
		return ErrNoTerm
	}
	next := *l
	next.beginNext(r.BilledAt)
	if l.StatusAt(now) == StatusExpired && !r.Billed {
		next.ExpiresAt = now.UTC().Truncate(time.Millisecond)
		next.Anchor, next.Periods = next.ExpiresAt, 0
	}
	end := next.endOf(next.Periods + r.Periods)
	if end.Year() > lastYear {
		var is errs.Issues
		is.Add("periods", errs.CodeOutOfRange, "periods must end the term in the year %d or before.", lastYear)
		return is.Err()
	}
	*l = next
	l.Periods, l.ExpiresAt = l.Periods+r.Periods, end
	if r.Billed {
		l.Leeway = r.Leeway
	}
	return nil
}

// endOf returns the end of a period, which is numbered from the start of the term.
func (l *License) endOf(period int) time.Time { return addMonths(l.Anchor, l.rest()+l.Months*period) }

// calendarSlack bounds how far our period end may precede the provider's. Both terms begin within a
// day of each other, but if one begins on the last day of a month and the other on the first of the
// next, their ends are up to four days apart. Our term may also begin later, by as long as a bank takes
// to confirm the payment; up to three weeks do no harm.
const calendarSlack = 5 * 24 * time.Hour

// periodUntil returns the number, from the start of the term, of the period that ends at the time
// named by a provider. It returns 0 for the zero time, for a time beyond the year 9999, and for a
// license without periods.
func (l *License) periodUntil(end time.Time) int {
	if end.IsZero() || end.Year() > lastYear || l.Months == 0 || l.ExpiresAt.IsZero() {
		return 0
	}
	period := 1
	for l.endOf(period).Before(end.Add(-calendarSlack)) {
		period++
	}
	return period
}

// Left returns what is left of the term at a time: so much of its current period, which is that long, and so many whole
// periods after it. All are zero if the term is over or has no end.
func (l *License) Left(now time.Time) (left, period time.Duration, more int) {
	if l.Months == 0 || l.ExpiresAt.IsZero() || !now.Before(l.ExpiresAt) {
		return 0, 0, 0
	}
	end := l.ExpiresAt
	for {
		// Counted back from the end by number: that of a term set by hand has no beginning.
		begin := l.endOf(l.Periods - more - 1)
		if !begin.After(now) {
			return end.Sub(now), end.Sub(begin), more
		}
		end = begin
		more++
	}
}

// EndRenewal records that nothing renews the license any more: it ends with its term.
func (l *License) EndRenewal() { l.Ends, l.Leeway = true, 0 }

// ResumeRenewal takes EndRenewal back. The leeway is for the next period: a license that has expired
// does not get it.
func (l *License) ResumeRenewal(leeway time.Duration, now time.Time) {
	l.Ends = false
	if l.StatusAt(now) == StatusActive && !l.ExpiresAt.IsZero() {
		l.Leeway = leeway
	}
}

// Revoke withdraws the license for good. It reports false if the license was revoked before.
func (l *License) Revoke(now time.Time) bool {
	if !l.RevokedAt.IsZero() {
		return false
	}
	l.RevokedAt, l.Next = now.UTC().Truncate(time.Millisecond), Next{}
	return true
}

// addMonths returns the same day n months later, or the last day of that month if it is shorter.
// time.AddDate would overflow into the next month.
func addMonths(t time.Time, n int) time.Time {
	first := t.AddDate(0, n, 1-t.Day())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
