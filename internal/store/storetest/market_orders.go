package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/database"
	"stoa/internal/errs"
	"stoa/internal/market"
	"stoa/internal/store"
)

// Order returns an order of the product that Product(slug) makes, for the
// licence with the id of the order. Its bill has an address if email is not "".
func Order(id, slug, userID, email string, at time.Time) market.Order {
	o := market.Order{
		ID: id, ProductID: "prod-" + slug, TierID: "pro", UserID: userID, PaymentMethod: "card",
		Amount: market.Money{Minor: 2990, Currency: "EUR"}, LicenseID: id, CreatedAt: at, PaidAt: at,
	}
	if email != "" {
		o.Billing = &market.BillingInfo{Name: "Ada", Email: email}
	}
	return o
}

// mustOrder creates an order with a licence that has the same id and owner.
func mustOrder(tb testing.TB, s *store.Sales, o market.Order) market.Order {
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

func testOrders(t *testing.T, open Open) {
	t.Run("a user's orders, the newest first, a part at a time", func(t *testing.T) { t.Parallel(); testOrdersOf(t, shopDB(t, open)) })
	t.Run("orders and licences of an address are claimed together", func(t *testing.T) { t.Parallel(); testClaimOrders(t, shopDB(t, open)) })
	t.Run("claims", func(t *testing.T) { t.Parallel(); testClaims(t, store.NewOrders(open(t))) })
	t.Run("of many who take a claim one gets it", func(t *testing.T) { t.Parallel(); testTakeOnce(t, store.NewOrders(open(t))) })
	t.Run("an allowance", func(t *testing.T) { t.Parallel(); testAllowance(t, store.NewOrders(open(t))) })
	t.Run("an allowance is exact when many ask", func(t *testing.T) { t.Parallel(); testAllowanceRace(t, store.NewOrders(open(t))) })
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		db, stop := shopDB(t, open), errors.New("stop")
		mustOrder(t, store.NewSales(db), Order("o", "a", "anonymous", "a@b.c", T0))
		s := store.NewOrders(db)
		mustClaim(t, s, "h", "u1", "a@b.c", T0)
		err := s.InTx(t.Context(), func(tx market.Orders) error {
			_, err1 := tx.TakeClaim(t.Context(), "h", "u1", time.Unix(0, 0))
			n, err2 := tx.ClaimOrders(t.Context(), "a@b.c", "u1")
			if n != 1 {
				t.Errorf("claimed %d in the transaction, want 1", n)
			}
			return errors.Join(err1, err2, stop)
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if some, err := s.HasUnclaimed(t.Context(), "a@b.c"); !some || err != nil {
			t.Errorf("HasUnclaimed = %v, %v; want the order where it was", some, err)
		}
		if _, err := s.TakeClaim(t.Context(), "h", "u1", time.Unix(0, 0)); err != nil {
			t.Errorf("the claim is gone: %v", err)
		}
	})
}

func testOrdersOf(t *testing.T, db *database.DB) {
	sales, s := store.NewSales(db), store.NewOrders(db)
	var want []market.OwnedOrder
	for i, slug := range []string{"a", "b", "a", "b"} {
		// Two at a time have the same moment: then the id decides.
		o := mustOrder(t, sales, Order(fmt.Sprintf("o%d", i), slug, "u1", "a@b.c", T0.Add(-time.Duration(i/2)*time.Hour)))
		p := Product(slug)
		want = append(want, market.OwnedOrder{Order: o, ProductSlug: slug, ProductName: p.Name})
	}
	mustOrder(t, sales, Order("other", "a", "u2", "", T0))
	for offset := range 6 {
		got, total, err := s.OrdersOf(t.Context(), "u1", 2, offset)
		if err != nil || total != 4 {
			t.Fatalf("OrdersOf at %d = %d in all, %v; want 4", offset, total, err)
		}
		part := want[min(offset, 4):min(offset+2, 4)]
		if diff := cmp.Diff(got, slices.Clone(part), equateEmpty); diff != "" {
			t.Errorf("OrdersOf at %d (-got +want):\n%s", offset, diff)
		}
	}
	if got, total, err := s.OrdersOf(t.Context(), "u3", 2, 0); len(got) != 0 || total != 0 || err != nil {
		t.Errorf("OrdersOf nobody = %v, %d, %v", got, total, err)
	}
}

// equateEmpty makes a nil list and an empty one the same.
var equateEmpty = cmp.Transformer("nil", func(list []market.OwnedOrder) []market.OwnedOrder {
	return append([]market.OwnedOrder{}, list...)
})

func testClaimOrders(t *testing.T, db *database.DB) {
	sales, s := store.NewSales(db), store.NewOrders(db)
	mustOrder(t, sales, Order("hers", "a", "anonymous", " A@B.c", T0))
	mustOrder(t, sales, Order("hers-too", "b", "anonymous", "a@b.c", T0))
	mustOrder(t, sales, Order("owned", "a", "u2", "a@b.c", T0))
	mustOrder(t, sales, Order("other", "a", "anonymous", "b@b.c", T0))
	mustOrder(t, sales, Order("none", "a", "anonymous", "", T0))
	mustOrder(t, sales, Order("two", "a", "anonymous", "a@b.c, b@b.c", T0))

	for key, want := range map[string]bool{"a@b.c": true, "b@b.c": true, "c@b.c": false, "": false} {
		if some, err := s.HasUnclaimed(t.Context(), key); some != want || err != nil {
			t.Errorf("HasUnclaimed(%q) = %v, %v; want %v", key, some, err, want)
		}
	}
	for _, want := range []int{2, 0} {
		if n, err := s.ClaimOrders(t.Context(), "a@b.c", "u1"); n != want || err != nil {
			t.Errorf("ClaimOrders = %d, %v; want %d", n, err, want)
		}
	}
	for id, want := range map[string]string{"hers": "u1", "hers-too": "u1", "owned": "u2", "other": "anonymous", "none": "anonymous", "two": "anonymous"} {
		o, err := sales.OrderByID(t.Context(), id)
		if err != nil || o.UserID != want {
			t.Errorf("order %s is %s's (%v), want %s's", id, o.UserID, err, want)
		}
		u, err := store.NewLicenses(db).LicenseByKey(t.Context(), strings.TrimPrefix(o.ProductID, "prod-"), "hash-"+id, "x")
		if err != nil || u.License.UserID != want {
			t.Errorf("licence %s is %s's (%v), want %s's", id, u.License.UserID, err, want)
		}
	}
}

func mustClaim(tb testing.TB, s *store.Orders, hash, userID, key string, at time.Time) market.Claim {
	tb.Helper()
	c := market.Claim{Hash: hash, UserID: userID, EmailKey: key, CreatedAt: at}
	if err := s.CreateClaim(tb.Context(), c); err != nil {
		tb.Fatal(err)
	}
	return c
}

func testClaims(t *testing.T, s *store.Orders) {
	ctx := t.Context()
	want := mustClaim(t, s, "h1", "u1", "a@b.c", T0)
	mustClaim(t, s, "h2", "u1", "a@b.c", T0)
	mustClaim(t, s, "h3", "u1", "b@b.c", T0)
	mustClaim(t, s, "h4", "u2", "a@b.c", T0)
	wantKind(t, s.CreateClaim(ctx, market.Claim{Hash: "h1", UserID: "u2", EmailKey: "x", CreatedAt: T0}), errs.Conflict)
	taken := func(hash, user string, since time.Time) error {
		_, err := s.TakeClaim(ctx, hash, user, since)
		return err
	}
	before := T0.Add(-time.Millisecond)
	wantKind(t, taken("h9", "u1", before), errs.NotFound)
	wantKind(t, taken("h1", "u2", before), errs.NotFound) // somebody else's
	wantKind(t, taken("h1", "u1", T0), errs.NotFound)     // too old
	got, err := s.TakeClaim(ctx, "h1", "u1", before)
	if diff := cmp.Diff(got, want); err != nil || diff != "" {
		t.Errorf("TakeClaim: %v (-got +want):\n%s", err, diff)
	}
	wantKind(t, taken("h1", "u1", before), errs.NotFound) // used
	wantKind(t, taken("h2", "u1", before), errs.NotFound) // went with it
	if err := errors.Join(taken("h3", "u1", before), taken("h4", "u2", before)); err != nil {
		t.Errorf("claims of another address or user went, too: %v", err)
	}

	mustClaim(t, s, "old", "u1", "a@b.c", T0)
	mustClaim(t, s, "new", "u1", "b@b.c", T0.Add(time.Millisecond))
	if err := s.DeleteClaims(ctx, T0); err != nil {
		t.Fatal(err)
	}
	wantKind(t, taken("old", "u1", before), errs.NotFound)
	if err := taken("new", "u1", before); err != nil {
		t.Errorf("a claim after until is gone: %v", err)
	}
}

func testTakeOnce(t *testing.T, s *store.Orders) {
	mustClaim(t, s, "h", "u1", "a@b.c", T0)
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for range 8 {
		wg.Go(func() {
			switch _, err := s.TakeClaim(t.Context(), "h", "u1", time.Unix(0, 0)); {
			case err == nil:
				taken.Add(1)
			case errs.KindOf(err) != errs.NotFound:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if taken.Load() != 1 {
		t.Errorf("taken %d times, want once", taken.Load())
	}
}

func testAllowance(t *testing.T, s *store.Orders) {
	a := market.Allowance{AtOnce: 2, Every: time.Minute}
	for i, tt := range []struct {
		name  string
		after time.Duration
		wait  time.Duration // until the next; 0 if this one may go
	}{
		{"x", 0, 0},
		{"x", 0, 0},
		{"x", 0, time.Minute},
		{"y", 0, 0}, // has its own
		{"x", time.Minute - time.Millisecond, time.Millisecond},
		{"x", time.Minute, 0},
		{"x", time.Minute, time.Minute},
		{"x", time.Hour, 0}, // no more than AtOnce are saved up
		{"x", time.Hour, 0},
		{"x", time.Hour, time.Minute},
	} {
		now, want := T0.Add(tt.after), time.Time{}
		if tt.wait > 0 {
			want = now.Add(tt.wait)
		}
		if got, err := s.Allow(t.Context(), tt.name, a, now); err != nil || !got.Equal(want) {
			t.Errorf("step %d: Allow = %v, %v; want %v", i, got, err, want)
		}
	}
}

func testAllowanceRace(t *testing.T, s *store.Orders) {
	var (
		wg      sync.WaitGroup
		allowed atomic.Int32
	)
	for range 16 {
		wg.Go(func() {
			later, err := s.Allow(t.Context(), "x", market.Allowance{AtOnce: 3, Every: time.Hour}, T0)
			if err != nil {
				t.Error(err)
			}
			if later.IsZero() {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 3 {
		t.Errorf("%d were allowed, want 3", allowed.Load())
	}
}
