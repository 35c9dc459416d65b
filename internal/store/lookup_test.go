package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa/internal/message/webhook"
	"stoa/internal/operate/lookup"
	"stoa/internal/shop/license"
	"stoa/internal/store"
)

func testLookup(t *testing.T, open Open) {
	ctx, db := t.Context(), shopDB(t, open)
	orders, plugins, s := store.NewOrders(db), store.NewPlugin(db), store.NewLookup(db)
	for i, name := range []string{"ann", "anna", "ben"} {
		c := credentials(name)
		c.Email, c.Username, c.CreatedAt = name+"@x.example", "nick-"+name, T0.Add(time.Duration(i)*time.Hour)
		mustCreateUser(t, store.NewAccount(db), c)
	}
	mustOrder(t, orders, Order("ord-1", "a", "ann", "bill@y.example", T0))
	mustOrder(t, orders, Order("ord-2", "a", "ann", "", T0.Add(time.Hour)))
	named := Order("ord-11", "b", "anonymous", "bil@y.example", T0)
	named.Billing.Name, named.Billing.Company = "Ödön Horváth", "ACME 100%"
	mustOrder(t, orders, named)
	l := License("lic-1", "a")
	l.KeyTail, l.KeyHash, l.UserID, l.ExpiresAt, l.RevokedAt = "TAIL1", "hash-1", "ben", T0, time.Time{}
	l.Leeway = 0
	err := errors.Join(
		orders.CreateLicense(ctx, l), plugins.CreatePackage(ctx, pkg("p1")), plugins.CreatePackage(ctx, pkg("p2")),
		plugins.CreateInstance(ctx, inst("p1", "i1", "default")), plugins.CreateInstance(ctx, inst("p2", "i2", "default")),
		plugins.DeletePackage(ctx, "p2", T0),
		store.NewWebhooks(db).CreateWebhook(ctx,
			webhook.Webhook{ID: "w1", URL: "https://Erp.example/x", Enabled: true, CreatedAt: T0, UpdatedAt: T0}),
	)
	if err != nil {
		t.Fatal(err)
	}
	type find = func(context.Context, lookup.Query) ([]lookup.Item, error)
	for _, tt := range []struct {
		name string
		find find
		q    lookup.Query
		want string
	}{
		{"an address", s.Users, lookup.Query{Text: "ann@x.example"}, "ann"},
		{"the beginning of addresses", s.Users, lookup.Query{Text: "ann"}, "ann anna"}, // ann is an id, too
		{"the beginning of a username", s.Users, lookup.Query{Text: "nick-b"}, "ben"},
		{"the middle of a username", s.Users, lookup.Query{Text: "ick-b"}, ""},
		{"anywhere", s.Users, lookup.Query{Text: "ick-b", Middle: true}, "ben"},
		{"a wildcard", s.Users, lookup.Query{Text: "%", Middle: true}, ""},
		{"an order and those that begin so", s.Orders, lookup.Query{Text: "ord-1"}, "ord-1 ord-11"},
		{"the bill's address", s.Orders, lookup.Query{Text: "bil@"}, "ord-11"},
		{"the middle of the bill's address", s.Orders, lookup.Query{Text: "il@", Middle: true}, "ord-11"},
		{"the bill's name", s.Orders, lookup.Query{Text: "ödön h"}, "ord-11"},
		{"the family name", s.Orders, lookup.Query{Text: "horv", Middle: true}, "ord-11"},
		{"the company", s.Orders, lookup.Query{Text: "acme"}, "ord-11"},
		{"a part of the company", s.Orders, lookup.Query{Text: "100%", Middle: true}, "ord-11"},
		{"no name", s.Orders, lookup.Query{Text: "horv"}, ""},
		{"a user's orders", s.Orders, lookup.Query{Text: "-", Users: []string{"ann"}}, "ord-2 ord-1"},
		{"the latest of a user's", s.Orders, lookup.Query{Text: "-", Users: []string{"ann"}, Limit: 1}, "ord-2"},
		{"a key's license", s.Licenses, lookup.Query{Text: "-", KeyHash: "hash-1"}, "lic-1"},
		{"a license", s.Licenses, lookup.Query{Text: "lic"}, "lic-1"},
		{"a user's licenses", s.Licenses, lookup.Query{Text: "-", Users: []string{"ben"}}, "lic-1"},
		{"an order's license", s.Licenses, lookup.Query{Text: "-", Orders: []string{"ord-2"}}, "ord-2"},
		{"a product", s.Products, lookup.Query{Text: "a"}, "prod-a prod-b"}, // their names have an a
		{"a plugin", s.Plugins, lookup.Query{Text: "p"}, "id-p1"},
		{"an instance", s.Instances, lookup.Query{Text: "def"}, "i1"},
		{"an instance by id", s.Instances, lookup.Query{Text: "i1"}, "i1"},
		{"an uninstalled plugin's instance", s.Instances, lookup.Query{Text: "i2"}, ""},
		{"a webhook", s.Webhooks, lookup.Query{Text: "erp.ex"}, "w1"},
	} {
		if tt.q.Limit == 0 {
			tt.q.Limit = 9
		}
		tt.q.Key, tt.q.At = tt.q.Text, T0
		found, err := tt.find(ctx, tt.q)
		var ids []string
		for _, it := range found {
			ids = append(ids, it.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want || err != nil {
			t.Errorf("%s: %q finds %q, %v; want %q", tt.name, tt.q.Text, got, err, tt.want)
		}
	}
	testFoundActive(t, store.NewAccount(db), s)
	tails, err := s.LicensesByTail(ctx, lookup.Query{KeyTail: "TAIL1", At: T0, Limit: 9})
	if err != nil || len(tails) != 1 || tails[0].ID != "lic-1" || tails[0].State != string(license.StatusExpired) ||
		tails[0].KeySealed != l.KeySealed {
		t.Errorf("LicensesByTail = %+v, %v", tails, err)
	}
}

// testFoundActive deactivates one of the users of testLookup, and plans the deletion of another.
func testFoundActive(t *testing.T, users *store.Account, s *store.Lookup) {
	t.Helper()
	must(t, users.SetActive(t.Context(), "anna", false))
	must(t, store.Leave{Account: users}.PlanDeletion(t.Context(), "ben", T0.Add(time.Hour)))
	for id, want := range map[string]string{"ann": "active", "anna": "inactive", "ben": "inactive"} {
		found, err := s.Users(t.Context(), lookup.Query{Text: id + "@x.example", Key: id + "@x.example", Limit: 9})
		if err != nil || len(found) != 1 || found[0].State != want {
			t.Errorf("%s is found as %+v, %v; want %s", id, found, err, want)
		}
	}
}
