package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/shop/license"
	"stoa/internal/store"
)

// License returns a license of the product that Product(slug) makes, with
// something in every field.
func License(id, slug string) license.License {
	return license.License{
		ID: id, ProductID: "prod-" + slug, TierID: "pro", UserID: "user", KeyHash: "hash-" + id, KeySealed: "sealed",
		Type: license.Subscription, Features: []string{"All"}, MaxInstances: 3, Paid: true,
		ExpiresAt: T0.AddDate(0, 1, 0), Months: 1, Anchor: T0, Periods: 1, Leeway: time.Hour, Ends: true, Trial: true,
		RevokedAt: T0.AddDate(0, 0, 1), CreatedAt: T0, Version: 1, Demo: true,
	}
}

func testLicenses(t *testing.T, open Open) {
	t.Run("rows", func(t *testing.T) { t.Parallel(); testLicenseRows(t, open) })
	t.Run("usage", func(t *testing.T) { t.Parallel(); testLicenseUsage(t, open) })
	t.Run("instances", func(t *testing.T) { t.Parallel(); testLicenseInstances(t, open) })
	t.Run("the order of a license", func(t *testing.T) { t.Parallel(); testOrderOfLicense(t, open) })
	t.Run("lists", func(t *testing.T) { t.Parallel(); testLicenseList(t, open) })
	t.Run("ends", func(t *testing.T) { t.Parallel(); testEndedLicenses(t, open) })
	t.Run("a renewal is recorded once for a license and a reference", func(t *testing.T) {
		t.Parallel()

		s := licenseDB(t, open)
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
	t.Run("a license stays locked until the transaction ends", func(t *testing.T) {
		t.Parallel()
		testLicenseLock(t, licenseDB(t, open))
	})
	t.Run("many transactions, one seat", func(t *testing.T) {
		t.Parallel()
		s := licenseDB(t, open)
		testOneSeat(t, s, s.InTx)
	})
	t.Run("many short transactions, one seat", func(t *testing.T) {
		t.Parallel()
		s := licenseDB(t, open)
		testOneSeat(t, s, s.InShortTx)
	})
}

// licenseDB returns a database with the products a and b and the licenses l and m of
// a.
func licenseDB(tb testing.TB, open Open) *store.Licenses {
	tb.Helper()
	db := shopDB(tb, open)
	for _, id := range []string{"l", "m"} {
		if err := store.NewOrders(db).CreateLicense(tb.Context(), License(id, "a")); err != nil {
			tb.Fatal(err)
		}
	}
	return store.NewLicenses(db)
}

func testLicenseRows(t *testing.T, open Open) {
	t.Run("a license comes back as it was created, and only for its product", func(t *testing.T) {
		t.Parallel()

		s := licenseDB(t, open)
		got, err := s.LicenseByKey(t.Context(), "a", "hash-l", "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, license.Usage{License: License("l", "a")}); diff != "" {
			t.Errorf("LicenseByKey (-got +want):\n%s", diff)
		}
		_, err = s.LicenseByKey(t.Context(), "b", "hash-l", "x")
		wantKind(t, err, errs.NotFound)
		_, err = s.LicenseByKey(t.Context(), "a", "hash-n", "x")
		wantKind(t, err, errs.NotFound)
		_, err = s.LicenseByKey(t.Context(), "nothing", "hash-l", "x")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("an update changes neither what identifies a license nor its counts", func(t *testing.T) {
		t.Parallel()

		s := licenseDB(t, open)
		if err := s.AddActivation(t.Context(), "l", license.Activation{InstanceID: "x", At: T0}, T0); err != nil {
			t.Fatal(err)
		}
		next := License("l", "b")
		next.KeyHash, next.KeySealed, next.CreatedAt = "other", "other", T0.Add(time.Hour)
		next.TierID = "other"
		next.UserID, next.Type, next.Features, next.MaxInstances, next.Paid = "ada", license.Perpetual, nil, 9, false
		next.ExpiresAt, next.Months, next.Anchor, next.Periods, next.RevokedAt = time.Time{}, 12, time.Time{}, 0, time.Time{}
		next.Leeway, next.Ends, next.Trial, next.Demo = 2*time.Hour, false, false, false
		next.Next = license.Next{OrderID: "planned", Terms: license.Terms{TierID: "small"}, Since: T0}
		next.Instances, next.DevelopmentInstances, next.Churn, next.Version = 7, 7, time.Time{}, 7
		if err := s.UpdateLicense(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		want, was := next, License("l", "a")
		want.ProductID, want.CreatedAt = was.ProductID, was.CreatedAt
		want.KeyHash, want.KeySealed, want.Demo = was.KeyHash, was.KeySealed, was.Demo
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
}

func testLicenseUsage(t *testing.T, open Open) {
	t.Run("UsageByKey returns what verifying a license needs", func(t *testing.T) {
		t.Parallel()

		s := licenseDB(t, open)
		if err := s.AddActivation(t.Context(), "l", license.Activation{InstanceID: "x", At: T0}, T0); err != nil {
			t.Fatal(err)
		}
		full := License("l", "a")
		want := license.License{
			ID: full.ID, ProductID: full.ProductID, TierID: full.TierID, Type: full.Type, Features: full.Features,
			MaxInstances: full.MaxInstances, Instances: 1, Paid: full.Paid, ExpiresAt: full.ExpiresAt,
			Leeway: full.Leeway, Trial: full.Trial, RevokedAt: T0, CreatedAt: full.CreatedAt,
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
			if diff := cmp.Diff(got, license.Usage{License: want, Activated: instance == "x"}); diff != "" {
				t.Errorf("UsageByKey(%s) (-got +want):\n%s", instance, diff)
			}
		}
		for _, other := range [][2]string{{"b", "hash-l"}, {"a", "hash-n"}, {"nothing", "hash-l"}} {
			_, err := s.UsageByKey(t.Context(), other[0], other[1], "x")
			wantKind(t, err, errs.NotFound)
		}
	})
	t.Run("a term that ended when 1970 began is not taken for no term", func(t *testing.T) {
		t.Parallel()

		s := licenseDB(t, open)
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
}

// testLicenseLock has one transaction lock the license while another asks for it.
// The second must wait, and then see what the first did.
func testLicenseLock(t *testing.T, s *store.Licenses) {
	second := make(chan license.Usage, 1)
	var wg sync.WaitGroup
	err := s.InTx(t.Context(), func(tx license.Store) error {
		if _, err := tx.LicenseByKey(t.Context(), "a", "hash-l", "x"); err != nil {
			return err
		}
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx license.Store) error {
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
		case <-time.After(300 * time.Millisecond): // long enough for an answer without the lock
		}
		return tx.AddActivation(t.Context(), "l", license.Activation{InstanceID: "x", At: T0}, time.Time{})
	})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if u := <-second; u.License.Instances != 1 || !u.Activated {
		t.Errorf("the second transaction saw %d instances, want what the first added", u.License.Instances)
	}
}
