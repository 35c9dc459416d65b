package store

import (
	"io/fs"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"

	"stoa/internal/data/database"
	"stoa/internal/testkit/pgtest"
)

// onOldSchema runs test on both engines, on a database that has the migrations up to version
// and a product p. exec runs a statement.
func onOldSchema(
	t *testing.T, version string, test func(t *testing.T, db *database.DB, exec func(query string, args ...any)),
) {
	t.Helper()
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
			if _, err := db.Migrate(t.Context(), migrationsUpTo(t, version)); err != nil {
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
			test(t, db, exec)
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
