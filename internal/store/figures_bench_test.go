package store_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/operate/figures"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
)

// sold is how many orders the shop of BenchmarkFigures has.
const sold = 1_000_000

// BenchmarkFigures reports on a year with a million orders. In "few sums" they are of a hundred plans and codes, so
// that many orders of a day share a sum. In "a sum an order" each has a code of its own, which is the worst case.
func BenchmarkFigures(b *testing.B) {
	for name, url := range map[string]func(testing.TB) string{"SQLite": dbtest.SQLite, "PostgreSQL": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			db := dbtest.Open(b, url(b))
			mustCreate(b, store.NewProducts(db), Product("a"))
			s := store.NewFigures(db)
			for shape, code := range map[string]string{"few sums": `'C' || (i / 366 % 100)`, "a sum an order": `'C' || i`} {
				sellMany(b, db, code)
				for _, by := range []figures.By{figures.ByDay, figures.ByProduct, figures.ByCountry, figures.ByCode} {
					b.Run(fmt.Sprintf("%s/by %s", shape, by), func(b *testing.B) {
						q := figures.Query{Period: figures.Period{From: T0, To: T0.AddDate(1, 0, 0)}, By: by}
						for b.Loop() {
							if rows, err := s.Revenue(b.Context(), q, false); err != nil || len(rows) == 0 {
								b.Fatal(len(rows), err)
							}
						}
					})
				}
			}
			subscribe(b, db)
			b.Run("subscriptions", func(b *testing.B) {
				from, now := T0.AddDate(0, 1, 0), T0.AddDate(0, 2, 0)
				for b.Loop() {
					_, one := s.Recurring(b.Context(), now, false)
					_, two := s.Churn(b.Context(), from, now, false)
					if err := cmp.Or(one, two); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// sellMany fills the sums of a million orders with codes of that expression.
func sellMany(b *testing.B, db *database.DB, code string) {
	b.Helper()
	run(b, db, `DELETE FROM sales_days`)
	run(b, db, numbered+`
		INSERT INTO sales_days (day, product_id, tier_id, country, code, currency, test, lane, orders, gross_minor, discount_minor,
			refunds_minor, tax_minor)
		SELECT $2 + i % 366, 'prod-a', 'pro', 'DE', `+code+`, 'EUR', FALSE, 0, count(*), 1000 * count(*), 0, 0, 0 FROM n GROUP BY 1, 5`,
		sold, T0.UnixMilli()/86_400_000)
}

// subscribe sells a million subscriptions: copies of one, and of its license.
func subscribe(b *testing.B, db *database.DB) {
	b.Helper()
	l, o := License("0", "a"), Order("0", "a", "anonymous", "", T0)
	l.Trial, l.RevokedAt, l.ExpiresAt = false, time.Time{}, T0.AddDate(0, 3, 0)
	o.Provider, o.Period = "stripe", product.Monthly
	orders := store.NewOrders(db)
	p := order.Payment{OrderID: "0", Seq: 1, At: T0, Minor: 2990, Currency: "EUR"}
	for _, err := range []error{orders.CreateLicense(b.Context(), l), orders.CreateOrder(b.Context(), o), orders.PutPayment(b.Context(), p)} {
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, table := range []string{"licenses", "orders", "payments"} {
		run(b, db, copied(b, db, table), sold-1)
	}
}

// numbered begins a statement with the numbers from 1 to its first argument.
const numbered = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS INTEGER))`

// copied returns the statement that copies the only row of a table; the copies have other ids.
func copied(b *testing.B, db *database.DB, table string) string {
	b.Helper()
	rows, err := db.Conn().Read.QueryContext(b.Context(), `SELECT * FROM `+table)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err = cmp.Or(err, rows.Err()); err != nil {
		b.Fatal(err)
	}
	values := make([]string, len(columns))
	for i, name := range columns {
		switch values[i] = `t.` + name; name {
		case "id", "license_id", "order_id", "key_hash":
			values[i] = `CAST(n.i AS TEXT)`
		}
	}
	return numbered + ` INSERT INTO ` + table + ` (` + strings.Join(columns, ", ") + `) SELECT ` + strings.Join(values, ", ") +
		` FROM n CROSS JOIN ` + table + ` t`
}

func run(b *testing.B, db *database.DB, query string, args ...any) {
	b.Helper()
	if _, err := db.Conn().Write.ExecContext(b.Context(), query, args...); err != nil {
		b.Fatal(err)
	}
}
