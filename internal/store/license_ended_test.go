package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/store"
)

// takeEnded returns the ids of the licenses that TakeEnded returns.
func takeEnded(t *testing.T, s license.Store, now time.Time) (ids []string) {
	t.Helper()
	list, err := s.TakeEnded(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

func testEndedLicenses(t *testing.T, open Open) {
	end := T0.AddDate(0, 1, 0)
	fill := func(t *testing.T) *store.Licenses {
		t.Helper()
		db := shopDB(t, open)
		for id, change := range map[string]func(*license.License){
			"later":     func(*license.License) {},
			"sooner":    func(l *license.License) { l.Leeway = 0 },
			"goes-on":   func(l *license.License) { l.Leeway = time.Hour + time.Millisecond },
			"perpetual": func(l *license.License) { l.ExpiresAt = time.Time{} },
			"unpaid":    func(l *license.License) { l.Paid = false },
			"revoked":   func(l *license.License) { l.RevokedAt = T0 },
		} {
			l := License(id, "a")
			l.RevokedAt, l.ExpiresAt = time.Time{}, end
			change(&l)
			if err := store.NewOrders(db).CreateLicense(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		return store.NewLicenses(db)
	}
	at := end.Add(time.Hour)

	t.Run("an end is taken once, and another one again", func(t *testing.T) {
		t.Parallel()

		s := fill(t)
		if got := takeEnded(t, s, end.Add(-time.Millisecond)); got != nil {
			t.Errorf("before any end: %v", got)
		}
		if got := takeEnded(t, s, at); !slices.Equal(got, []string{"sooner", "later"}) {
			t.Errorf("TakeEnded = %v", got)
		}
		if got := takeEnded(t, s, at); got != nil {
			t.Errorf("again: %v", got)
		}
		l, err := s.LicenseByID(t.Context(), "sooner")
		if err != nil {
			t.Fatal(err)
		}
		l.ExpiresAt = at
		if err := s.UpdateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if got := takeEnded(t, s, at); !slices.Equal(got, []string{"sooner"}) {
			t.Errorf("with another end: %v", got)
		}
	})
	t.Run("a transaction that fails takes none", func(t *testing.T) {
		t.Parallel()

		s, killed := fill(t), errors.New("killed")
		err := s.InTx(t.Context(), func(tx license.Store) error {
			if got := takeEnded(t, tx, at); len(got) != 2 {
				t.Errorf("TakeEnded = %v", got)
			}
			return killed
		})
		if !errors.Is(err, killed) {
			t.Fatal(err)
		}
		if got := takeEnded(t, s, at); len(got) != 2 {
			t.Errorf("afterwards: %v", got)
		}
	})
}
