package license_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/shop/product"
)

// began returns a license whose first term begins at that time.
func began(period product.BillingPeriod, at time.Time) license.License {
	var l license.License
	l.Begin(period.Months(), at)
	return l
}

func TestTerms(t *testing.T) {
	t.Parallel()

	tests := []struct {
		period   product.BillingPeriod
		from     string
		wantType license.Type
		wantEnd  string
	}{
		{product.Monthly, "2030-01-31T10:20:30.4Z", license.Subscription, "2030-02-28T10:20:30.4Z"},
		{product.Monthly, "2028-01-31T00:00:00Z", license.Subscription, "2028-02-29T00:00:00Z"},
		{product.Monthly, "2030-02-28T00:00:00Z", license.Subscription, "2030-03-28T00:00:00Z"},
		{product.Monthly, "2030-03-31T23:59:59Z", license.Subscription, "2030-04-30T23:59:59Z"},
		{product.Monthly, "2030-12-31T23:59:59Z", license.Subscription, "2031-01-31T23:59:59Z"},
		{product.Monthly, "2030-01-31T23:30:00-02:00", license.Subscription, "2030-03-01T01:30:00Z"},
		{product.Yearly, "2028-02-29T12:00:00Z", license.Subscription, "2029-02-28T12:00:00Z"},
		{product.Yearly, "2030-07-04T12:00:00Z", license.Subscription, "2031-07-04T12:00:00Z"},
		{product.OneTime, "2030-07-04T12:00:00Z", license.Perpetual, ""},
		{"", "2030-07-04T12:00:00Z", license.Perpetual, ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.period)+" "+tt.from, func(t *testing.T) {
			t.Parallel()

			from, err := time.Parse(time.RFC3339, tt.from)
			if err != nil {
				t.Fatal(err)
			}
			l := began(tt.period, from)
			got := ""
			if !l.ExpiresAt.IsZero() {
				got = l.ExpiresAt.Format(time.RFC3339Nano)
			}
			if l.Type != tt.wantType || got != tt.wantEnd {
				t.Errorf("the term is %s to %s; want %s to %s", l.Type, got, tt.wantType, tt.wantEnd)
			}
		})
	}
}

// A month ends on the same day of the next month, or on its last day. It never skips a month and keeps
// the time of day. A year ends in the same month of the next year.
func TestTermsFollowTheCalendar(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		from := time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, "from")).UTC()
		month, year := began(product.Monthly, from).ExpiresAt, began(product.Yearly, from).ExpiresAt

		next := (from.Year()*12 + int(from.Month())) + 1
		if got := month.Year()*12 + int(month.Month()); got != next {
			t.Fatalf("a month from %s ends %s", from, month)
		}
		lastDay := month.AddDate(0, 0, 1).Month() != month.Month()
		if month.Day() != from.Day() && (month.Day() > from.Day() || !lastDay) {
			t.Fatalf("a month from %s ends %s", from, month)
		}
		if year.Year() != from.Year()+1 || year.Month() != from.Month() {
			t.Fatalf("a year from %s ends %s", from, year)
		}
		for _, end := range []time.Time{month, year} {
			if end.Sub(end.Truncate(24*time.Hour)) != from.Sub(from.Truncate(24*time.Hour)) {
				t.Fatalf("a term from %s ends at another time of day: %s", from, end)
			}
		}
	})
}

