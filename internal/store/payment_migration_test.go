package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
)

// Migration 0085 knows what was paid before it: first payments, later periods, and what was given back.
func TestEarlierOrdersGetTheirPayments(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0083", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		for id, row := range map[string]struct {
			amount, part   int64
			paid, refunded any
			sub            string
			renewals       []string
			discount       int64
		}{
			"once":     {amount: 500, paid: 10},
			"free":     {amount: 0, paid: 10},
			"pending":  {amount: 500},
			"part":     {amount: 500, paid: 10, part: 120},
			"refunded": {amount: 500, paid: 10, refunded: 30, sub: "sub_1", renewals: []string{"stripe:in_2"}},
			"monthly": {
				amount: 400, discount: 100, paid: 10, sub: "sub_2",
				renewals: []string{"stripe:in_2", "stripe:in_3", "by hand", "passed over: period to 1 May 2026"},
			},
		} {
			exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
					max_instances, paid, created_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', $1, '', 'subscription', '[]', 1, $2, 1)`, id, true)
			exec(`INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, amount_minor, currency, status,
					license_id, created_at_ms, provider, paid_at_ms, refunded_at_ms, partly_refunded_minor,
					payment_subscription, payment_id, payment_invoice, discount_minor, discount_duration)
				VALUES ($1, 'p', 't', 'anonymous', 'card', $2, 'EUR', 'paid',
					$1, 1, 'stripe', $3, $4, $5, $6, 'pi_1', 'in_1', $7, 'once')`,
				id, row.amount, row.paid, row.refunded, row.part, row.sub, row.discount)
			for i, reference := range row.renewals {
				exec(`INSERT INTO license_renewals (license_id, reference, at_ms) VALUES ($1, $2, $3)`, id, reference, 20+i)
			}
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		texts := func(query string) []string {
			got, err := database.Texts(t.Context(), db.Conn().Read, query)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		want := []string{
			"monthly 1 in_1 pi_1 10 400 0", "monthly 2 in_2  20 500 0", "monthly 3 in_3  21 500 0",
			"once 1 in_1 pi_1 10 500 0", "part 1 in_1 pi_1 10 500 120",
			"refunded 1 in_1 pi_1 10 500 500", "refunded 2 in_2  20 500 500",
		}
		if diff := cmp.Diff(want, texts(`
			SELECT order_id || ' ' || seq || ' ' || invoice || ' ' || payment || ' ' || at_ms || ' ' || minor || ' ' ||
			refunded_minor
			FROM payments ORDER BY order_id, seq`)); diff != "" {
			t.Errorf("payments (-want +got):\n%s", diff)
		}
		want = []string{"part 1 10 120", "refunded 1 30 500", "refunded 2 30 500"}
		if diff := cmp.Diff(want, texts(`
			SELECT order_id || ' ' || seq || ' ' || at_ms || ' ' || minor FROM refunds ORDER BY order_id, seq`)); diff != "" {
			t.Errorf("refunds (-want +got):\n%s", diff)
		}
	})
}
