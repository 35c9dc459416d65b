package license

import (
	"time"

	"stoa/internal/errs"
)

// Begin gives the licence its first term: one period of that many months from
// at. With none the licence is perpetual. A month from the 31st of January ends
// on the last day of February.
func (l *License) Begin(months int, at time.Time) {
	l.Type, l.ExpiresAt, l.Months, l.Anchor, l.Periods = Perpetual, time.Time{}, months, time.Time{}, 0
	if months > 0 {
		l.Type, l.Anchor, l.Periods = Subscription, at.UTC().Truncate(time.Millisecond), 1
		l.ExpiresAt = addMonths(l.Anchor, months)
	}
}

// MoveStart moves the beginning of the first term from one moment to another: an order is paid later
// than it was placed. A term that was set by hand stays.
func (l *License) MoveStart(from, to time.Time) {
	if l.Months > 0 && l.Anchor.Equal(from.Truncate(time.Millisecond)) {
		l.Anchor = to.UTC().Truncate(time.Millisecond)
		l.ExpiresAt = addMonths(l.Anchor, l.Months*l.Periods)
	}
}

// EndAt sets the end of the term to a moment of somebody's choice, from which
// renewals go on. The zero time makes the licence perpetual.
func (l *License) EndAt(end time.Time) {
	l.Type, l.ExpiresAt, l.Anchor, l.Periods = Perpetual, time.Time{}, time.Time{}, 0
	if !end.IsZero() {
		l.Type, l.ExpiresAt = Subscription, end.UTC().Truncate(time.Millisecond)
		l.Anchor = l.ExpiresAt
	}
}

// lastYear is the last one that RFC 3339 can write.
const lastYear = 9999

// Renew adds whole billing periods to the term. While it lasts they follow its
// end, whenever they are paid; after it they begin at now, unless they were
// billed for the time since. Months are counted from where the term began, so
// that the 31st is not lost in a February.
//
// It returns ErrRevoked, ErrNoTerm for a licence without a billing period
// or an end, and VALIDATION_ERROR for a term beyond the year 9999. The licence is
// changed only if it returns nil.
func (l *License) Renew(r Renewal, now time.Time) error {
	switch {
	case !l.RevokedAt.IsZero():
		return ErrRevoked
	case l.Months == 0 || l.ExpiresAt.IsZero():
		return ErrNoTerm
	}
	anchor, before := l.Anchor, l.Periods
	if l.StatusAt(now) == StatusExpired && !r.Billed {
		anchor, before = now.UTC().Truncate(time.Millisecond), 0
	}
	end := addMonths(anchor, l.Months*(before+r.Periods))
	if end.Year() > lastYear {
		var is errs.Issues
		is.Add("periods", errs.CodeOutOfRange, "periods must end the term in the year %d or before.", lastYear)
		return is.Err()
	}
	l.Anchor, l.Periods, l.ExpiresAt = anchor, before+r.Periods, end
	return nil
}

// endOf returns the end of a period, counted from where the term began.
func (l *License) endOf(period int) time.Time { return addMonths(l.Anchor, l.Months*period) }

// calendarSlack is more than the periods of a licence and of its provider that have
// the same number may end apart, where the licence's is first: they begin within a
// day of each other, of which one may be the last of a month and one the first of
// the next. Where the licence's is later, by as long as a bank takes, all is well
// up to three weeks.
const calendarSlack = 5 * 24 * time.Hour

// periodUntil returns the number of the period whose end a provider names, counted
// from where the term began. It returns 0 for the zero time, beyond the year 9999,
// and for a licence that has no periods.
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

// Revoke withdraws the licence for good. It reports false if that was done
// before.
func (l *License) Revoke(now time.Time) bool {
	if !l.RevokedAt.IsZero() {
		return false
	}
	l.RevokedAt = now.UTC().Truncate(time.Millisecond)
	return true
}

// addMonths is t with the month n later, on the same day, or the month's last if
// it has no such day. time.AddDate would run over into the next month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
