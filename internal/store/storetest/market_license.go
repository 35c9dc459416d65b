package storetest

import (
	"context"
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
		mustCreate(t, store.NewProducts(db), Product("a"))
		mustCreate(t, store.NewProducts(db), Product("b"))
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
		got, err := s.LicenseByKey(t.Context(), "a", "hash-l", "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, market.Usage{License: License("l", "a")}); diff != "" {
			t.Errorf("LicenseByKey (-got +want):\n%s", diff)
		}
		_, err = s.LicenseByKey(t.Context(), "b", "hash-l", "x")
		wantKind(t, err, errs.NotFound)
		_, err = s.LicenseByKey(t.Context(), "a", "hash-n", "x")
		wantKind(t, err, errs.NotFound)
		_, err = s.LicenseByKey(t.Context(), "nothing", "hash-l", "x")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("the usage of a licence is what verifying needs of it", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		if err := s.AddInstance(t.Context(), "l", market.Activation{InstanceID: "x", At: T0}, T0); err != nil {
			t.Fatal(err)
		}
		full := License("l", "a")
		want := market.License{
			ID: full.ID, ProductID: full.ProductID, Type: full.Type, Features: full.Features, MaxInstances: full.MaxInstances,
			Instances: 1, Paid: full.Paid, ExpiresAt: full.ExpiresAt, RevokedAt: T0, CreatedAt: full.CreatedAt,
		}
		full.RevokedAt = T0
		if err := s.UpdateLicense(t.Context(), full); err != nil {
			t.Fatal(err)
		}
		for _, instance := range []string{"x", "y"} {
			got, err := s.UsageByKey(t.Context(), "a", "hash-l", instance)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, market.Usage{License: want, Activated: instance == "x"}); diff != "" {
				t.Errorf("UsageByKey(%s) (-got +want):\n%s", instance, diff)
			}
		}
		for _, other := range [][2]string{{"b", "hash-l"}, {"a", "hash-n"}, {"nothing", "hash-l"}} {
			_, err := s.UsageByKey(t.Context(), other[0], other[1], "x")
			wantKind(t, err, errs.NotFound)
		}
	})
	t.Run("a term that ended as 1970 began has ended, and none is none", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		l := License("l", "a")
		for _, end := range []time.Time{time.UnixMilli(0).UTC(), {}} {
			l.ExpiresAt = end
			if err := s.UpdateLicense(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			got, err := s.UsageByKey(t.Context(), "a", "hash-l", "x")
			if err != nil {
				t.Fatal(err)
			}
			if !got.License.ExpiresAt.Equal(end) {
				t.Errorf("UsageByKey: ExpiresAt = %v, want %v", got.License.ExpiresAt, end)
			}
		}
	})
	t.Run("an instance added twice counts once, and for its licence only", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		for _, at := range []string{"x", "x", "y"} {
			if err := s.AddInstance(t.Context(), "l", market.Activation{InstanceID: at, At: T0}, T0); err != nil {
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
				t.Errorf("LicenseByKey(%s, %s) = %d, %v, %v; want %d, %v", tt.hash, tt.instance, u.License.Instances, u.Activated, err, tt.count, tt.activated)
			}
		}
	})
	t.Run("development instances are counted apart", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		for _, a := range []market.Activation{
			{InstanceID: "x", At: T0},
			{InstanceID: "d", At: T0, Development: true},
			{InstanceID: "e", At: T0, Development: true},
			{InstanceID: "x", At: T0.Add(time.Hour), Development: true}, // there already: nothing changes
		} {
			if err := s.AddInstance(t.Context(), "l", a, T0.Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		wantCounts(t, s, 1, 2)
		for _, id := range []string{"e", "x"} {
			if err := s.RemoveInstance(t.Context(), "l", id); err != nil {
				t.Fatal(err)
			}
		}
		wantCounts(t, s, 0, 1)
		wantKind(t, s.RemoveInstance(t.Context(), "l", "x"), errs.NotFound)
		wantKind(t, s.RemoveInstance(t.Context(), "m", "d"), errs.NotFound)
		wantCounts(t, s, 0, 1)
		l, err := s.LicenseByID(t.Context(), "l")
		if err != nil || !l.Churn.Equal(T0.Add(time.Minute)) || l.Version != 1 {
			t.Errorf("churn %s, version %d, %v; want it stored, and the version as it was", l.Churn, l.Version, err)
		}
	})
	t.Run("an update keeps what identifies a licence and what is counted", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		if err := s.AddInstance(t.Context(), "l", market.Activation{InstanceID: "x", At: T0}, T0); err != nil {
			t.Fatal(err)
		}
		next := License("l", "b")
		next.TierID, next.KeyHash, next.KeySealed, next.CreatedAt = "other", "other", "other", T0.Add(time.Hour)
		next.UserID, next.Type, next.Features, next.MaxInstances, next.Paid = "ada", market.Perpetual, nil, 9, false
		next.ExpiresAt, next.Months, next.Anchor, next.Periods, next.RevokedAt = time.Time{}, 12, time.Time{}, 0, time.Time{}
		next.Instances, next.DevelopmentInstances, next.Churn, next.Version = 7, 7, time.Time{}, 7
		if err := s.UpdateLicense(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		want, was := next, License("l", "a")
		want.ProductID, want.TierID, want.KeyHash, want.KeySealed, want.CreatedAt = was.ProductID, was.TierID, was.KeyHash, was.KeySealed, was.CreatedAt
		want.Features, want.Instances, want.DevelopmentInstances, want.Churn, want.Version = []string{}, 1, 0, T0, 2
		got, err := s.LicenseByID(t.Context(), "l")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("after the update (-got +want):\n%s", diff)
		}
		next.ID = "n"
		wantKind(t, s.UpdateLicense(t.Context(), next), errs.NotFound)
		_, err = s.LicenseByID(t.Context(), "n")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("a renewal is known by licence and reference", func(t *testing.T) {
		t.Parallel()

		s := licenses(t)
		if err := s.AddRenewal(t.Context(), "l", "in_1", T0); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			license, reference string
			want               bool
		}{{"l", "in_1", true}, {"l", "in_2", false}, {"m", "in_1", false}} {
			if has, err := s.HasRenewal(t.Context(), tt.license, tt.reference); has != tt.want || err != nil {
				t.Errorf("HasRenewal(%s, %s) = %v, %v; want %v", tt.license, tt.reference, has, err, tt.want)
			}
		}
		wantKind(t, s.AddRenewal(t.Context(), "l", "in_1", T0), errs.Conflict)
	})
	t.Run("a licence stays locked until the transaction ends", func(t *testing.T) { t.Parallel(); testLicenseLock(t, licenses(t)) })
	t.Run("lists", func(t *testing.T) { t.Parallel(); testLicenseList(t, open) })
	t.Run("many transactions, one seat", func(t *testing.T) { t.Parallel(); s := licenses(t); testOneSeat(t, s, s.InTx) })
	t.Run("many short transactions, one seat", func(t *testing.T) { t.Parallel(); s := licenses(t); testOneSeat(t, s, s.InShortTx) })
}

