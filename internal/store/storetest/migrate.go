package storetest

import (
	"testing"

	"stoa/internal/store"
)

func testMigrate(t *testing.T, open Open) {
	t.Run("a migrated database has nothing left to do", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if err := store.CheckSchema(t.Context(), db); err != nil {
			t.Errorf("CheckSchema = %v, want nil", err)
		}
		applied, err := store.Migrate(t.Context(), db)
		if err != nil || len(applied) != 0 {
			t.Errorf("Migrate again = %q, %v; want none", applied, err)
		}
	})
}
