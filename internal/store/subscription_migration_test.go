package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
)

// Migration 0094 knows the subscriptions of before it, and keeps up with a release that does not know it.
func TestEarlierSubscriptionsAreInTheTable(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0093", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		sell := func(id, license, kind, period string, minor int, paid, refunded any) {
			exec(`INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, amount_minor, currency, status, license_id,
					created_at_ms, billing_period, provider, follows, kind, paid_at_ms, refunded_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', 'card', $2, 'EUR', 'paid', $3, 1, $4, 'stripe', $5, $6, $7, $8)`,
				id, minor, license, period, kind != "", kind, paid, refunded)
		}
		for _, id := range []string{"plain", "changed", "taxed", "over", "pending", "once"} {
			exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
					max_instances, paid, expires_at_ms, created_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', $1, '', 'subscription', '[]', 1, $2, 90, 1)`, id, true)
		}
		sell("plain", "plain", "", "monthly", 100, 5, nil)
		sell("changed", "changed", "", "monthly", 100, 5, nil)
		sell("change", "changed", "change", "yearly", 0, 6, nil)
		exec(`INSERT INTO order_terms (order_id, features, max_instances, price_minor) VALUES ('change', '[]', 1, 700)`)
		sell("taxed", "taxed", "", "yearly", 1190, 5, nil)
		exec(`INSERT INTO payments (order_id, seq, at_ms, minor, currency, tax_minor) VALUES ('taxed', 1, 5, 1190, 'EUR', 190)`)
		sell("over", "over", "", "monthly", 100, 5, 7)
		exec(`UPDATE licenses SET revoked_at_ms = 7 WHERE id = 'over'`)
		sell("pending", "pending", "", "monthly", 100, nil, nil)
		sell("once", "once", "", "one-time", 100, 5, nil)
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		lines := func(want ...string) {
			t.Helper()
			got, err := database.Texts(t.Context(), db.Conn().Read, `
				SELECT order_id || ' ' || COALESCE(since_ms, 0) || ' ' || ends_at_ms || ' ' ||
				CAST(COALESCE(yearly_minor, 0) AS BIGINT) AS line
				FROM subscriptions ORDER BY line`)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		}
		lines("change 0 90 700", "changed 5 90 0", "over 5 7 0", "plain 5 90 1200", "taxed 5 90 1000")

		exec(`UPDATE orders SET paid_at_ms = 8 WHERE id = 'pending'`)
		exec(`UPDATE licenses SET expires_at_ms = 99 WHERE id = 'plain'`)
		exec(`UPDATE orders SET refunded_at_ms = 9 WHERE id = 'change'`)
		lines("change 0 90 0", "changed 5 90 1200", "over 5 7 0", "pending 8 90 1200", "plain 5 99 1200", "taxed 5 90 1000")
	})
}
