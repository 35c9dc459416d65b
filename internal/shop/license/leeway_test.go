package license_test

import (
	"testing"
	"time"

	"stoa/internal/shop/license"
)

func TestTheLeewayFollowsTheTerm(t *testing.T) {
	t.Parallel()

	end := time.Date(2030, time.April, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		leeway time.Duration
		after  time.Duration
		want   license.Refusal
	}{
		{"without leeway, a moment before the end", 0, -time.Millisecond, license.Usable},
		{"without leeway, at the end", 0, 0, license.Expired},
		{"at the end", time.Hour, 0, license.Usable},
		{"the last moment", time.Hour, time.Hour - time.Millisecond, license.Usable},
		{"over", time.Hour, time.Hour, license.Expired},
	} {
		l := license.License{ExpiresAt: end, Leeway: tt.leeway, Paid: true}
		if got := l.RefusalAt(end.Add(tt.after)); got != tt.want {
			t.Errorf("%s: refused with %q, want %q", tt.name, got, tt.want)
		}
	}
	perpetual := license.License{Leeway: time.Hour, Paid: true}
	if got := perpetual.RefusalAt(end); got != license.Usable {
		t.Errorf("a perpetual license is refused with %q", got)
	}
}

// Renewing by hand during the leeway extends the term, which has not lapsed.
func TestARenewalDuringTheLeewayFollowsTheTerm(t *testing.T) {
	t.Parallel()

	end := time.Date(2030, time.April, 1, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]time.Time{
		time.Hour - time.Millisecond: end.AddDate(0, 1, 0),
		time.Hour:                    end.Add(time.Hour).AddDate(0, 1, 0),
	} {
		l := license.License{ExpiresAt: end, Months: 1, Anchor: end.AddDate(0, -1, 0), Periods: 1, Leeway: time.Hour}
		if err := l.Renew(license.Renewal{Periods: 1}, end.Add(after)); err != nil || !l.ExpiresAt.Equal(want) {
			t.Errorf("renewed %s after the end: ends %s, %v; want %s", after, l.ExpiresAt, err, want)
		}
	}
}

func TestTheLeewayHasBounds(t *testing.T) {
	t.Parallel()

	for d, ok := range map[time.Duration]bool{
		0: true, -1: false, license.DefaultLeeway: true, license.MaxLeeway: true, license.MaxLeeway + 1: false,
	} {
		if err := license.CheckLeeway(d); (err == nil) != ok {
			t.Errorf("CheckLeeway(%s) = %v, want it allowed: %v", d, err, ok)
		}
	}
}
