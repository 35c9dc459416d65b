package store

import (
	"io/fs"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"

	"stoa/internal/database"
	"stoa/internal/testkit/pgtest"
)

// Orders placed before migration 0011 added billing_email_key can be claimed too.
func TestOldOrdersCanBeClaimed(t *testing.T) {
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
			if _, err := db.Migrate(t.Context(), migrationsUpTo(t, "0007")); err != nil {
				t.Fatal(err)
			}
			no := false
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
					0, 0, $1, $1, $1, '{}', 1, 1)`, no)
			for id, billing := range map[string]any{
				"hers":       `{"name":"Ada","email":" Ada@Example.com"}`,
				"no-address": `{"name":"Ada"}`,
				"no-bill":    nil,
				"nonsense":   `{"email":"ada"}`,
			} {
				exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
						max_instances, paid, created_at_ms)
					VALUES ($1, 'p', 't', 'anonymous', $1, '', 'perpetual', '[]', 1, $2, 1)`, id, no)
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
}

// migrationsUpTo returns the migrations whose names start with version, or with a
// lower one.
func migrationsUpTo(tb testing.TB, version string) fs.FS {
	tb.Helper()
	some := make(fstest.MapFS)
	err := fs.WalkDir(migrations(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(name)[:len(version)] > version {
			return err
		}
		text, err := fs.ReadFile(migrations(), name)
		some[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return some
}