// moment parses a time of a table.
func moment(tb testing.TB, text string) time.Time {
	tb.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

func TestRenewal(t *testing.T) {
	t.Parallel()

	const month, year = product.Monthly, product.Yearly
	type step struct {
		at      string // when the license is renewed
		periods int
		want    string // the end of the term afterwards
	}
	tests := []struct {
		name   string
		period product.BillingPeriod
		from   string
		steps  []step
	}{
		{"the 31st comes back after February", month, "2030-01-31T08:00:00Z", []step{
			{
				"2030-02-28T07:59:59Z",
				1,
				"2030-03-31T08:00:00Z",
			}, {"2030-03-01T00:00:00Z", 1, "2030-04-30T08:00:00Z"}, {"2030-03-01T00:00:00Z", 1, "2030-05-31T08:00:00Z"},
		}},
		{"and after a leap day", month, "2028-01-31T08:00:00Z", []step{
			{"2028-02-01T00:00:00Z", 1, "2028-03-31T08:00:00Z"},
		}},
		{"a leap day comes back after four years", year, "2028-02-29T08:00:00Z", []step{
			{"2029-01-01T00:00:00Z", 1, "2030-02-28T08:00:00Z"}, {"2029-01-01T00:00:00Z", 2, "2032-02-29T08:00:00Z"},
		}},
		{"several months at once", month, "2030-01-31T08:00:00Z", []step{
			{"2030-02-01T00:00:00Z", 12, "2031-02-28T08:00:00Z"},
		}},
		{"early renewal loses nothing", month, "2030-03-10T00:00:00Z", []step{
			{"2030-03-10T00:00:00Z", 1, "2030-05-10T00:00:00Z"},
		}},
		{"at its end the term begins again", month, "2030-01-31T08:00:00Z", []step{
			{"2030-02-28T08:00:00Z", 1, "2030-03-28T08:00:00Z"},
		}},
		{"so it does long afterwards", month, "2030-01-31T08:00:00Z", []step{
			{"2031-07-31T12:30:00Z", 1, "2031-08-31T12:30:00Z"},
			{"2031-08-01T00:00:00Z", 1, "2031-09-30T12:30:00Z"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			l := began(tt.period, moment(t, tt.from))
			for _, s := range tt.steps {
				if err := l.Renew(license.Renewal{Periods: s.periods}, moment(t, s.at)); err != nil {
					t.Fatal(err)
				}
				if got := l.ExpiresAt.Format(time.RFC3339); got != s.want {
					t.Fatalf("renewed at %s for %d, the term ends %s; want %s", s.at, s.periods, got, s.want)
				}
			}
		})
	}
}

func TestALicenseThatCannotBeRenewedIsUnchanged(t *testing.T) {
	t.Parallel()

	now := moment(t, "2030-03-01T12:00:00Z")
	perpetual, dated := began("", now), began("", now)
	unlimited, revoked, late := began(product.Monthly, now), began(product.Monthly, now), began(product.Yearly, now)
	unlimited.EndAt(time.Time{})
	dated.EndAt(now.Add(time.Hour))
	if !revoked.Revoke(now) || revoked.Revoke(now.Add(time.Hour)) || !revoked.RevokedAt.Equal(now) {
		t.Errorf("RevokedAt = %s, want the first time", revoked.RevokedAt)
	}
	late.EndAt(moment(t, "9999-01-01T00:00:00Z"))
	tests := []struct {
		name    string
		license license.License
		want    error
	}{
		{"perpetual", perpetual, license.ErrNoTerm},
		{"made perpetual", unlimited, license.ErrNoTerm},
		{"an end but no period", dated, license.ErrNoTerm},
		{"revoked", revoked, license.ErrRevoked},
		{"beyond the last year", late, nil}, // VALIDATION_ERROR
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			l := tt.license
			err := l.Renew(license.Renewal{Periods: 1}, now)
			if !errors.Is(err, tt.want) && tt.want != nil || errs.KindOf(err) == "" {
				t.Errorf("Renew = %v, want %v", err, tt.want)
			}
			if l.ExpiresAt != tt.license.ExpiresAt || l.Periods != tt.license.Periods || l.Anchor != tt.license.Anchor {
				t.Errorf("Renew changed the term to %+v", l)
			}
		})
	}
}

