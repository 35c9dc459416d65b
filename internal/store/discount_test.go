package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

// Discount returns a discount with something in every field that administrators set.
func Discount(id, code string) discount.Discount {
	return discount.Discount{
		ID: id, Code: code, Percent: 1250, Products: []string{"a", "b"}, Tiers: []string{"pro"},
		Duration: discount.Forever, StartsAt: T0, EndsAt: T0.Add(time.Hour), MaxUses: 3, OncePerCustomer: true, Active: true,
		Version: 1, CreatedAt: T0, UpdatedAt: T0.Add(time.Minute),
	}
}

func mustDiscount(tb testing.TB, db *database.DB, d discount.Discount) discount.Discount {
	tb.Helper()
	if err := store.NewDiscounts(db).CreateDiscount(tb.Context(), d); err != nil {
		tb.Fatal(err)
	}
	return d
}

func testDiscounts(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *database.DB){
		"what is saved is read":             discountIsRead,
		"a code is taken once":              codeIsTakenOnce,
		"discounts are found by their code": discountsAreFound,
		"a change keeps the uses":           changeKeepsUses,
		"a discount is deleted":             discountIsDeleted,
		"tiers of products":                 tiersOfProducts,
		"a use is given back once":          useIsGivenBackOnce,
		"a use needs the version":           useNeedsVersion,
		"never more uses than there are":    neverMoreUses,
		"a customer has one order":          customerHasOneOrder,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, shopDB(t, open)) })
	}
}

func discountIsRead(t *testing.T, db *database.DB) {
	s := store.NewDiscounts(db)
	bare := discount.Discount{
		ID: "bare", Code: "BARE", Amount: product.Money{Minor: 500, Currency: "EUR"}, Duration: discount.Once, Version: 1,
		CreatedAt: T0, UpdatedAt: T0,
	}
	for _, want := range []discount.Discount{mustDiscount(t, db, Discount("d1", "LAUNCH20")), mustDiscount(t, db, bare)} {
		for _, read := range []func() (discount.Discount, error){
			func() (discount.Discount, error) { return s.DiscountByID(t.Context(), want.ID) },
			func() (discount.Discount, error) { return s.DiscountByCode(t.Context(), want.Code) },
		} {
			if got, err := read(); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%v\n%s", err, cmp.Diff(got, want))
			}
		}
	}
	_, err := s.DiscountByID(t.Context(), "none")
	wantKind(t, err, errs.NotFound)
	_, err = s.DiscountByCode(t.Context(), "launch20")
	wantKind(t, err, errs.NotFound)
}

func codeIsTakenOnce(t *testing.T, db *database.DB) {
	s := store.NewDiscounts(db)
	mustDiscount(t, db, Discount("d1", "FIRST"))
	second := mustDiscount(t, db, Discount("d2", "SECOND"))
	wantKind(t, s.CreateDiscount(t.Context(), Discount("d3", "FIRST")), errs.Conflict)
	second.Code = "FIRST"
	wantKind(t, s.UpdateDiscount(t.Context(), second), errs.Conflict)
}

func discountsAreFound(t *testing.T, db *database.DB) {
	s := store.NewDiscounts(db)
	for i, code := range []string{"SPRING10", "SUMMER10", "FALL-20"} {
		d := Discount(fmt.Sprint("d", i), code)
		d.CreatedAt = T0.Add(time.Duration(i) * time.Hour)
		mustDiscount(t, db, d)
	}
	for _, tt := range []struct {
		q     discount.Query
		want  string
		total int
	}{
		{discount.Query{Limit: 9}, "FALL-20 SUMMER10 SPRING10", 3},
		{discount.Query{Limit: 1, Offset: 1}, "SUMMER10", 3},
		{discount.Query{Limit: 9, Offset: 9}, "", 3},
		{discount.Query{Search: "r10", Limit: 9}, "SUMMER10", 1},
		{discount.Query{Search: "%", Limit: 9}, "", 0},
	} {
		list, total, err := s.FindDiscounts(t.Context(), tt.q)
		var codes []string
		for _, d := range list {
			codes = append(codes, d.Code)
		}
		if got := strings.Join(codes, " "); err != nil || got != tt.want || total != tt.total {
			t.Errorf("%+v = %q of %d, %v; want %q of %d", tt.q, got, total, err, tt.want, tt.total)
		}
	}
}

func changeKeepsUses(t *testing.T, db *database.DB) {
	s, orders := store.NewDiscounts(db), store.NewOrders(db)
	d := mustDiscount(t, db, Discount("d1", "LAUNCH20"))
	take(t, orders, d, "o1")
	changed := discount.Discount{
		ID: "d1", Code: "OTHER", Amount: product.Money{Minor: 1, Currency: "JPY"}, Duration: discount.Once, Version: 2,
		UpdatedAt: T0.Add(time.Hour),
	}
	if err := s.UpdateDiscount(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	want := changed
	want.CreatedAt, want.Uses, want.Used = d.CreatedAt, 1, true
	if got, err := s.DiscountByID(t.Context(), "d1"); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(got, want))
	}
	changed.ID = "none"
	changed.Code = "NONE"
	wantKind(t, s.UpdateDiscount(t.Context(), changed), errs.NotFound)
}

