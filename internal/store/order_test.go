package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

// Order returns a paid order of the product that Product(slug) makes, for the license
// that has the same id. It has a bill with an e-mail address if email is not empty.
func Order(id, slug, userID, email string, at time.Time) order.Order {
	o := order.Order{
		ID: id, ProductID: "prod-" + slug, TierID: "pro", UserID: userID, PaymentMethod: "card",
		Amount: product.Money{Minor: 2990, Currency: "EUR"}, LicenseID: id, CreatedAt: at, PaidAt: at,
	}
	if email != "" {
		o.Billing = &order.BillingInfo{Name: "Ada", Email: email}
	}
	return o
}

// mustOrder creates an order with a license that has the same id and owner.
func mustOrder(tb testing.TB, s *store.Orders, o order.Order) order.Order {
	tb.Helper()
	l := License(o.ID, o.ProductID[len("prod-"):])
	l.UserID = o.UserID
	if err := errors.Join(s.CreateLicense(tb.Context(), l), s.CreateOrder(tb.Context(), o)); err != nil {
		tb.Fatal(err)
	}
	return o
}

// shopDB returns a database with the products a and b.
func shopDB(tb testing.TB, open Open) *database.DB {
	tb.Helper()
	db := open(tb)
	mustCreate(tb, store.NewProducts(db), Product("a"))
	mustCreate(tb, store.NewProducts(db), Product("b"))
	return db
}

// FullOrder returns an order of that product and that license, with something in
// every field.
func FullOrder(id, slug, licenseID string) order.Order {
	o := Order(id, slug, "anonymous", "a@b.c", T0)
	o.Period, o.LicenseID = product.Yearly, licenseID
	o.Discount = order.Discount{ID: "d1", Code: "LAUNCH20", Minor: 1000, Duration: discount.Forever}
	o.Provider, o.PaymentURL = "stripe", "https://pay.example/s1"
	o.Payment = payment.Reference{Session: "s1", Payment: "p1", Invoice: "i1", Subscription: "u1", Customer: "c1"}
	o.PaidAt, o.RefundedAt, o.CancelledAt = T0.Add(time.Minute), T0.Add(time.Hour), T0.Add(2*time.Hour)
	o.EndedAt = T0.Add(3 * time.Hour)
	o.PartlyRefunded, o.Ends, o.RenewalToldAt, o.Demo = 7, true, T0.Add(4*time.Hour), true
	o.Trial, o.Follows = true, true
	return o
}

func testOrders(t *testing.T, open Open) {
	t.Run("rows", func(t *testing.T) { t.Parallel(); testOrderRows(t, open) })
	t.Run("lists", func(t *testing.T) { t.Parallel(); testOrderLists(t, open) })
	t.Run("payments", func(t *testing.T) { t.Parallel(); testPayments(t, open) })
	t.Run("what was paid", func(t *testing.T) { t.Parallel(); testPaid(t, store.NewOrders(shopDB(t, open))) })
	t.Run("sales by day", func(t *testing.T) { t.Parallel(); testSalesDays(t, open) })
	t.Run("sales by day, once", func(t *testing.T) { t.Parallel(); testSalesDaysOnce(t, open) })
	t.Run("sales by day, with tax", func(t *testing.T) { t.Parallel(); testSalesDaysTax(t, open) })
	t.Run("allowances", func(t *testing.T) { t.Parallel(); testAllowances(t, open) })
	t.Run("an order stays locked until the transaction ends", func(t *testing.T) {
		t.Parallel()
		testOrderLock(t, salesDB(t, open))
	})
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		s, stop := salesDB(t, open), errors.New("stop")
		err := s.InTx(t.Context(), func(tx order.Store) error {
			return errors.Join(tx.CreateLicense(t.Context(), License("m", "a")), tx.CountDownload(t.Context(), "prod-a"), stop)
		})
		if !errors.Is(err, stop) {
			t.Fatalf("InTx = %v", err)
		}
		if err := s.CreateLicense(t.Context(), License("m", "a")); err != nil {
			t.Errorf("the license is still there: %v", err)
		}
	})
}

// salesDB returns a database with the products a and b and the license l of a.
func salesDB(tb testing.TB, open Open) *store.Orders {
	tb.Helper()
	s := store.NewOrders(shopDB(tb, open))
	if err := s.CreateLicense(tb.Context(), License("l", "a")); err != nil {
		tb.Fatal(err)
	}
	return s
}

func testOrderRows(t *testing.T, open Open) {
	t.Run("a taken license id or key is a conflict", func(t *testing.T) {
		t.Parallel()

		s := salesDB(t, open)
		wantKind(t, s.CreateLicense(t.Context(), License("l", "b")), errs.Conflict)
		sameKey := License("m", "a")
		sameKey.KeyHash = "hash-l"
		wantKind(t, s.CreateLicense(t.Context(), sameKey), errs.Conflict)
	})
	t.Run("an order comes back as it was created", func(t *testing.T) {
		t.Parallel()

		s := salesDB(t, open)
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
	t.Run("an update changes how an order is paid and what happened to it, and nothing else", func(t *testing.T) {
		t.Parallel()

		s := salesDB(t, open)
		o := FullOrder("o", "a", "l")
		if err := s.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		want := o
		want.Provider, want.PaymentURL = "other", "https://other.example"
		want.Payment = payment.Reference{Session: "s2", Payment: "p2", Invoice: "i2", Subscription: "u2", Customer: "c2"}
		want.PaidAt, want.RefundedAt, want.CancelledAt = T0.Add(time.Second), time.Time{}, T0.Add(time.Minute)
		want.EndedAt = T0.Add(time.Hour)
		want.PartlyRefunded, want.Ends, want.RenewalToldAt = 1234, false, T0.Add(2*time.Hour)
		next := want
		next.ProductID, next.TierID, next.UserID, next.PaymentMethod, next.Billing = "prod-b", "x", "x", "x", nil
		next.Amount, next.Period = product.Money{Minor: 1, Currency: "JPY"}, product.Monthly
		next.LicenseID, next.CreatedAt = "m", T0.Add(time.Hour)
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
}

// testOrderLock has one transaction lock an order while another asks for it. The
// second must wait, and then see what the first did.
func testOrderLock(t *testing.T, s *store.Orders) {
	o := FullOrder("o", "a", "l")
	o.PaidAt, o.RefundedAt, o.CancelledAt = time.Time{}, time.Time{}, time.Time{}
	if err := s.CreateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	second := make(chan order.Order, 1)
	var wg sync.WaitGroup
	err := s.InTx(t.Context(), func(tx order.Store) error {
		o, err := tx.OrderByID(t.Context(), "o")
		if err != nil {
			return err
		}
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx order.Store) error {
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
		case <-time.After(300 * time.Millisecond): // long enough for an answer without the lock
		}
		o.PaidAt = T0
		return tx.UpdateOrder(t.Context(), o)
	})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if o := <-second; o.Status() != order.Paid {
		t.Errorf("the second transaction saw a %s order, want what the first wrote", o.Status())
	}
}