// wantCounts checks the counters of the licence l.
func wantCounts(tb testing.TB, s *store.Licenses, counted, development int) {
	tb.Helper()
	l, err := s.LicenseByID(tb.Context(), "l")
	if err != nil || l.Instances != counted || l.DevelopmentInstances != development {
		tb.Errorf("%d instances and %d development ones (%v), want %d and %d", l.Instances, l.DevelopmentInstances, err, counted, development)
	}
}

// testLicenseLock has one transaction hold the licence while another asks for
// it: the second must wait, and then see what the first did.
func testLicenseLock(t *testing.T, s *store.Licenses) {
	second := make(chan market.Usage, 1)
	var wg sync.WaitGroup
	err := s.InTx(t.Context(), func(tx market.Licenses) error {
		if _, err := tx.LicenseByKey(t.Context(), "a", "hash-l", "x"); err != nil {
			return err
		}
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx market.Licenses) error {
				u, err := tx.LicenseByKey(t.Context(), "a", "hash-l", "x")
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
		return tx.AddInstance(t.Context(), "l", market.Activation{InstanceID: "x", At: T0}, time.Time{})
	})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if u := <-second; u.License.Instances != 1 || !u.Activated {
		t.Errorf("the second transaction saw %d instances, want what the first added", u.License.Instances)
	}
}

var errFull = errors.New("full")

// testOneSeat takes seats as Service.Activate does: look, then add.
func testOneSeat(t *testing.T, s *store.Licenses, inTx func(context.Context, func(market.Licenses) error) error) {
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for i := range 16 {
		wg.Go(func() {
			instance := fmt.Sprint(i)
			err := inTx(t.Context(), func(tx market.Licenses) error {
				u, err := tx.LicenseByKey(t.Context(), "a", "hash-l", instance)
				if err != nil {
					return err
				}
				if u.License.Instances > 0 {
					return errFull
				}
				return tx.AddInstance(t.Context(), "l", market.Activation{InstanceID: instance, At: T0}, time.Time{})
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
