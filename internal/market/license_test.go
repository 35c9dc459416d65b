package market_test

import (
	"errors"
	"testing"
	"time"

	"stoa/internal/market"
)

func TestUsage(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	usage := func(instances int, activated bool, change func(*market.License)) market.Usage {
		u := market.Usage{License: market.License{MaxInstances: 2, Paid: true, Instances: instances}, Activated: activated}
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

			if got := tt.usage.CanActivate(market.Activation{At: now}); !errors.Is(got, tt.activate) {
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
