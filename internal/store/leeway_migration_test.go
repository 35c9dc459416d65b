package store

import (
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/database"
	"stoa/internal/testkit/pgtest"
)

// Migration 0022 gives a day of leeway to the licenses whose subscription runs, and revives none.
func TestRunningSubscriptionsGetTheLeeway(t *testing.T) {
	t.Parallel()

	for name, url := range map[string]func(testing.TB) string{
		"SQLite":     func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "stoa.db") },
		"PostgreSQL": pgtest.URL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db, err := database.Open(url(t))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(t.Context(), migrationsUpTo(t, "0021")); err != nil {
				t.Fatal(err)
			}
			exec := func(query string, args ...any) {
				t.Helper()
				if _, err := db.Conn().Write.ExecContext(t.Context(), query, args...); err != nil {
					t.Fatal(err)
				}
			}
			exec(`INSERT INTO products (id, slug, name, name_sort, search_text, description, short_description, icon,
					category, screenshots, highlights, pricing_type, price_minor, price_currency, price_rank, rating, review_count,
					download_base, download_count, featured, trending, published, detail, created_at_ms, updated_at_ms)
				VALUES ('p', 'p', '', '', '', '', '', '',
					'', '[]', '[]', 'paid', 1, 'EUR', 1, 0, 0,
					0, 0, $1, $1, $1, '{}', 1, 1)`, false)
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
}