// Renewals continue from an end that an administrator set.
func TestRenewalContinuesFromAnEndSetByHand(t *testing.T) {
	t.Parallel()

	l := began(product.Monthly, moment(t, "2030-03-01T12:00:00Z"))
	l.EndAt(moment(t, "2030-05-31T00:00:00Z"))
	if err := l.Renew(license.Renewal{Periods: 1}, moment(t, "2030-03-02T12:00:00Z")); err != nil {
		t.Fatal(err)
	}
	if want := moment(t, "2030-06-30T00:00:00Z"); l.Type != license.Subscription || !l.ExpiresAt.Equal(want) {
		t.Errorf("the %s ends %s, want a subscription until %s", l.Type, l.ExpiresAt, want)
	}
}

// However renewals are split, the term ends on the same day.
func TestRenewalsAddUp(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		from := time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, "from")).UTC()
		period := rapid.SampledFrom([]product.BillingPeriod{product.Monthly, product.Yearly}).Draw(t, "period")
		one, many := began(period, from), began(period, from)
		total := 0
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 12), 1, 10).Draw(t, "renewals") {
			total += n
			if err := many.Renew(license.Renewal{Periods: n}, from); err != nil {
				t.Fatal(err)
			}
		}
		if err := one.Renew(license.Renewal{Periods: total}, from); err != nil {
			t.Fatal(err)
		}
		if one.ExpiresAt != many.ExpiresAt {
			t.Fatalf("renewed at once the term ends %s, one by one %s", one.ExpiresAt, many.ExpiresAt)
		}
	})
}

// A provider bills for a period once it has begun. It reports the payment an hour later or, if a card had
// to be replaced, a week later. However late and in whatever order it reports, the renewal dates stay the
// billing dates.
func TestBilledPeriodsFollowOneAnother(t *testing.T) {
	t.Parallel()

	l := license.License{}
	l.Begin(1, moment(t, "2030-01-31T12:00:00Z"))
	reported := moment(t, "2030-05-02T13:00:00Z")
	for i, want := range []string{"2030-03-31T12:00:00Z", "2030-04-30T12:00:00Z", "2030-05-31T12:00:00Z"} {
		if err := l.Renew(license.Renewal{Periods: 1, Billed: true}, reported); err != nil {
			t.Fatal(err)
		}
		if got := l.ExpiresAt.Format(time.RFC3339); got != want {
			t.Errorf("after %d periods the term ends %s, want %s", i+1, got, want)
		}
	}
}

// Our periods begin with the payment, later than the provider's by as long as a bank takes; until the
// payment is known, they begin with the order. They have the same numbers as the provider's all the same.
func TestPeriodsHaveTheNumbersOfTheProvider(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		from := time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, "from")).UTC()
		paid := time.Duration(rapid.Int64Range(-int64(24*time.Hour), int64(14*24*time.Hour)).Draw(t, "paid after"))
		period := rapid.SampledFrom([]product.BillingPeriod{product.Monthly, product.Yearly}).Draw(t, "period")
		n := rapid.IntRange(1, 60).Draw(t, "n")
		theirs, ours := began(period, from), began(period, from.Add(paid))
		if n > 1 {
			if err := theirs.Renew(license.Renewal{Periods: n - 1}, from); err != nil {
				t.Fatal(err)
			}
		}
		if got := license.PeriodUntil(&ours, theirs.ExpiresAt); got != n {
			t.Fatalf("the period until %s is number %d, want %d", theirs.ExpiresAt, got, n)
		}
	})

	now := moment(t, "2030-03-01T12:00:00Z")
	perpetual, unlimited, monthly := began("", now), began(product.Monthly, now), began(product.Monthly, now)
	unlimited.EndAt(time.Time{})
	for name, got := range map[string]int{
		"perpetual": license.PeriodUntil(&perpetual, now), "without an end": license.PeriodUntil(&unlimited, now),
		"no time":              license.PeriodUntil(&monthly, time.Time{}),
		"beyond the last year": license.PeriodUntil(&monthly, time.Unix(1<<60, 0)),
	} {
		if got != 0 {
			t.Errorf("%s: period %d, want none", name, got)
		}
	}
}
