// Package dbtest gives tests databases of both engines.
package dbtest

import (
	"path/filepath"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit/pgtest"
)

// SQLite returns a path for a new SQLite file of the test.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "stoa.db")
}

// OnBoth runs test at the same time with a new, empty SQLite database and with a
// new, empty PostgreSQL database (see pgtest.URL), given by their URLs.
func OnBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for name, url := range map[string]func(testing.TB) string{"SQLite": SQLite, "PostgreSQL": pgtest.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			test(t, url(t))
		})
	}
}

// Open opens the database at url, migrated, until the test ends.
func Open(tb testing.TB, url string) *database.DB {
	tb.Helper()
	db, err := database.Open(url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	if _, err := store.Migrate(tb.Context(), db, "test"); err != nil {
		tb.Fatal(err)
	}
	return db
}
