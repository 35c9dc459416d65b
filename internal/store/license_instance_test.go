package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/store"
)

func testLicenseInstances(t *testing.T, open Open) {
	t.Run("an instance that is added twice counts once, and only for its license", func(t *testing.T) {
		t.Parallel()
		testInstancesCountOnce(t, licenseDB(t, open))
	})
	t.Run("development instances have a count of their own", func(t *testing.T) {
		t.Parallel()
		testDevelopmentInstances(t, licenseDB(t, open))
	})
	t.Run("staging addresses are counted by domain, and go with it", func(t *testing.T) {
		t.Parallel()
		testStaging(t, licenseDB(t, open))
	})
}

func testInstancesCountOnce(t *testing.T, s *store.Licenses) {
	for _, at := range []string{"x", "x", "y"} {
		if err := s.AddActivation(t.Context(), "l", license.Activation{InstanceID: at, At: T0}, T0); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		hash, instance string
		count          int
		activated      bool
	}{{"hash-l", "x", 2, true}, {"hash-l", "z", 2, false}, {"hash-m", "x", 0, false}} {
		u, err := s.LicenseByKey(t.Context(), "a", tt.hash, tt.instance)
		if err != nil || u.License.Instances != tt.count || u.Activated != tt.activated {
			t.Errorf("LicenseByKey(%s, %s) = %d, %v, %v; want %d, %v",
				tt.hash, tt.instance, u.License.Instances, u.Activated, err, tt.count, tt.activated)
		}
	}
}

func testDevelopmentInstances(t *testing.T, s *store.Licenses) {
	for _, a := range []license.Activation{
		{InstanceID: "x", At: T0},
		{InstanceID: "d", At: T0, Development: true},
		{InstanceID: "e", At: T0, Development: true},
		{InstanceID: "x", At: T0.Add(time.Hour), Development: true}, // exists: nothing changes
	} {
		if err := s.AddActivation(t.Context(), "l", a, T0.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	wantCounts(t, s, 1, 2)
	for _, id := range []string{"e", "x"} {
		if err := s.RemoveActivation(t.Context(), "l", id); err != nil {
			t.Fatal(err)
		}
	}
	wantCounts(t, s, 0, 1)
	wantKind(t, s.RemoveActivation(t.Context(), "l", "x"), errs.NotFound)
	wantKind(t, s.RemoveActivation(t.Context(), "m", "d"), errs.NotFound)
	wantCounts(t, s, 0, 1)
	l, err := s.LicenseByID(t.Context(), "l")
	if err != nil || !l.Churn.Equal(T0.Add(time.Minute)) || l.Version != 1 {
		t.Errorf("churn %s, version %d, %v; want it stored, and the same version", l.Churn, l.Version, err)
	}
}

func testStaging(t *testing.T, s *store.Licenses) {
	for _, a := range []license.Activation{
		{InstanceID: "a.example"},
		{InstanceID: "b.example"},
		{InstanceID: "c.example", Development: true},
		{InstanceID: "dev.a.example", Development: true, StagingOf: "a.example"},
		{InstanceID: "test.a.example", Development: true, StagingOf: "a.example"},
		{InstanceID: "dev.b.example", Development: true, StagingOf: "b.example"},
	} {
		a.At = T0
		if err := s.AddActivation(t.Context(), "l", a, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	wantStaging(t, s, "a.example", true, 2)
	wantStaging(t, s, "c.example", false, 0) // activated, and takes no seat
	wantStaging(t, s, "", false, 0)
	for instance, development := range map[string]bool{"a.example": false, "dev.a.example": true} {
		locked, err := s.LicenseByKey(t.Context(), "a", "hash-l", instance)
		if err != nil {
			t.Fatal(err)
		}
		read, err := s.UsageByKey(t.Context(), "a", "hash-l", instance)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []license.Usage{locked, read} {
			if !u.Activated || u.Development != development {
				t.Errorf("%s: activated %v, development %v; want %v", instance, u.Activated, u.Development, development)
			}
		}
	}
	if err := s.RemoveActivation(t.Context(), "l", "test.a.example"); err != nil { // takes no others along
		t.Fatal(err)
	}
	wantCounts(t, s, 2, 3)
	if err := s.RemoveActivation(t.Context(), "l", "a.example"); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, s, 1, 2)
	wantStaging(t, s, "a.example", false, 0)
	wantStaging(t, s, "b.example", true, 1)
}

func wantStaging(tb testing.TB, s *store.Licenses, domain string, seated bool, addresses int) {
	tb.Helper()
	is, n, err := s.Staging(tb.Context(), "l", domain)
	if err != nil || is != seated || n != addresses {
		tb.Errorf("Staging(%q) = %v, %d, %v; want %v, %d", domain, is, n, err, seated, addresses)
	}
}

// wantCounts checks the counters of the license l.
func wantCounts(tb testing.TB, s *store.Licenses, counted, development int) {
	tb.Helper()
	l, err := s.LicenseByID(tb.Context(), "l")
	if err != nil || l.Instances != counted || l.DevelopmentInstances != development {
		tb.Errorf("%d instances and %d development ones (%v), want %d and %d",
			l.Instances, l.DevelopmentInstances, err, counted, development)
	}
}

var errFull = errors.New("full")

// testOneSeat takes seats as license.Service.Activate does: look, then add.
func testOneSeat(t *testing.T, s *store.Licenses, inTx func(context.Context, func(license.Store) error) error) {
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for i := range 16 {
		wg.Go(func() {
			instance := fmt.Sprint(i)
			err := inTx(t.Context(), func(tx license.Store) error {
				u, err := tx.LicenseByKey(t.Context(), "a", "hash-l", instance)
				if err != nil {
					return err
				}
				if u.License.Instances > 0 {
					return errFull
				}
				return tx.AddActivation(t.Context(), "l", license.Activation{InstanceID: instance, At: T0}, time.Time{})
			})
			switch {
			case err == nil:
				taken.Add(1)
			case !errors.Is(err, errFull):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	u, err := s.LicenseByKey(t.Context(), "a", "hash-l", "0")
	if err != nil || u.License.Instances != 1 || taken.Load() != 1 {
		t.Errorf("%d instances, %d transactions (%v); want one of each", u.License.Instances, taken.Load(), err)
	}
}
