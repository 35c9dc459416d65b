package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/errs"
	"stoa/internal/market"
	"stoa/internal/market/payment"
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

// FullOrder returns an order of that product and licence with something in every
// field.
func FullOrder(id, slug, licenseID string) market.Order {
	o := Order(id, slug, "anonymous", "a@b.c", T0)
	o.Period, o.LicenseID = market.Yearly, licenseID
	o.Provider, o.PaymentURL = "stripe", "https://pay.example/s1"
	o.Payment = payment.Reference{Session: "s1", Payment: "p1", Invoice: "i1", Subscription: "u1"}
	o.PaidAt, o.RefundedAt, o.CancelledAt = T0.Add(time.Minute), T0.Add(time.Hour), T0.Add(2*time.Hour)
	o.EndedAt = T0.Add(3 * time.Hour)
	return o
}

func testSales(t *testing.T, open Open) {
	// sales returns a database with the products a and b and the licence l of a.
	sales := func(t *testing.T) *store.Sales {
		t.Helper()
		db := open(t)
		mustCreate(t, store.NewProducts(db), Product("a"))
		mustCreate(t, store.NewProducts(db), Product("b"))
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
		o := FullOrder("o", "a", "l")
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
	t.Run("an update changes how an order is paid and what happened, and nothing else", func(t *testing.T) {
		t.Parallel()

		s := sales(t)
		o := FullOrder("o", "a", "l")
		if err := s.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		want := o
		want.Provider, want.PaymentURL = "other", "https://other.example"
		want.Payment = payment.Reference{Session: "s2", Payment: "p2", Invoice: "i2", Subscription: "u2"}
		want.PaidAt, want.RefundedAt, want.CancelledAt = T0.Add(time.Second), time.Time{}, T0.Add(time.Minute)
		want.EndedAt = T0.Add(time.Hour)
		next := want
		next.ProductID, next.TierID, next.UserID, next.PaymentMethod, next.Billing = "prod-b", "x", "x", "x", nil
		next.Amount, next.Period, next.LicenseID, next.CreatedAt = market.Money{Minor: 1, Currency: "JPY"}, market.Monthly, "m", T0.Add(time.Hour)
		if err := s.UpdateOrder(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		got, err := s.OrderByID(t.Context(), "o")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("after the update (-got +want):\n%s", diff)
		}
		next.ID = "nobody"
		wantKind(t, s.UpdateOrder(t.Context(), next), errs.NotFound)
	})
	t.Run("an order stays locked until the transaction ends", func(t *testing.T) { t.Parallel(); testOrderLock(t, sales(t)) })
	t.Run("payments", func(t *testing.T) { t.Parallel(); testPayments(t, open) })
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

// testOrderLock has one transaction hold an order while another asks for it: the
// second must wait, and then see what the first did.
func testOrderLock(t *testing.T, s *store.Sales) {
	o := FullOrder("o", "a", "l")
	o.PaidAt, o.RefundedAt, o.CancelledAt = time.Time{}, time.Time{}, time.Time{}
	if err := s.CreateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	second := make(chan market.Order, 1)
	var wg sync.WaitGroup
	err := s.InTx(t.Context(), func(tx market.Sales) error {
		o, err := tx.OrderByID(t.Context(), "o")
		if err != nil {
			return err
		}
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx market.Sales) error {
				o, err := tx.OrderByID(t.Context(), "o")
				second <- o
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		select {
		case o := <-second:
			t.Error("the second transaction did not wait for the first")
			second <- o
		case <-time.After(300 * time.Millisecond): // time enough to answer, if nothing held it
		}
		o.PaidAt = T0
		return tx.UpdateOrder(t.Context(), o)
	})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if o := <-second; o.Status() != market.OrderPaid {
		t.Errorf("the second transaction saw a %s order, want what the first made of it", o.Status())
	}
}
