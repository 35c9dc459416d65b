package license_test

import (
	"testing"
	"time"

	"stoa/internal/shop/license"
)

// monthly is a license of small, bought on the last day of January and paid for so many months.
func monthly(t *testing.T, periods int) license.License {
	t.Helper()
	l := license.License{TierID: "small", MaxInstances: 1, Paid: true}
	l.Begin(1, time.Date(2030, time.January, 31, 0, 0, 0, 0, time.UTC))
	for range periods - 1 {
		if err := l.Renew(license.Renewal{Periods: 1}, l.Anchor); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func date(month time.Month, day int) time.Time {
	return time.Date(2030, month, day, 0, 0, 0, 0, time.UTC)
}

func TestWhatIsLeftOfATerm(t *testing.T) {
	t.Parallel()

	const day = 24 * time.Hour
	l := monthly(t, 3) // to 28 February, 31 March, 30 April
	byHand := monthly(t, 1)
	byHand.EndAt(date(time.April, 30))
	for _, tc := range []struct {
		name         string
		of           license.License
		at           time.Time
		left, period time.Duration
		more         int
	}{
		{"at the beginning", l, date(time.January, 31), 28 * day, 28 * day, 2},
		{"where a period ends", l, date(time.February, 28), 31 * day, 31 * day, 1},
		{"in the last one", l, date(time.April, 29), day, 30 * day, 0},
		{"when it is over", l, date(time.April, 30), 0, 0, 0},
		{"of a term set by hand", byHand, date(time.March, 31), 30 * day, 31 * day, 0},
		{"of a license without end", license.License{Months: 1}, date(time.March, 31), 0, 0, 0},
	} {
		if left, period, more := tc.of.Left(tc.at); left != tc.left || period != tc.period || more != tc.more {
			t.Errorf("%s: %s of %s and %d, want %s of %s and %d", tc.name, left, period, more, tc.left, tc.period, tc.more)
		}
	}
}

func TestATermLosesWhatARenewalAdded(t *testing.T) {
	t.Parallel()

	l := monthly(t, 2)
	anchor := l.Anchor
	if l.Lose(anchor.Add(time.Hour), 1); !l.ExpiresAt.Equal(date(time.March, 31)) {
		t.Errorf("it lost a period of another term: %s", l.ExpiresAt)
	}
	for _, want := range []time.Time{date(time.February, 28), date(time.January, 31)} {
		if l.Lose(anchor, 1); !l.ExpiresAt.Equal(want) {
			t.Errorf("it ends %s, want %s", l.ExpiresAt, want)
		}
	}
	if l.Lose(anchor, 1); !l.ExpiresAt.Equal(date(time.January, 31)) || l.Periods != 0 {
		t.Error("it lost more than it had")
	}
}

func TestAChangeOfThePeriodIsRestored(t *testing.T) {
	t.Parallel()

	renew := func(l *license.License, months int) {
		l.Follow(months)
		if err := l.Renew(license.Renewal{Periods: 1}, l.Anchor); err != nil {
			t.Fatal(err)
		}
	}
	at := date(time.February, 10)
	for _, tt := range []struct {
		name     string
		from, to int
		since    func(*license.License)
		months   int // of the term, in the end
	}{
		{"a year of months", 1, 12, func(*license.License) {}, 1},
		{"and renewed for a year", 1, 12, func(l *license.License) { renew(l, 12) }, 13},
		{"a month of years", 12, 1, func(*license.License) {}, 12},
		{"and renewed for a month", 12, 1, func(l *license.License) { renew(l, 1) }, 13},
		{"and for a year, then", 12, 1, func(l *license.License) { renew(l, 1); renew(l, 12) }, 25},
		{"and renewed for what is taken off again", 12, 1, func(l *license.License) { renew(l, 1); l.Lose(l.Anchor, 1) }, 12},
	} {
		l := license.License{TierID: "small", MaxInstances: 1, Paid: true}
		l.Begin(tt.from, date(time.January, 31))
		before := l.Before()
		l.ChangePlan(license.Terms{TierID: "other", MaxInstances: 3, Months: tt.to}, at)
		if !l.ExpiresAt.Equal(at.AddDate(0, tt.to, 0)) {
			t.Fatalf("%s: it ends %s", tt.name, l.ExpiresAt)
		}
		tt.since(&l)
		l.Adopt(before.Terms)
		l.Resume(before, at, tt.to)
		want := license.License{TierID: "small", MaxInstances: 1, Paid: true}
		want.Begin(tt.months, date(time.January, 31))
		if l.TierID != "small" || l.MaxInstances != 1 || l.Months != tt.from || !l.ExpiresAt.Equal(want.ExpiresAt) {
			t.Errorf("%s: restored: %+v, want the end %s", tt.name, l, want.ExpiresAt)
		}
		// The next period is one of the plan that is back.
		end := license.License{}
		end.Begin(tt.months+tt.from, date(time.January, 31))
		if renew(&l, tt.from); !l.ExpiresAt.Equal(end.ExpiresAt) {
			t.Errorf("%s: renewed until %s, want %s", tt.name, l.ExpiresAt, end.ExpiresAt)
		}
	}
	// A term that began anew since is not the change's.
	other := monthly(t, 1)
	other.Resume(license.Before{Terms: license.Terms{Months: 12}, Anchor: at, Periods: 3}, at, 1)
	if !other.ExpiresAt.Equal(date(time.February, 28)) {
		t.Errorf("restored: %+v", other)
	}
}

// Terms are told apart by their anchors, also if one begins at the moment of another.
func TestNoTwoTermsHaveOneAnchor(t *testing.T) {
	t.Parallel()

	l := monthly(t, 1)
	first := l.Anchor
	l.ChangePlan(license.Terms{TierID: "year", Months: 12}, first)
	second := l.Anchor
	l.ChangePlan(license.Terms{TierID: "small", Months: 1}, first)
	if second.Equal(first) || l.Anchor.Equal(first) || l.Anchor.Equal(second) || l.Anchor.Sub(first) > time.Second {
		t.Errorf("the terms begin %s, %s and %s", first, second, l.Anchor)
	}
}

func TestACheaperPlanBeginsWithARenewal(t *testing.T) {
	t.Parallel()

	l := monthly(t, 1)
	l.Next = license.Next{OrderID: "o", Terms: license.Terms{TierID: "tiny", MaxInstances: 1, Months: 12}}
	end := l.ExpiresAt
	if err := l.Renew(license.Renewal{Periods: 1}, date(time.February, 1)); err != nil {
		t.Fatal(err)
	}
	if l.TierID != "tiny" || !l.Next.None() || !l.ExpiresAt.Equal(end.AddDate(1, 0, 0)) {
		t.Errorf("renewed: %+v", l)
	}
	// What cannot be renewed stays as it is.
	l.Next = license.Next{OrderID: "p", Terms: license.Terms{TierID: "other", Months: 12}}
	l.RevokedAt = end
	if err := l.Renew(license.Renewal{Periods: 1}, end); err == nil || l.TierID != "tiny" {
		t.Errorf("renewed: %+v, %v", l, err)
	}
}

// A payment for the coming period is for the coming plan, and one for a period of the term for the present one.
func TestThePlanOfAPeriod(t *testing.T) {
	t.Parallel()

	l := monthly(t, 2)
	next, chosen := l.ExpiresAt.AddDate(0, 1, 0), l.ExpiresAt.Add(-time.Hour+time.Millisecond)
	for _, tt := range []struct {
		planned     bool
		end, billed time.Time
		want        string
	}{
		{false, next, time.Time{}, "large"},
		{true, next, time.Time{}, "small"},
		{true, l.ExpiresAt, time.Time{}, "large"},
		{true, l.ExpiresAt.Add(time.Hour), time.Time{}, "large"}, // providers round
		{true, l.ExpiresAt.AddDate(0, -1, 0), time.Time{}, "large"},
		{true, time.Time{}, time.Time{}, "small"}, // unknown: it was not reported yet
		{true, next, l.ExpiresAt, "small"},
		{true, next, chosen.Truncate(time.Second), "small"}, // providers count by the second
		{true, next, chosen.Add(-time.Second), "large"},
	} {
		l.TierID, l.Next = "large", license.Next{}
		if tt.planned {
			l.Next = license.Next{OrderID: "o", Terms: license.Terms{TierID: "small", Months: 1}, Since: chosen}
		}
		if got := l.TierUntil(tt.end, tt.billed); got != tt.want {
			t.Errorf("planned %v, until %s, billed %s: %s, want %s", tt.planned, tt.end, tt.billed, got, tt.want)
		}
	}
}
