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
// that many orders of a day share a sum. In "a sum an order" each has a code of its own, which is the worst case. Then it
// reports on a million subscriptions and 200,000 trials; to write them takes minutes (-timeout 1h).
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
					_, three := s.Trials(b.Context(), from, now)
					if err := cmp.Or(one, two, three); err != nil {
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
		INSERT INTO sales_days (day, product_id, tier_id, country, code, currency, test, lane, orders, gross_minor,
			discount_minor, refunds_minor, tax_minor)
		SELECT $2 + i % 366, 'prod-a', 'pro', 'DE', `+code+`, 'EUR', FALSE, 0, count(*), 1000 * count(*), 0, 0, 0 FROM n GROUP BY 1, 5`,
		sold, T0.UnixMilli()/86_400_000)
}

// subscribe sells a million subscriptions: copies of one and of its license, with ids in no order, as real ones.
func subscribe(b *testing.B, db *database.DB) {
	b.Helper()
	l, o := License("0", "a"), Order("0", "a", "anonymous", "", T0)
	l.Trial, l.RevokedAt, l.ExpiresAt = false, time.Time{}, T0.AddDate(0, 3, 0)
	o.Provider, o.Period = "stripe", product.Monthly
	orders := store.NewOrders(db)
	p := order.Payment{OrderID: "0", Seq: 1, At: T0, Minor: 2990, Currency: "EUR"}
	for _, err := range []error{
		orders.CreateLicense(b.Context(), l), orders.CreateOrder(b.Context(), o), orders.PutPayment(b.Context(), p),
		orders.PutTerms(b.Context(), "0", order.Terms{Price: 1990}),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
	// The subscription after so many days.
	day := func(n string) string { return fmt.Sprintf("%d + CAST(86400000 AS BIGINT) * (%s)", T0.UnixMilli(), n) }
	const license, base, further, trial = `'lic_' || ` + scrambled, `'ord_' || ` + scrambled, `'ord_f' || ` + scrambled, `'ord_t' || ` + scrambled
	const currency = `CASE i % 3 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' ELSE 'GBP' END`
	const period = `CASE WHEN i % 7 < 2 THEN 'yearly' ELSE 'monthly' END`
	const duration = `CASE i % 11 WHEN 0 THEN 'once' WHEN 1 THEN 'forever' ELSE '' END`
	refunded := `CASE WHEN i % 19 = 0 THEN ` + day("i % 60") + ` END`
	changed := map[string]string{
		"id": further, "license_id": license, "currency": currency, "billing_period": period, "follows": "TRUE",
		"kind": `CASE WHEN i % 40 = 0 THEN 'change' ELSE 'renewal' END`, "paid_at_ms": day("1 + i % 50"),
	}
	// Every 20th has a change of plan or a renewal, every fifth began as a trial or comes with one. Three in ten have tax.
	insert(b, db, "licenses", "i > 0", map[string]string{
		"id": license, "key_hash": license, "expires_at_ms": day("CASE WHEN i % 13 = 0 THEN i % 60 ELSE 61 + i % 300 END"),
		"revoked_at_ms": `CASE WHEN i % 17 = 0 THEN ` + day("i % 60") + ` ELSE ` + refunded + ` END`,
	})
	insert(b, db, "orders", "i > 0", map[string]string{
		"id": base, "license_id": license, "currency": currency, "billing_period": period, "amount_minor": "1000 + i % 3000",
		"discount_duration": duration, "discount_minor": `CASE WHEN i % 11 < 2 THEN 500 ELSE 0 END`, "refunded_at_ms": refunded,
		"follows": "i % 10 = 9", "paid_at_ms": day("i % 30"),
	})
	insert(b, db, "orders", "i % 20 = 0", changed)
	insert(b, db, "orders", "i % 10 IN (4, 9)", map[string]string{
		"id": trial, "license_id": license, "amount_minor": "0", "trial": "TRUE", "created_at_ms": day("i % 60"),
	})
	insert(b, db, "order_terms", "i % 40 = 0", map[string]string{"order_id": further})
	insert(b, db, "payments", "i > 0", map[string]string{
		"order_id": base, "minor": "1000 + i % 3000", "tax_minor": `CASE WHEN i % 10 < 3 THEN (1000 + i % 3000) / 6 END`,
		"at_ms": day("i % 30"),
	})
	if db.Engine() == "postgres" {
		run(b, db, `ANALYZE`) // as the server does by itself
	}
}

// numbered begins a statement with the numbers from 1 to its first argument. scrambled reorders them.
const (
	numbered  = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS INTEGER))`
	scrambled = `CAST(10000000000 + CAST(i AS BIGINT) * 2654435761 % 4294967296 AS TEXT)`
)

// insert writes copies of the only row of a table whose id is "0": one for each number that the condition holds for, with
// other values in some columns.
func insert(b *testing.B, db *database.DB, table, condition string, other map[string]string) {
	b.Helper()
	rows, err := db.Conn().Read.QueryContext(b.Context(), `SELECT * FROM `+table+` LIMIT 1`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err = cmp.Or(err, rows.Err()); err != nil {
		b.Fatal(err)
	}
	id, values := "id", make([]string, len(columns))
	for i, name := range columns {
		values[i] = cmp.Or(other[name], `t.`+name)
		if name == "order_id" {
			id = name
		}
	}
	run(b, db, numbered+` INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) SELECT `+strings.Join(values, ", ")+
		` FROM n CROSS JOIN `+table+` t WHERE t.`+id+` = '0' AND `+condition, sold)
}

func run(b *testing.B, db *database.DB, query string, args ...any) {
	b.Helper()
	if _, err := db.Conn().Write.ExecContext(b.Context(), query, args...); err != nil {
		b.Fatal(err)
	}
}
