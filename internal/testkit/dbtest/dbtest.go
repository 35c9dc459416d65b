// Package dbtest gives tests databases of both engines. Migrating takes 80 ms on SQLite and
// 250 ms on PostgreSQL, so a database is migrated once and copied for each test.
package dbtest

import (
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit/pgtest"
)

// SQLite returns the path of a new, migrated SQLite file of the test.
func SQLite(tb testing.TB) string {
	tb.Helper()
	path := EmptySQLite(tb)
	CopySQLite(tb, path)
	return path
}

// EmptySQLite returns a path at which the test may create a SQLite file.
func EmptySQLite(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "stoa.db")
}

// Postgres returns the URL of a new, migrated PostgreSQL database of the test. See pgtest.URL
// for when the test is skipped, and for an empty database.
func Postgres(tb testing.TB) string {
	tb.Helper()
	return pgtest.Copy(tb, "stoa_"+schemaSum(tb), migrate)
}

// OnBoth runs test at the same time with a new, migrated SQLite database and with a new,
// migrated PostgreSQL database, given by their URLs.
func OnBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	onEach(t, map[string]func(testing.TB) string{"SQLite": SQLite, "PostgreSQL": Postgres}, test)
}

// OnBothEmpty is OnBoth with databases that are empty, for tests of what migrates or restores
// a database.
func OnBothEmpty(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	onEach(t, map[string]func(testing.TB) string{"SQLite": EmptySQLite, "PostgreSQL": pgtest.URL}, test)
}

// OnEngines is OnBoth in a run on both engines. In others, it leaves PostgreSQL out.
func OnEngines(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	engines := map[string]func(testing.TB) string{"SQLite": SQLite}
	if Both() {
		engines["PostgreSQL"] = Postgres
	}
	onEach(t, engines, test)
}

// Both reports whether this run is to test everything on both engines: STOA_TEST_ENGINES=both.
func Both() bool { return os.Getenv("STOA_TEST_ENGINES") == "both" }

func onEach(t *testing.T, engines map[string]func(testing.TB) string, test func(t *testing.T, url string)) {
	t.Helper()
	for name, url := range engines {
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
