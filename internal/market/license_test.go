package market_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/market"
)

func TestUsage(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	usage := func(instances int, activated bool, change func(*market.License)) market.Usage {
		u := market.Usage{License: market.License{MaxInstances: 2, Paid: true}, Instances: instances, Activated: activated}
		if change != nil {
			change(&u.License)
		}
		return u
	}
	revoked := func(l *market.License) { l.RevokedAt = now.Add(-time.Hour) }
	expired := func(l *market.License) { l.ExpiresAt = now }
	unpaid := func(l *market.License) { l.Paid = false }
	both := func(fs ...func(*market.License)) func(*market.License) {
		return func(l *market.License) {
			for _, f := range fs {
				f(l)
			}
		}
	}

	tests := []struct {
		name     string
		usage    market.Usage
		activate error
		verify   market.Refusal
		status   market.LicenseStatus
	}{
		{"free seat", usage(1, false, nil), nil, market.NotActivated, market.LicenseActive},
		{"full", usage(2, false, nil), market.ErrTooManyInstances, market.NotActivated, market.LicenseActive},
		{"over-full", usage(3, false, nil), market.ErrTooManyInstances, market.NotActivated, market.LicenseActive},
		{"activated", usage(1, true, nil), nil, market.Usable, market.LicenseActive},
		{"activated, full", usage(2, true, nil), nil, market.Usable, market.LicenseActive},
		{"at the end of its term", usage(1, true, expired), market.ErrLicenseUnusable, market.Expired, market.LicenseExpired},
		{"just before it", usage(1, true, func(l *market.License) { l.ExpiresAt = now.Add(time.Millisecond) }), nil, market.Usable, market.LicenseActive},
		{"revoked", usage(1, true, revoked), market.ErrLicenseUnusable, market.Revoked, market.LicenseRevoked},
		{"unpaid", usage(1, true, unpaid), market.ErrLicenseUnusable, market.Unpaid, market.LicenseActive},
		{"revoked before all", usage(1, true, both(revoked, expired, unpaid)), market.ErrLicenseUnusable, market.Revoked, market.LicenseRevoked},
		{"unpaid before expired", usage(0, false, both(expired, unpaid)), market.ErrLicenseUnusable, market.Unpaid, market.LicenseExpired},
		{"expired before not activated", usage(0, false, expired), market.ErrLicenseUnusable, market.Expired, market.LicenseExpired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := tt.usage.CanActivate(now); !errors.Is(got, tt.activate) {
				t.Errorf("CanActivate = %v, want %v", got, tt.activate)
			}
			if got := tt.usage.RefusalAt(now); got != tt.verify {
				t.Errorf("RefusalAt = %q, want %q", got, tt.verify)
			}
			if got := tt.usage.License.StatusAt(now); got != tt.status {
				t.Errorf("StatusAt = %q, want %q", got, tt.status)
			}
		})
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()

	tests := []struct {
		period   market.BillingPeriod
		from     string
		wantType market.LicenseType
		wantEnd  string
	}{
		{market.Monthly, "2030-01-31T10:20:30.4Z", market.Subscription, "2030-02-28T10:20:30.4Z"},
		{market.Monthly, "2028-01-31T00:00:00Z", market.Subscription, "2028-02-29T00:00:00Z"},
		{market.Monthly, "2030-02-28T00:00:00Z", market.Subscription, "2030-03-28T00:00:00Z"},
		{market.Monthly, "2030-03-31T23:59:59Z", market.Subscription, "2030-04-30T23:59:59Z"},
		{market.Monthly, "2030-12-31T23:59:59Z", market.Subscription, "2031-01-31T23:59:59Z"},
		{market.Monthly, "2030-01-31T23:30:00-02:00", market.Subscription, "2030-03-01T01:30:00Z"},
		{market.Yearly, "2028-02-29T12:00:00Z", market.Subscription, "2029-02-28T12:00:00Z"},
		{market.Yearly, "2030-07-04T12:00:00Z", market.Subscription, "2031-07-04T12:00:00Z"},
		{market.OneTime, "2030-07-04T12:00:00Z", market.Perpetual, ""},
		{"", "2030-07-04T12:00:00Z", market.Perpetual, ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.period)+" "+tt.from, func(t *testing.T) {
			t.Parallel()

			from, err := time.Parse(time.RFC3339, tt.from)
			if err != nil {
				t.Fatal(err)
			}
			kind, end := market.Term(tt.period, from)
			got := ""
			if !end.IsZero() {
				got = end.Format(time.RFC3339Nano)
			}
			if kind != tt.wantType || got != tt.wantEnd {
				t.Errorf("Term = %s, %s; want %s, %s", kind, got, tt.wantType, tt.wantEnd)
			}
		})
	}
}

// A month ends on the same day of the next one, or on its last; it never skips a
// month, keeps the time of day, and twelve of them never exceed a year.
func TestTermsFollowTheCalendar(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		from := time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, "from")).UTC()
		_, month := market.Term(market.Monthly, from)
		_, year := market.Term(market.Yearly, from)

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
