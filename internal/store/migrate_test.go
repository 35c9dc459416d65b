package store_test

import (
	"errors"
	"strings"
	"testing"

	"stoa/internal/store"
)

func testMigrate(t *testing.T, open Open) {
	t.Run("a migrated database has nothing left to do", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if err := store.CheckSchema(t.Context(), db, "test"); err != nil {
			t.Errorf("CheckSchema = %v, want nil", err)
		}
		applied, err := store.Migrate(t.Context(), db, "test")
		if err != nil || len(applied) != 0 {
			t.Errorf("Migrate again = %v, %v; want none", applied, err)
		}
	})

	t.Run("a schema that a newer program migrated is refused, and both versions are named", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		if _, err := db.Conn().Write.ExecContext(t.Context(),
			`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9001, $1)`, true); err != nil {
			t.Fatal(err)
		}
		if err := store.NewSettings(db).Put(t.Context(), "migrated_by", "9.0.0"); err != nil {
			t.Fatal(err)
		}
		_, migrate := store.Migrate(t.Context(), db, "1.2.3")
		for name, err := range map[string]error{
			"CheckSchema": store.CheckSchema(t.Context(), db, "1.2.3"),
			"Migrate":     migrate,
		} {
			if !errors.Is(err, store.ErrSchemaNew) || !strings.Contains(err.Error(), "stoa 9.0.0 migrated it to version 9001") ||
				!strings.Contains(err.Error(), "this is stoa 1.2.3") {
				t.Errorf("%s = %v, want both versions", name, err)
			}
		}
	})
}
