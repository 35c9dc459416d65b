package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/errs"
	"stoa/internal/market"
	"stoa/internal/store"
)

func testLicenses(t *testing.T, open Open) {
	// licenses returns a database with the product a and its licences l and m.
	licenses := func(t *testing.T) *store.Licenses {
		t.Helper()
		db := open(t)
		mustCreate(t, store.NewCatalogue(db), Product("a"))
		for _, id := range []string{"l", "m"} {
			if err := store.NewSales(db).CreateLicense(t.Context(), License(id, "a")); err != nil {
				t.Fatal(err)
			}
		}
		return store.NewLicenses(db)
	}

	t.Run("a licence comes back as it was created, and only for its product", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		got, err := s.LicenseByKey(t.Context(), "prod-a", "hash-l", "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, market.Usage{License: License("l", "a")}); diff != "" {
			t.Errorf("LicenseByKey (-got +want):\n%s", diff)
		}
		_, err = s.LicenseByKey(t.Context(), "prod-b", "hash-l", "x")
		wantKind(t, err, errs.NotFound)
		_, err = s.LicenseByKey(t.Context(), "prod-a", "hash-n", "x")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("an instance added twice counts once, and for its licence only", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		for _, at := range []string{"x", "x", "y"} {
			if err := s.AddInstance(t.Context(), "l", at, T0); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			hash, instance string
			count          int
			activated      bool
		}{{"hash-l", "x", 2, true}, {"hash-l", "z", 2, false}, {"hash-m", "x", 0, false}} {
			u, err := s.LicenseByKey(t.Context(), "prod-a", tt.hash, tt.instance)
			if err != nil || u.Instances != tt.count || u.Activated != tt.activated {
				t.Errorf("LicenseByKey(%s, %s) = %d, %v, %v; want %d, %v", tt.hash, tt.instance, u.Instances, u.Activated, err, tt.count, tt.activated)
			}
		}
	})
	t.Run("a licence stays locked until the transaction ends", func(t *testing.T) { t.Parallel(); testLicenseLock(t, licenses(t)) })
	t.Run("many transactions, one seat", func(t *testing.T) { t.Parallel(); testOneSeat(t, licenses(t)) })
}

// testLicenseLock has one transaction hold the licence while another asks for
// it: the second must wait, and then see what the first did.
func testLicenseLock(t *testing.T, s *store.Licenses) {
	second := make(chan market.Usage, 1)
	var wg sync.WaitGroup
	err := s.InTx(t.Context(), func(tx market.Licenses) error {
		if _, err := tx.LicenseByKey(t.Context(), "prod-a", "hash-l", "x"); err != nil {
			return err
		}
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx market.Licenses) error {
				u, err := tx.LicenseByKey(t.Context(), "prod-a", "hash-l", "x")
				second <- u
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		select {
		case u := <-second:
			t.Error("the second transaction did not wait for the first")
			second <- u
		case <-time.After(300 * time.Millisecond): // time enough to answer, if nothing held it
		}
		return tx.AddInstance(t.Context(), "l", "x", T0)
	})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if u := <-second; u.Instances != 1 || !u.Activated {
		t.Errorf("the second transaction saw %d instances, want what the first added", u.Instances)
	}
}

var errFull = errors.New("full")

// testOneSeat takes seats as Service.Activate does: look, then add.
func testOneSeat(t *testing.T, s *store.Licenses) {
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for i := range 16 {
		wg.Go(func() {
			instance := fmt.Sprint(i)
			err := s.InTx(t.Context(), func(tx market.Licenses) error {
				u, err := tx.LicenseByKey(t.Context(), "prod-a", "hash-l", instance)
				if err != nil {
					return err
				}
				if u.Instances > 0 {
					return errFull
				}
				return tx.AddInstance(t.Context(), "l", instance, T0)
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
	u, err := s.LicenseByKey(t.Context(), "prod-a", "hash-l", "0")
	if err != nil || u.Instances != 1 || taken.Load() != 1 {
		t.Errorf("%d instances, %d transactions (%v); want one of each", u.Instances, taken.Load(), err)
	}
}
