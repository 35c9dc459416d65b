package store_test

import (
	"database/sql"
	"testing"
	"time"

	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/audit"
)

const insertEntry = `INTO audit_log (id, at_ms, actor_kind, actor_id, actor_name,
		action, target_type, target_id, address, request_id, details_json)
	VALUES ('a', 0, '', '', '', '', '', '', '', '', '{}')`

// The audit log is append-only: even stoa's own connection cannot change or
// remove an entry without changing the schema.
func TestAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()

	for _, engine := range []struct {
		name, driver string
		url          func(testing.TB) string
		also         string
	}{
		{"SQLite", "sqlite", dbtest.SQLite, `INSERT OR REPLACE ` + insertEntry},
		{"PostgreSQL", "pgx", dbtest.Postgres, `TRUNCATE audit_log`},
	} {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()

			url := engine.url(t)
			log := store.NewAudit(dbtest.Open(t, url))
			entry := audit.New(t.Context(), time.Now(), audit.UserCreate, audit.Target{}, nil)
			if err := log.Record(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
			raw, err := sql.Open(engine.driver, url)
			if err != nil {
				t.Fatal(err)
			}
			defer raw.Close()
			if _, err := raw.ExecContext(t.Context(), `INSERT `+insertEntry); err != nil {
				t.Fatalf("the database refuses an INSERT: %v", err)
			}
			for _, statement := range []string{
				`UPDATE audit_log SET action = 'nothing'`,
				`DELETE FROM audit_log`,
				`DELETE FROM audit_log WHERE id = 'a'`,
				`INSERT ` + insertEntry + ` ON CONFLICT (id) DO UPDATE SET action = 'nothing'`,
				engine.also,
			} {
				if _, err := raw.ExecContext(t.Context(), statement); err == nil {
					t.Errorf("the database accepted %s", statement)
				}
			}
			_, total, err := log.ListEntries(t.Context(), audit.Query{Limit: 10, Action: "user.create"})
			if err != nil || total != 1 {
				t.Errorf("%d recorded entries are left, %v; want 1", total, err)
			}
		})
	}
}
