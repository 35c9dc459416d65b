package license

import (
	"testing"
	"time"
)

func TestALeaseNeverOutlivesTheLicense(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	terms := LeaseTerms{TTL: 10 * time.Hour, Grace: 5 * time.Hour}
	for name, tt := range map[string]struct {
		license         time.Duration // zero: perpetual
		ends, graceEnds time.Duration
	}{
		"perpetual":                    {0, 10 * time.Hour, 15 * time.Hour},
		"longer than the grace":        {15*time.Hour + time.Millisecond, 10 * time.Hour, 15 * time.Hour},
		"as long as the grace":         {15 * time.Hour, 10 * time.Hour, 15 * time.Hour},
		"a moment less":                {15*time.Hour - time.Millisecond, 10 * time.Hour, 15*time.Hour - time.Second},
		"as long as the lease":         {10 * time.Hour, 10 * time.Hour, 10 * time.Hour},
		"shorter":                      {time.Hour + 500*time.Millisecond, time.Hour, time.Hour},
		"ends within the second":       {999 * time.Millisecond, 0, 0},
		"ends with the shortest lease": {time.Second, time.Second, time.Second},
	} {
		var licenseEnds time.Time
		if tt.license != 0 {
			licenseEnds = now.Add(tt.license)
		}
		ends, graceEnds := terms.span(now, licenseEnds)
		if !ends.Equal(now.Add(tt.ends)) || !graceEnds.Equal(now.Add(tt.graceEnds)) {
			t.Errorf("%s: ends after %s, grace after %s; want %s, %s",
				name, ends.Sub(now), graceEnds.Sub(now), tt.ends, tt.graceEnds)
		}
	}
}

func TestLeaseTermsHaveBounds(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		terms LeaseTerms
		ok    bool
	}{
		{DefaultLeaseTerms, true},
		{LeaseTerms{TTL: MinLeaseTTL}, true},
		{LeaseTerms{TTL: MinLeaseTTL - 1}, false},
		{LeaseTerms{TTL: MaxLeaseTTL, Grace: MaxLeaseGrace}, true},
		{LeaseTerms{TTL: MaxLeaseTTL + 1}, false},
		{LeaseTerms{TTL: time.Hour, Grace: MaxLeaseGrace + 1}, false},
		{LeaseTerms{TTL: time.Hour, Grace: -1}, false},
	} {
		if err := tt.terms.Check(); (err == nil) != tt.ok {
			t.Errorf("Check of %+v = %v, want ok %v", tt.terms, err, tt.ok)
		}
	}
	if MaxLeaseTTL+MaxLeaseGrace >= KeyPurpose.Retention {
		t.Error("a lease may outlive the key that verifies it")
	}
}
