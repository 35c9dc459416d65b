package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
)

// Migration 0088 knows what was sold before it, by day, and the codes of payments.
func TestEarlierPaymentsAreInSalesDays(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0087", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		for id, provider := range map[string]string{"real": "stripe", "once": "stripe", "try": "test"} {
			duration := "forever"
			if id == "once" {
				duration = "once"
			}
			exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
					max_instances, paid, created_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', $1, '', 'subscription', '[]', 1, $2, 1)`, id, true)
			exec(`INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, amount_minor, currency, status,
					license_id, created_at_ms, provider, paid_at_ms, discount_id, discount_code, discount_minor, discount_duration)
				VALUES ($1, 'p', 't', 'anonymous', 'card', 400, 'EUR', 'paid', $1, 1, $2, 86400000, 'd', 'SPRING', 100, $3)`,
				id, provider, duration)
			exec(`INSERT INTO payments (order_id, seq, at_ms, minor, currency, refunded_minor) VALUES
				($1, 1, 86400000, 400, 'EUR', 150), ($1, 2, 172799999, 500, 'EUR', 0)`, id)
			exec(`INSERT INTO refunds (id, order_id, seq, minor, currency, at_ms) VALUES ($1, $1, 1, 150, 'EUR', 172800000)`, id)
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		got, err := database.Texts(t.Context(), db.Conn().Read, `
			SELECT day || ' ' || code || CASE WHEN test THEN ' test ' ELSE ' real ' END || orders || ' ' || gross_minor || ' ' ||
				discount_minor || ' ' || refunds_minor || ' ' || tax_minor AS line
			FROM sales_days WHERE product_id = 'p' AND tier_id = 't' AND country = '' AND currency = 'EUR' ORDER BY line`)
		want := []string{
			"1  real 0 500 0 0 0", "1 SPRING real 2 1300 200 0 0", "1 SPRING test 1 900 100 0 0",
			"2 SPRING real 0 0 0 300 0", "2 SPRING test 0 0 0 150 0",
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, id := range []string{"real", "once", "try"} {
			sums, err := salesOf(t.Context(), db.Conn().Read, id)
			if err != nil {
				t.Fatal(err)
			}
			for key, s := range sums { // what is written next takes out what the migration put in
				sums[key] = saleSum{}.plus(s, -1)
			}
			if err := addSales(t.Context(), db.Conn(), id, sums); err != nil {
				t.Fatal(err)
			}
		}
		var left int
		if err := db.Conn().Read.QueryRowContext(t.Context(), `
			SELECT count(*) FROM (SELECT day FROM sales_days GROUP BY day, code, test
				HAVING sum(orders) <> 0 OR sum(gross_minor) <> 0 OR sum(discount_minor) <> 0 OR sum(refunds_minor) <> 0) s`).
			Scan(&left); left != 0 || err != nil {
			t.Errorf("%d sums are left, %v", left, err)
		}
	})
}

// All of the tax is in all of the money, however large both are.
func TestShareOfTax(t *testing.T) {
	t.Parallel()

	const most = 1_000_000_000_000
	for _, tt := range []struct{ tax, part, whole, want int64 }{
		{160, 0, 1000, 0},
		{160, 333, 1000, 53},
		{160, 1000, 1000, 160},
		{160, 2000, 1000, 160},
		{0, 5, 10, 0},
		{3, 1, 2, 2},
		{most / 2, most - 1, most, most/2 - 0},
		{most, most / 2, most, most / 2},
		{5, 5, 0, 0},
	} {
		if got := share(tt.tax, tt.part, tt.whole); got != tt.want {
			t.Errorf("share(%d, %d, %d) = %d, want %d", tt.tax, tt.part, tt.whole, got, tt.want)
		}
	}
}
