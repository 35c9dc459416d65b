package store

import (
	"testing"
	"time"

	"stoa/internal/data/database"
)

// Migration 0022 gives a day of leeway to the licenses whose subscription runs, and revives none.
func TestRunningSubscriptionsGetTheLeeway(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0021", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		future := time.Now().Add(time.Hour).UnixMilli()
		for id, row := range map[string]struct {
			expires      any
			subscription string
			status       string
			ended        any
		}{
			"runs":      {future, "sub_1", "paid", nil},
			"expired":   {time.Now().Add(-time.Minute).UnixMilli(), "sub_2", "paid", nil},
			"ended":     {future, "sub_3", "paid", 1},
			"refunded":  {future, "sub_4", "refunded", nil},
			"once":      {future, "", "paid", nil},
			"perpetual": {nil, "", "paid", nil},
		} {
			exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
					max_instances, paid, created_at_ms, expires_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', $1, '', 'subscription', '[]', 1, $2, 1, $3)`, id, true, row.expires)
			exec(`INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, amount_minor,
					currency, status, license_id, created_at_ms, payment_subscription, subscription_ended_at_ms)
				VALUES ($1, 'p', 't', 'anonymous', 'card', 1, 'EUR', $2, $1, 1, $3, $4)`,
				id, row.status, row.subscription, row.ended)
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"runs", "expired", "ended", "refunded", "once", "perpetual"} {
			l, err := NewLicenses(db).LicenseByID(t.Context(), id)
			want := time.Duration(0)
			if id == "runs" {
				want = 24 * time.Hour
			}
			if err != nil || l.Leeway != want {
				t.Errorf("%s: leeway %s, %v; want %s", id, l.Leeway, err, want)
			}
		}
	})
}
