package admin_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/testkit"
)

// A payment may be reported several times, also at once: it renews once.
func TestALicenseIsRenewedOnceForOneReference(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		root, key, id := sellOne(t, a, "monthly")
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				l, err := a.Licenses.Renew(t.Context(), id, license.Renewal{
					Periods: 1, Reference: fmt.Sprint("in_", i%2),
				}, nil)
				if err != nil || l.License.ID != id {
					t.Errorf("Renew = %+v, %v", l, err)
				}
			})
		}
		wg.Wait()
		got := a.Verify(t, "mail-pack", key, "first.example").Text(t, "license.expiresAt")
		if got != "2030-06-01T12:00:00.000Z" {
			t.Errorf("expiresAt = %s, want two renewals", got)
		}
		if got := audited(t, a, root.Access, "license.renew"); len(got) != 2 {
			t.Errorf("%d entries in the audit log, want 2: %v", len(got), got)
		}

		a.Clock.Advance(200 * 24 * time.Hour) // 17 September
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "expired")
		if _, err := a.Licenses.Renew(t.Context(), id, license.Renewal{Periods: 1, Reference: "in_0"}, nil); err != nil {
			t.Fatal(err)
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "expired")
		for range 2 { // without a reference every call counts
			if _, err := a.Licenses.Renew(t.Context(), id, license.Renewal{Periods: 1}, nil); err != nil {
				t.Fatal(err)
			}
		}
		got = a.Verify(t, "mail-pack", key, "first.example").Text(t, "license.expiresAt")
		if got != "2030-11-17T12:00:00.000Z" {
			t.Errorf("expiresAt = %s, want two months from now: expired becomes active", got)
		}
	})
}

func TestRevocationIsFinal(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root, key, id := sellOne(t, a, "monthly")
		for range 2 {
			if l, err := a.Licenses.Revoke(t.Context(), id, nil); err != nil ||
				!l.License.RevokedAt.Equal(testkit.T0) || l.License.Version != 2 {
				t.Errorf("RevokeLicense = %+v, %v", l, err)
			}
			a.Clock.Advance(time.Hour)
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "revoked")
		if _, err := a.Licenses.Renew(t.Context(), id, license.Renewal{
			Periods: 1, Reference: "in_1",
		}, nil); !errors.Is(err, license.ErrRevoked) {
			t.Errorf("Renew = %v, want ErrLicenseRevoked", err)
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "revoked")
		if got := audited(t, a, root.Access, "license"); len(got) != 1 || got[0] != "license.revoke license:"+id {
			t.Errorf("the audit log says %v, want one revocation", got)
		}
	})
}

func TestRenewalRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	id := a.UseLicense(t, a.BuyKey(t, "", "monthly"))
	for _, tt := range []struct {
		name, id string
		renewal  license.Renewal
		want     errs.Kind
	}{
		{"nothing", id, license.Renewal{}, errs.Invalid},
		{"one period too many", id, license.Renewal{Periods: 121}, errs.Invalid},
		{"as many as can be", id, license.Renewal{Periods: 120}, ""},
		{"a reference that cannot be stored", id, license.Renewal{Periods: 1, Reference: "\x00"}, errs.Invalid},
		{"perpetual", a.UseLicense(t, a.BuyKey(t, "", "once")), license.Renewal{Periods: 1}, errs.Conflict},
		{"unknown", "nobody", license.Renewal{Periods: 1}, errs.NotFound},
		{"no id at all", "a\x00b", license.Renewal{Periods: 1}, errs.NotFound},
	} {
		if _, err := a.Licenses.Renew(t.Context(), tt.id, tt.renewal, nil); errs.KindOf(err) != tt.want {
			t.Errorf("%s: Renew = %v, want %s", tt.name, err, tt.want)
		}
	}
}
