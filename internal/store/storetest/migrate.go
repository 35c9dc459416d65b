package storetest

import "testing"

func testMigrate(t *testing.T, open Open) {
	t.Run("a migrated database has nothing left to do", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if err := db.CheckSchema(t.Context()); err != nil {
			t.Errorf("CheckSchema = %v, want nil", err)
		}
		applied, err := db.Migrate(t.Context())
		if err != nil || len(applied) != 0 {
			t.Errorf("Migrate again = %q, %v; want none", applied, err)
		}
	})
}
