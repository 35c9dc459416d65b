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
	if l.LosePeriod(anchor.Add(time.Hour)) || !l.ExpiresAt.Equal(date(time.March, 31)) {
		t.Errorf("it lost a period of another term: %s", l.ExpiresAt)
	}
	for _, want := range []time.Time{date(time.February, 28), date(time.January, 31)} {
		if !l.LosePeriod(anchor) || !l.ExpiresAt.Equal(want) {
			t.Errorf("it ends %s, want %s", l.ExpiresAt, want)
		}
	}
	if l.LosePeriod(anchor) {
		t.Error("it lost more than it had")
	}
}

func TestAChangeOfThePeriodIsRestored(t *testing.T) {
	t.Parallel()

	l := monthly(t, 1)
	before, at := l.Before(), date(time.February, 10)
	l.ChangePlan(license.Terms{TierID: "year", MaxInstances: 3, Months: 12}, at)
	if !l.ExpiresAt.Equal(at.AddDate(1, 0, 0)) {
		t.Fatalf("it ends %s", l.ExpiresAt)
	}
	renewed := l
	if err := renewed.Renew(license.Renewal{Periods: 1}, at); err != nil {
		t.Fatal(err)
	}
	l.Restore(before, at)
	if l.TierID != "small" || l.MaxInstances != 1 || !l.ExpiresAt.Equal(date(time.February, 28)) {
		t.Errorf("restored: %+v", l)
	}
	// What was paid since stays: a year of months.
	renewed.Restore(before, at)
	if want := date(time.February, 28).AddDate(1, 0, 0); !renewed.ExpiresAt.Equal(want) {
		t.Errorf("it ends %s, want %s", renewed.ExpiresAt, want)
	}
	// A term that began anew since is not the change's.
	other := monthly(t, 1)
	other.Restore(license.Before{Terms: license.Terms{TierID: "x", Months: 12}}, at)
	if other.Months != 1 || !other.ExpiresAt.Equal(date(time.February, 28)) {
		t.Errorf("restored: %+v", other)
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
	next := l.ExpiresAt.AddDate(0, 1, 0)
	for _, tt := range []struct {
		planned bool
		end     time.Time
		want    string
	}{
		{false, next, "large"},
		{true, next, "small"},
		{true, l.ExpiresAt, "large"},
		{true, l.ExpiresAt.Add(time.Hour), "large"}, // providers round
		{true, l.ExpiresAt.AddDate(0, -1, 0), "large"},
		{true, time.Time{}, "small"}, // unknown: it was not reported yet
	} {
		l.TierID, l.Next = "large", license.Next{}
		if tt.planned {
			l.Next = license.Next{OrderID: "o", Terms: license.Terms{TierID: "small", Months: 1}}
		}
		if got := l.TierUntil(tt.end); got != tt.want {
			t.Errorf("planned %v, until %s: %s, want %s", tt.planned, tt.end, got, tt.want)
		}
	}
}