func discountIsDeleted(t *testing.T, db *database.DB) {
	s := store.NewDiscounts(db)
	mustDiscount(t, db, Discount("d1", "LAUNCH20"))
	if err := s.DeleteDiscount(t.Context(), "d1"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.DeleteDiscount(t.Context(), "d1"), errs.NotFound)
}

func tiersOfProducts(t *testing.T, db *database.DB) {
	s := store.NewDiscounts(db)
	all, err := s.TierIDs(t.Context(), nil, true)
	if err != nil || len(all) != 2 || len(all["a"]) == 0 {
		t.Fatalf("all = %v, %v", all, err)
	}
	some, err := s.TierIDs(t.Context(), []string{"b", "none"}, false)
	if err != nil || !cmp.Equal(some, map[string][]string{"b": all["b"]}) {
		t.Errorf("some = %v, %v", some, err)
	}
}

var errNoUse = errors.New("no use is left")

// take has an order use a discount, in a transaction of its own.
func take(tb testing.TB, s *store.Orders, d discount.Discount, orderID string) {
	tb.Helper()
	if err := tryTake(tb.Context(), s, d, orderID); err != nil {
		tb.Fatal(err)
	}
}

func tryTake(ctx context.Context, s *store.Orders, d discount.Discount, orderID string, keys ...string) error {
	return s.InTx(ctx, func(tx order.Store) error {
		ok, err := tx.AddUse(ctx, d.ID, orderID, keys, T0)
		if err == nil && ok {
			ok, err = tx.TakeUse(ctx, d.ID, d.Version)
		}
		if err == nil && !ok {
			err = errNoUse
		}
		return err
	})
}

// uses returns Uses of the discount, and checks that as many orders are recorded.
func uses(tb testing.TB, db *database.DB, id string) int {
	tb.Helper()
	d, err := store.NewDiscounts(db).DiscountByID(tb.Context(), id)
	var rows int
	err = errors.Join(err, db.Conn().Read.QueryRowContext(tb.Context(),
		`SELECT count(*) FROM discount_uses WHERE discount_id = $1`, id).Scan(&rows))
	if err != nil || rows != d.Uses {
		tb.Fatalf("%d orders use it and it has %d uses, %v", rows, d.Uses, err)
	}
	return d.Uses
}

func useIsGivenBackOnce(t *testing.T, db *database.DB) {
	s := store.NewOrders(db)
	d := mustDiscount(t, db, Discount("d1", "LAUNCH20"))
	take(t, s, d, "o1")
	take(t, s, d, "o2")
	for range 3 {
		if err := s.GiveBackUse(t.Context(), "o1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.GiveBackUse(t.Context(), "never"); err != nil {
		t.Fatal(err)
	}
	if got := uses(t, db, d.ID); got != 1 {
		t.Errorf("%d uses, want 1", got)
	}
}

func useNeedsVersion(t *testing.T, db *database.DB) {
	s := store.NewOrders(db)
	d := mustDiscount(t, db, Discount("d1", "LAUNCH20"))
	d.Version = 2
	if err := tryTake(t.Context(), s, d, "o1"); !errors.Is(err, errNoUse) {
		t.Errorf("another version was used: %v", err)
	}
	if got := uses(t, db, d.ID); got != 0 {
		t.Errorf("%d uses, want 0", got)
	}
}

func neverMoreUses(t *testing.T, db *database.DB) {
	const limit, rivals = 7, 40
	s := store.NewOrders(db)
	d := Discount("d1", "LAUNCH20")
	d.MaxUses = limit
	mustDiscount(t, db, d)
	var wg sync.WaitGroup
	var taken atomic.Int32
	for i := range rivals {
		wg.Go(func() {
			switch err := tryTake(t.Context(), s, d, fmt.Sprint("o", i)); {
			case err == nil:
				taken.Add(1)
			case !errors.Is(err, errNoUse):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := uses(t, db, d.ID); got != limit || taken.Load() != limit {
		t.Errorf("%d uses and %d takers, want %d", got, taken.Load(), limit)
	}
}

func customerHasOneOrder(t *testing.T, db *database.DB) {
	s := store.NewOrders(db)
	d := Discount("d1", "LAUNCH20")
	d.MaxUses = 0
	mustDiscount(t, db, d)
	mustDiscount(t, db, Discount("d2", "OTHER"))
	var wg sync.WaitGroup
	var taken atomic.Int32
	for i := range 20 { // each of them shares a key with the others, in another order
		keys := []string{"mail:a", "user:u"}
		if i%2 == 1 {
			keys = []string{"mail:a", "mail:b"}
		}
		wg.Go(func() {
			if err := tryTake(t.Context(), s, d, fmt.Sprint("o", i), keys...); err == nil {
				taken.Add(1)
			} else if !errors.Is(err, errNoUse) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if taken.Load() != 1 || uses(t, db, d.ID) != 1 {
		t.Errorf("%d took it, want 1", taken.Load())
	}
	other := Discount("d2", "OTHER")
	if err := tryTake(t.Context(), s, other, "p1", "mail:a"); err != nil {
		t.Errorf("another discount: %v", err)
	}
	if err := s.GiveBackUse(t.Context(), "p1"); err != nil {
		t.Fatal(err)
	}
	if err := tryTake(t.Context(), s, other, "p2", "mail:a"); err != nil {
		t.Errorf("after the order was cancelled: %v", err)
	}
}
