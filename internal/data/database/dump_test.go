package database_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
	"stoa/internal/testkit/dbtest"
)

// Backups depend on it.
func TestBothEnginesHaveTheSameTablesAndColumns(t *testing.T) {
	t.Parallel()

	tables := func(url string) []database.Table {
		list, err := dbtest.Open(t, url).Conn().Tables(t.Context())
		if err != nil || len(list) < 30 {
			t.Fatalf("%d tables, %v", len(list), err)
		}
		for _, table := range list {
			slices.Sort(table.Columns)
		}
		return list
	}
	if diff := cmp.Diff(tables(dbtest.SQLite(t)), tables(dbtest.Postgres(t))); diff != "" {
		t.Errorf("-SQLite +PostgreSQL\n%s", diff)
	}
}
