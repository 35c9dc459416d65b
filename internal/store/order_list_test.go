package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testOrderLists(t *testing.T, open Open) {
	t.Run("a user's orders, the newest first, in pages", func(t *testing.T) {
		t.Parallel()
		testOrdersOfUser(t, shopDB(t, open))
	})
	t.Run("orders that match a query", func(t *testing.T) { t.Parallel(); testFindOrders(t, shopDB(t, open)) })
}

func testOrdersOfUser(t *testing.T, db *database.DB) {
	s := store.NewOrders(db)
	var want []order.Listed
	for i, slug := range []string{"a", "b", "a", "b"} {
		// Pairs of orders have the same time; their ids decide.
		o := mustOrder(t, s, Order(fmt.Sprintf("o%d", i), slug, "u1", "a@b.c", T0.Add(-time.Duration(i/2)*time.Hour)))
		p := Product(slug)
		want = append(want, order.Listed{
			Order: o, ProductSlug: slug, ProductName: p.Name, TierName: "Pro", ExpiresAt: T0.AddDate(0, 1, 0),
		})
	}
	mustOrder(t, s, Order("other", "a", "u2", "", T0))
	for offset := range 6 {
		got, total, err := s.FindOrders(t.Context(), order.Query{UserID: "u1", Limit: 2, Offset: offset})
		if err != nil || total != 4 {
			t.Fatalf("orders of a user at %d = %d in all, %v; want 4", offset, total, err)
		}
		part := want[min(offset, 4):min(offset+2, 4)]
		if diff := cmp.Diff(got, slices.Clone(part), equateEmpty); diff != "" {
			t.Errorf("orders of a user at %d (-got +want):\n%s", offset, diff)
		}
	}
	if got, total, err := s.FindOrders(t.Context(), order.Query{UserID: "u3", Limit: 2}); len(got) != 0 || total != 0 ||
		err != nil {
		t.Errorf("orders of a user without orders = %v, %d, %v", got, total, err)
	}
}

// equateEmpty makes a nil list equal to an empty one.
var equateEmpty = cmp.Transformer("nil", func(list []order.Listed) []order.Listed {
	return append([]order.Listed{}, list...)
})

func testFindOrders(t *testing.T, db *database.DB) {
	s := store.NewOrders(db)
	user := account.Credentials{User: account.User{
		ID: "u1", Email: "Ada@Example.com", Username: "ada", Role: reqctx.RoleUser, Active: true, CreatedAt: T0,
	}}
	if err := store.NewAccount(db).CreateUser(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	mustOrder(t, s, Order("o1", "a", "anonymous", "bob@example.com", T0))
	mustOrder(t, s, Order("o2", "b", "u1", "", T0.Add(time.Second)))
	o := Order("o3", "a", "anonymous", "ADA@example.com", T0.Add(2*time.Second))
	o.RefundedAt = T0
	mustOrder(t, s, o)
	o = Order("o4", "a", "u1", "bob@example.com", T0.Add(2*time.Second))
	o.TierID = "gone" // the product has no such tier any more
	mustOrder(t, s, o)

	for _, tt := range []struct {
		name  string
		query order.Query
		want  string
		total int
	}{
		{"all, the newest first, then by id", order.Query{}, "o3 o4 o2 o1", 4},
		{"a page", order.Query{Limit: 2, Offset: 1}, "o4 o2", 4},
		{"beyond the last page", order.Query{Offset: 4}, "", 4},
		{"by id", order.Query{ID: "o2"}, "o2", 1},
		{"by status", order.Query{Status: order.Refunded}, "o3", 1},
		{"of a product", order.Query{Product: "a"}, "o3 o4 o1", 3},
		{"of an unknown product", order.Query{Product: "c"}, "", 0},
		{"of a user", order.Query{UserID: "u1"}, "o4 o2", 2},
		{"by the address on the bill", order.Query{Email: "Bob@example.com"}, "o4 o1", 2},
		{"or that of the account", order.Query{Email: "ada@example.com"}, "o3 o4 o2", 3},
		{"all at once", order.Query{Email: "ada@example.com", Product: "a", Status: order.Paid}, "o4", 1},
		{"from a time on", order.Query{From: T0.Add(2 * time.Second)}, "o3 o4", 2},
		{"before a time", order.Query{To: T0.Add(2 * time.Second)}, "o2 o1", 2},
		{"between two times", order.Query{From: T0.Add(time.Second), To: T0.Add(2 * time.Second)}, "o2", 1},
	} {
		if tt.query.Limit == 0 {
			tt.query.Limit = 10
		}
		found, total, err := s.FindOrders(t.Context(), tt.query)
		var ids []string
		for _, o := range found {
			ids = append(ids, o.ID)
			if want := strings.TrimPrefix(o.ProductID, "prod-"); o.ProductSlug != want || o.ProductName != "Name of "+want {
				t.Errorf("%s is of %q %q", o.ID, o.ProductSlug, o.ProductName)
			}
			if want := map[string]string{"pro": "Pro", "gone": "gone"}[o.TierID]; o.TierName != want {
				t.Errorf("%s has the tier %q, want %q", o.ID, o.TierName, want)
			}
			if want := map[string]string{"u1": "Ada@Example.com"}[o.UserID]; o.UserEmail != want {
				t.Errorf("%s has the buyer's address %q, want %q", o.ID, o.UserEmail, want)
			}
		}
		if got := strings.Join(ids, " "); err != nil || got != tt.want || total != tt.total {
			t.Errorf("%s: %q of %d, %v; want %q of %d", tt.name, got, total, err, tt.want, tt.total)
		}
	}
}
