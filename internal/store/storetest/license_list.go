package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market"
	"stoa/internal/store"
)

// testLicenseList has six licenses of two products and four owners.
func testLicenseList(t *testing.T, open Open) {
	s := store.NewLicenses(shopDB(t, open))
	now := T0.Add(time.Hour)
	add := func(id, slug, user string, created, expires, revoked time.Time) {
		t.Helper()
		l := License(id, slug)
		l.UserID, l.CreatedAt, l.ExpiresAt, l.RevokedAt = user, created, expires, revoked
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

	for _, tt := range []struct {
		name  string
		query market.LicenseQuery
		want  string
		total int
	}{
		{"all, the newest first, then by id", market.LicenseQuery{}, "l5 l6 l4 l3 l2 l1", 6},
		{"by id", market.LicenseQuery{ID: "l2"}, "l2", 1},
		{"by key", market.LicenseQuery{KeyHash: "hash-l3"}, "l3", 1},
		{"of a product", market.LicenseQuery{ProductSlug: "a"}, "l2 l1", 2},
		{"of a user", market.LicenseQuery{UserID: "ada"}, "l3 l2 l1", 3},
		{"of both", market.LicenseQuery{UserID: "ada", ProductSlug: "b"}, "l3", 1},
		{"of a user without licenses", market.LicenseQuery{UserID: "x"}, "", 0},
		{"active", market.LicenseQuery{Status: market.LicenseActive}, "l3 l1", 2},
		{"expired", market.LicenseQuery{Status: market.LicenseExpired}, "l6 l2", 2},
		{"revoked", market.LicenseQuery{Status: market.LicenseRevoked}, "l5 l4", 2},
		{"a page", market.LicenseQuery{Slice: market.Slice{Limit: 2, Offset: 1}}, "l6 l4", 6},
		{"beyond the last page", market.LicenseQuery{Slice: market.Slice{Limit: 2, Offset: 6}}, "", 6},
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

func testInstanceList(t *testing.T, s *store.Licenses) {
	want := []market.Activation{
		{InstanceID: "c", At: T0},
		{InstanceID: "a", At: T0.Add(time.Second), Development: true},
		{InstanceID: "b", At: T0.Add(time.Second)},
	}
	for _, i := range []int{2, 0, 1} {
		if err := s.AddInstance(t.Context(), "l1", want[i], T0); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AddInstance(t.Context(), "l2", want[0], T0); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		page market.Slice
		want []market.Activation
	}{
		{market.Slice{Limit: 10}, want},
		{market.Slice{Limit: 1, Offset: 1}, want[1:2]},
		{market.Slice{Limit: 1, Offset: 3}, nil},
	} {
		t.Run(fmt.Sprint(tt.page), func(t *testing.T) {
			t.Parallel()

			got, total, err := s.ListInstances(t.Context(), "l1", tt.page)
			if err != nil || total != 3 {
				t.Fatalf("ListInstances = %d in all, %v", total, err)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("ListInstances (-got +want):\n%s", diff)
			}
		})
	}
}
