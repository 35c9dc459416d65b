package license_test

import (
	"errors"
	"testing"
	"time"

	"stoa/internal/shop/license"
)

func TestWhatALicenseAllows(t *testing.T) {
	t.Parallel()

	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	usage := func(instances int, activated bool, change func(*license.License)) license.Usage {
		l := license.License{MaxInstances: 2, Paid: true, Instances: instances}
		u := license.Usage{License: l, Activated: activated}
		if change != nil {
			change(&u.License)
		}
		return u
	}
	revoked := func(l *license.License) { l.RevokedAt = now.Add(-time.Hour) }
	expired := func(l *license.License) { l.ExpiresAt = now }
	expiring := func(l *license.License) { l.ExpiresAt = now.Add(time.Millisecond) }
	unpaid := func(l *license.License) { l.Paid = false }
	both := func(fs ...func(*license.License)) func(*license.License) {
		return func(l *license.License) {
			for _, f := range fs {
				f(l)
			}
		}
	}

	const active, over, withdrawn = license.StatusActive, license.StatusExpired, license.StatusRevoked
	tests := []struct {
		name     string
		usage    license.Usage
		activate error
		verify   license.Refusal
		status   license.Status
	}{
		{"free seat", usage(1, false, nil), nil, license.NotActivated, active},
		{"full", usage(2, false, nil), license.ErrTooManyInstances, license.NotActivated, active},
		{"over-full", usage(3, false, nil), license.ErrTooManyInstances, license.NotActivated, active},
		{"activated", usage(1, true, nil), nil, license.Usable, active},
		{"activated, full", usage(2, true, nil), nil, license.Usable, active},
		{"at the end of its term", usage(1, true, expired), license.ErrUnusable, license.Expired, over},
		{"just before it", usage(1, true, expiring), nil, license.Usable, active},
		{"revoked", usage(1, true, revoked), license.ErrUnusable, license.Revoked, withdrawn},
		{"unpaid", usage(1, true, unpaid), license.ErrUnusable, license.Unpaid, active},
		{
			"revoked before all",
			usage(1, true, both(revoked, expired, unpaid)),
			license.ErrUnusable,
			license.Revoked,
			withdrawn,
		},
		{"unpaid before expired", usage(0, false, both(expired, unpaid)), license.ErrUnusable, license.Unpaid, over},
		{"expired before not activated", usage(0, false, expired), license.ErrUnusable, license.Expired, over},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := tt.usage.CanActivate(license.Activation{At: now}); !errors.Is(got, tt.activate) {
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
