package sales_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app/demo/goods"
	"stoa/internal/app/demo/sales"
	"stoa/internal/data/database"
	"stoa/internal/testkit"
)

// open returns a Shop over an App that has the demo's catalog.
func open(t *testing.T, a *testkit.App) *sales.Shop {
	t.Helper()
	if _, err := a.Catalog.Import(t.Context(), goods.FS, goods.File); err != nil {
		t.Fatal(err)
	}
	return sales.NewShop(a.Accounts, a.Orders, a.Licenses)
}

// rows returns the rows of a query, each as a text.
func rows(t *testing.T, a *testkit.App, columns int, query string) []string {
	t.Helper()
	list, err := database.All(t.Context(), a.DB.Conn().Read, func(row database.Scanner) (string, error) {
		values, into := make([]any, columns), make([]any, columns)
		for i := range values {
			into[i] = &values[i]
		}
		err := row.Scan(into...)
		return fmt.Sprint(values...), err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// state returns what was sold to whom, and what became of it, without the ids that differ between two
// demos.
func state(t *testing.T, a *testkit.App) []string {
	t.Helper()
	return rows(t, a, 10, `
		SELECT p.slug, o.tier_id, o.status, o.created_at_ms, o.refunded_at_ms, o.billing_info, l.instances,
			l.expires_at_ms, l.revoked_at_ms, u.username
		FROM orders o JOIN licenses l ON l.id = o.license_id JOIN products p ON p.id = o.product_id
		LEFT JOIN users u ON u.id = o.user_id ORDER BY o.created_at_ms, o.id`)
}

func count(t *testing.T, a *testkit.App, query string) string {
	t.Helper()
	return rows(t, a, 1, query)[0]
}

func TestSampleSalesShowWhatTheConsoleIsFor(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		if err := open(t, a).Make(t.Context(), sales.NewStart(a.Clock.Now())); err != nil {
			t.Fatal(err)
		}
		orders := a.Do(t, testkit.Get(admin, testkit.AdminOrders+"?limit=100")).Get(t, "data.items").([]any)
		seen := make(map[string]int)
		for _, o := range orders {
			o := o.(map[string]any)
			if o["demo"] != true {
				t.Errorf("the order %s is not marked", o["id"])
			}
			placed, err := time.Parse(time.RFC3339, o["createdAt"].(string))
			if age := a.Clock.Now().Sub(placed); err != nil || age <= 0 || age > sales.Days*24*time.Hour {
				t.Errorf("the order of %s is not of the last %d days", placed, sales.Days)
			}
			seen[o["status"].(string)]++
			seen[fmt.Sprint("guest ", o["userId"] == "anonymous")]++
		}
		if len(orders) != sales.Planned() || seen["paid"] < 40 || seen["refunded"] < 2 || seen["guest true"] < 10 ||
			seen["guest false"] < 10 {
			t.Errorf("%d orders of %d: %v", len(orders), sales.Planned(), seen)
		}
		for _, l := range a.Do(t, testkit.Get(admin, "/api/v1/admin/licenses")).Get(t, "data.items").([]any) {
			if l := l.(map[string]any); l["demo"] != true {
				t.Errorf("the license %s is not marked", l["id"])
			}
		}
		o := a.Do(t, testkit.Get(admin, "/api/v1/admin/overview"))
		today, month := 0.0, 0
		for _, b := range o.Get(t, "data.hours").([]any) {
			today += b.(map[string]any)["orders"].(float64)
		}
		for _, b := range o.Get(t, "data.days").([]any) {
			if b.(map[string]any)["orders"].(float64) > 0 {
				month++
			}
		}
		if o.Get(t, "data.demo") != true || today < 3 || month < 25 {
			t.Errorf("the overview shows %v orders today, and some on %d days", today, month)
		}
	})
}

// What never happened is told to nobody, and is nobody's deed.
func TestSampleSalesAreToldToNobody(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		shop := open(t, a)
		before := count(t, a, `SELECT count(*) FROM audit_log`)
		if err := shop.Make(t.Context(), sales.NewStart(a.Clock.Now())); err != nil {
			t.Fatal(err)
		}
		if n := count(t, a, `SELECT count(*) FROM audit_log`); n != before {
			t.Errorf("%s entries in the audit log, want %s", n, before)
		}
		for _, table := range []string{"events", "receipts", "order_claims"} {
			if n := count(t, a, `SELECT count(*) FROM `+table); n != "0" {
				t.Errorf("%s rows in %s", n, table)
			}
		}
		if n := count(t, a, `SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.role = 'USER'`); n != "0" {
			t.Errorf("%s sessions of people who do not exist", n)
		}
		// Neither does what becomes of them later; but whoever refunds one did so.
		id := rows(t, a, 1, `SELECT id FROM orders WHERE status = 'paid' ORDER BY id LIMIT 1`)[0]
		a.Refund(t, admin, id)
		if n := count(t, a, `SELECT count(*) FROM events`); n != "0" {
			t.Errorf("%s events after the refund of a sample", n)
		}
		if n := count(t, a, `SELECT count(*) FROM audit_log WHERE action = 'order.refund'`); n != "1" {
			t.Errorf("%s entries about the refund", n)
		}
		a.Clock.Advance(2 * sales.Days * 24 * time.Hour) // licenses of a month end
		if err := a.Licenses.PublishEnds(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := count(t, a, `SELECT count(*) FROM events`); n != "0" {
			t.Errorf("%s events after samples have ended", n)
		}
		if got := a.Mails(t); len(got) != 0 {
			t.Errorf("%d mails", len(got))
		}
	})
}

func TestSampleSalesAreMadeOnceAndAreAlwaysTheSame(t *testing.T) {
	t.Parallel()

	start := sales.NewStart(testkit.T0)
	whole := testkit.New(t)
	if err := open(t, whole).Make(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	want := state(t, whole)
	for _, n := range []int{1, sales.Planned() / 2, sales.Planned()} {
		t.Run(fmt.Sprint("interrupted in sale ", n), func(t *testing.T) {
			t.Parallel()

			testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
				a := testkit.New(t, options...)
				shop := open(t, a)
				if err := shop.MakeFirst(t.Context(), start, n); err != nil {
					t.Fatal(err)
				}
				if len(state(t, a)) != n {
					t.Fatalf("%d sales, want %d", len(state(t, a)), n)
				}
				for range 2 {
					if err := shop.Make(t.Context(), start); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(state(t, a), want); diff != "" {
						t.Errorf("(-got +want):\n%s", diff)
					}
				}
			})
		})
	}
}

// A demo's operator may take products out of the shop; what a person buys is no sample.
func TestSampleSalesStandBesideReality(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	shop := sales.NewShop(a.Accounts, a.Orders, a.Licenses)
	a.SellMailPack(t)
	if err := shop.Make(t.Context(), sales.NewStart(a.Clock.Now())); err != nil {
		t.Fatalf("without the demo's products: %v", err)
	}
	a.BuyMailPack(t)
	if got := count(t, a, `SELECT count(*) FROM orders WHERE NOT demo`); got != "1" {
		t.Errorf("%s real orders, want 1", got)
	}
	if got := count(t, a, `SELECT count(*) FROM events`); got == "0" {
		t.Error("a real sale told nobody")
	}
}
