package store

import (
	"testing"

	"stoa/internal/data/database"
)

// Orders placed before migration 0011 added billing_email_key can be claimed too.
func TestOldOrdersCanBeClaimed(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0007", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		for id, billing := range map[string]any{
			"hers":       `{"name":"Ada","email":" Ada@Example.com"}`,
			"no-address": `{"name":"Ada"}`,
			"no-bill":    nil,
			"nonsense":   `{"email":"ada"}`,
		} {
			exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
					max_instances, paid, created_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', $1, '', 'perpetual', '[]', 1, $2, 1)`, id, false)
			exec(`INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor,
					currency, status, license_id, created_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', 'card', $2, 1, 'EUR', 'paid', $1, 1)`, id, billing)
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		if n, err := NewClaims(db).ClaimOrders(t.Context(), "ada@example.com", "u"); n != 1 || err != nil {
			t.Errorf("claimed %d, %v; want 1", n, err)
		}
	})
}
