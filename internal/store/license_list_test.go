package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

// testLicenseList has eight licenses of two products and five owners.
func testLicenseList(t *testing.T, open Open) {
	s := store.NewLicenses(shopDB(t, open))
	now := T0.Add(time.Hour)
	leeway := map[string]time.Duration{"l7": time.Millisecond, "l8": time.Millisecond}
	add := func(id, slug, user string, created, expires, revoked time.Time) {
		t.Helper()
		l := License(id, slug)
		l.UserID, l.CreatedAt, l.ExpiresAt, l.RevokedAt = user, created, expires, revoked
		l.Leeway = leeway[id]
		if id == "l4" {
			l.TierID = "gone" // the product has no such tier any more
		}
		if err := s.CreateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	add("l1", "a", "ada", T0, time.Time{}, time.Time{})
	add("l2", "a", "ada", T0.Add(time.Second), now, time.Time{}) // ends at exactly now
	add("l3", "b", "ada", T0.Add(2*time.Second), now.Add(time.Millisecond), time.Time{})
	add("l4", "b", "bob", T0.Add(3*time.Second), T0, T0) // revoked, and expired too
	add("l6", "b", "eve", T0.Add(4*time.Second), T0, time.Time{})
	add("l5", "b", "eve", T0.Add(4*time.Second), time.Time{}, T0)
	// Two that a provider renews: one whose leeway has a moment left, and one whose leeway ends now.
	add("l7", "b", "joe", T0.Add(-time.Second), now, time.Time{})
	add("l8", "b", "joe", T0.Add(-2*time.Second), now.Add(-time.Millisecond), time.Time{})

	for _, tt := range []struct {
		name  string
		query license.Query
		want  string
		total int
	}{
		{"all, the newest first, then by id", license.Query{}, "l5 l6 l4 l3 l2 l1 l7 l8", 8},
		{"by id", license.Query{ID: "l2"}, "l2", 1},
		{"by key", license.Query{KeyHash: "hash-l3"}, "l3", 1},
		{"of a product", license.Query{ProductSlug: "a"}, "l2 l1", 2},
		{"of a user", license.Query{UserID: "ada"}, "l3 l2 l1", 3},
		{"of both", license.Query{UserID: "ada", ProductSlug: "b"}, "l3", 1},
		{"of a user without licenses", license.Query{UserID: "x"}, "", 0},
		{"active", license.Query{Status: license.StatusActive}, "l3 l1 l7", 3},
		{"expired", license.Query{Status: license.StatusExpired}, "l6 l2 l8", 3},
		{"revoked", license.Query{Status: license.StatusRevoked}, "l5 l4", 2},
		{"a page", license.Query{Limit: 2, Offset: 1}, "l6 l4", 8},
		{"beyond the last page", license.Query{Limit: 2, Offset: 8}, "", 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			q := tt.query
			q.At = now
			if q.Limit == 0 {
				q.Limit = 10
			}
			list, total, err := s.ListLicenses(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, l := range list {
				ids = append(ids, l.License.ID)
				slug := strings.TrimPrefix(l.License.ProductID, "prod-")
				if l.ProductSlug != slug || l.ProductName != "Name of "+slug {
					t.Errorf("%s is of %q, %q", l.License.ID, l.ProductSlug, l.ProductName)
				}
				if want := map[string]string{"pro": "Pro", "gone": "gone"}[l.License.TierID]; l.TierName != want {
					t.Errorf("%s has the tier %q, want %q", l.License.ID, l.TierName, want)
				}
				if q.Status != "" && l.License.StatusAt(now) != q.Status {
					t.Errorf("%s is %s", l.License.ID, l.License.StatusAt(now))
				}
			}
			if got := strings.Join(ids, " "); got != tt.want || total != tt.total {
				t.Errorf("ListLicenses = %q of %d, want %q of %d", got, total, tt.want, tt.total)
			}
		})
	}
	t.Run("instances, oldest activation first", func(t *testing.T) { t.Parallel(); testInstanceList(t, s) })
}

// testOrderOfLicense has one license, and changes what was ordered for it.
func testOrderOfLicense(t *testing.T, open Open) {
	db := shopDB(t, open)
	licenses, orders := store.NewLicenses(db), store.NewOrders(db)
	if err := licenses.CreateLicense(t.Context(), License("l", "a")); err != nil {
		t.Fatal(err)
	}
	put := func(id string, follows bool, kind order.Kind, billed string) order.Order {
		t.Helper()
		o := order.Order{ID: id, ProductID: "prod-a", TierID: "pro", UserID: "ada", LicenseID: "l", CreatedAt: T0}
		o.Amount.Currency, o.Follows, o.Kind, o.Trial = "EUR", follows, kind, !follows
		if billed != "" {
			o.Billing = &order.BillingInfo{Email: billed}
		}
		if err := orders.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	want := func(when, id, billed string) {
		t.Helper()
		list, _, err := licenses.ListLicenses(t.Context(), license.Query{ID: "l", Limit: 2})
		if err != nil || len(list) != 1 || list[0].OrderID != id || list[0].BilledEmail != billed {
			t.Errorf("%s: %+v, %v; want one of the order %q", when, list, err, id)
		}
	}
	save := func(o order.Order) {
		t.Helper()
		if err := orders.UpdateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	want("granted", "", "")
	put("issued", false, "", "ada@example.com")
	want("on trial", "issued", "ada@example.com")
	late := put("late", true, "", "late@example.com")
	want("being bought", "issued", "ada@example.com")
	late.CancelledAt, late.PaidAt = T0, T0.Add(time.Hour)
	save(late)
	want("paid after the page expired", "issued", "ada@example.com")
	bought := put("bought", true, "", "")
	bought.PaidAt = T0
	save(bought)
	want("bought", "bought", "ada@example.com")
	for _, kind := range []order.Kind{order.Change, order.Renewal} {
		further := put("a-"+string(kind), true, kind, "bill@example.com")
		further.PaidAt = T0.Add(time.Hour)
		save(further)
	}
	want("changed and renewed", "bought", "ada@example.com")
	bought.RefundedAt = T0.Add(2 * time.Hour)
	save(bought)
	want("refunded", "bought", "ada@example.com")
}

func testInstanceList(t *testing.T, s *store.Licenses) {
	want := []license.Activation{
		{InstanceID: "c", At: T0},
		{InstanceID: "a", At: T0.Add(time.Second), Development: true},
		{InstanceID: "b", At: T0.Add(time.Second)},
	}
	for _, i := range []int{2, 0, 1} {
		if err := s.AddActivation(t.Context(), "l1", want[i], T0); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AddActivation(t.Context(), "l2", want[0], T0); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		limit, offset int
		want          []license.Activation
	}{
		{10, 0, want},
		{1, 1, want[1:2]},
		{1, 3, nil},
	} {
		t.Run(fmt.Sprint(tt.limit, " from ", tt.offset), func(t *testing.T) {
			t.Parallel()

			got, total, err := s.ListActivations(t.Context(), "l1", tt.limit, tt.offset)
			if err != nil || total != 3 {
				t.Fatalf("ListActivations = %d in all, %v", total, err)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("ListActivations (-got +want):\n%s", diff)
			}
		})
	}
}
