package storetest

import (
	"errors"
	"testing"

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
		ExpiresAt: T0.AddDate(0, 1, 0), Months: 1, Anchor: T0, Periods: 1, RevokedAt: T0.AddDate(0, 0, 1), CreatedAt: T0, Version: 1,
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
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		s, stop := sales(t), errors.New("stop")
		err := s.InTx(t.Context(), func(tx market.Sales) error {
			return errors.Join(tx.CreateLicense(t.Context(), License("m", "a")), tx.CountDownload(t.Context(), "prod-a"), stop)
		})
		if !errors.Is(err, stop) {
			t.Fatalf("InTx = %v", err)
		}
		if err := s.CreateLicense(t.Context(), License("m", "a")); err != nil {
			t.Errorf("the licence is still there: %v", err)
		}
	})
}
