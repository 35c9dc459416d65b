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

// License returns a licence of the product that Product(slug) makes, with
// something in every field.
func License(id, slug string) market.License {
	return market.License{
		ID: id, ProductID: "prod-" + slug, TierID: "pro", UserID: "user", KeyHash: "hash-" + id, KeySealed: "sealed",
		Type: market.Subscription, Features: []string{"All"}, MaxInstances: 3, Paid: true,
		ExpiresAt: T0.AddDate(0, 1, 0), RevokedAt: T0.AddDate(0, 0, 1), CreatedAt: T0,
	}
}

func testSales(t *testing.T, open Open) {
	// sales returns a database with the products a and b and the licence l of a.
	sales := func(t *testing.T) *store.Sales {
		t.Helper()
		db := open(t)
		mustCreate(t, store.NewCatalogue(db), Product("a"))
		mustCreate(t, store.NewCatalogue(db), Product("b"))
		s := store.NewSales(db)
		if err := s.CreateLicense(t.Context(), License("l", "a")); err != nil {
			t.Fatal(err)
		}
		return s
	}

	t.Run("a licence comes back as it was created, and only for its product", func(t *testing.T) {
		t.Parallel()

		s := sales(t)
		got, err := s.LicenseByKey(t.Context(), "prod-a", "hash-l", "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, market.Usage{License: License("l", "a")}); diff != "" {
			t.Errorf("LicenseByKey (-got +want):\n%s", diff)
		}
		_, err = s.LicenseByKey(t.Context(), "prod-b", "hash-l", "x")
		wantKind(t, err, errs.NotFound)
		_, err = s.LicenseByKey(t.Context(), "prod-a", "hash-m", "x")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("a taken licence id or key is a conflict", func(t *testing.T) {
		t.Parallel()

		s := sales(t)
		wantKind(t, s.CreateLicense(t.Context(), License("l", "b")), errs.Conflict)
		sameKey := License("m", "a")
		sameKey.KeyHash = "hash-l"
		wantKind(t, s.CreateLicense(t.Context(), sameKey), errs.Conflict)
	})
	t.Run("an order comes back as it was created", func(t *testing.T) {
		t.Parallel()

		s := sales(t)
		o := market.Order{
			ID: "o", ProductID: "prod-a", TierID: "pro", UserID: "anonymous", PaymentMethod: "card", Billing: &market.BillingInfo{Name: "Ada", Email: "a@b", Company: "C"},
			Amount: market.Money{Minor: 2990, Currency: "EUR"}, Status: market.OrderPaid, LicenseID: "l", CreatedAt: T0,
		}
		if err := s.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		got, err := s.OrderByID(t.Context(), "o")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, o); diff != "" {
			t.Errorf("OrderByID (-got +want):\n%s", diff)
		}
		wantKind(t, s.CreateOrder(t.Context(), o), errs.Conflict)
		_, err = s.OrderByID(t.Context(), "p")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("an instance added twice counts once, and for its licence only", func(t *testing.T) {
		t.Parallel()

		s := sales(t)
		if err := s.CreateLicense(t.Context(), License("m", "a")); err != nil {
			t.Fatal(err)
		}
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
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		s, stop := sales(t), errors.New("stop")
		err := s.InTx(t.Context(), func(tx market.Sales) error {
			return errors.Join(tx.CreateLicense(t.Context(), License("m", "a")), tx.CountDownload(t.Context(), "prod-a"), stop)
		})
		if !errors.Is(err, stop) {
			t.Fatalf("InTx = %v", err)
		}
		_, err = s.LicenseByKey(t.Context(), "prod-a", "hash-m", "x")
		wantKind(t, err, errs.NotFound)
	})
	t.Run("a licence stays locked until the transaction ends", func(t *testing.T) { t.Parallel(); testLicenseLock(t, sales(t)) })
	t.Run("many transactions, one seat", func(t *testing.T) { t.Parallel(); testOneSeat(t, sales(t)) })
}

// testLicenseLock has one transaction hold the licence while another asks for
// it: the second must wait, and then see what the first did.
func testLicenseLock(t *testing.T, s *store.Sales) {
	second := make(chan market.Usage, 1)
	var wg sync.WaitGroup
	err := s.InTx(t.Context(), func(tx market.Sales) error {
		if _, err := tx.LicenseByKey(t.Context(), "prod-a", "hash-l", "x"); err != nil {
			return err
		}
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx market.Sales) error {
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
func testOneSeat(t *testing.T, s *store.Sales) {
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for i := range 16 {
		wg.Go(func() {
			instance := fmt.Sprint(i)
			err := s.InTx(t.Context(), func(tx market.Sales) error {
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
