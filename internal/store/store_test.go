package store_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"stoa/internal/store"
	"stoa/internal/store/storetest"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestSQLite(t *testing.T) {
	t.Parallel()

	storetest.Run(t, func(tb testing.TB) *store.DB { return mustOpen(tb, filepath.Join(tb.TempDir(), "stoa.db")) })
}

func TestPostgres(t *testing.T) {
	t.Parallel()

	storetest.Run(t, func(tb testing.TB) *store.DB { return mustOpen(tb, pgtest.URL(tb)) })
}

// Two replicas that start at the same moment on a new database.
func TestMigrateTwiceAtOnce(t *testing.T) {
	t.Parallel()

	for name, url := range map[string]func(testing.TB) string{
		"SQLite":     func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "stoa.db") },
		"PostgreSQL": pgtest.URL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dsn := url(t)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					db, err := store.Open(dsn)
					if err != nil {
						t.Error(err)
						return
					}
					defer db.Close()
					if _, err := db.Migrate(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
	}
}

func mustOpen(tb testing.TB, url string) *store.DB {
	tb.Helper()
	db, err := store.Open(url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return db
}
