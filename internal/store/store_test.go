package store_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestSQLite(t *testing.T) {
	t.Parallel()

	runSuite(t, func(tb testing.TB) *database.DB { return dbtest.Open(tb, dbtest.SQLite(tb)) })
}

func TestPostgres(t *testing.T) {
	t.Parallel()

	runSuite(t, func(tb testing.TB) *database.DB { return dbtest.Open(tb, dbtest.Postgres(tb)) })
}

// Checking an empty database leaves it empty.
func TestCheckSchemaChangesNothing(t *testing.T) {
	t.Parallel()

	dbtest.OnBothEmpty(t, func(t *testing.T, url string) {
		db, err := database.Open(url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := store.CheckSchema(t.Context(), db, "test"); !errors.Is(err, store.ErrSchemaOld) {
			t.Errorf("CheckSchema = %v, want ErrSchemaOld", err)
		}
		if has, err := db.HasTable(t.Context(), "goose_db_version"); has || err != nil {
			t.Errorf("HasTable = %v, %v; want none", has, err)
		}
	})
}

// Two replicas that start at the same moment on a new database.
func TestMigrateTwiceAtOnce(t *testing.T) {
	t.Parallel()

	dbtest.OnBothEmpty(t, func(t *testing.T, url string) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				db, err := database.Open(url)
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				if _, err := store.Migrate(t.Context(), db, "test"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}
