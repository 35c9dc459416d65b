package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/database/migration"
	"stoa/internal/testkit/pgtest"
)

// The plan for a database of an earlier version has its real number of rows, says what each
// statement locks, and changes nothing.
func TestThePlanSaysWhatMigrateWouldDo(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0043", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		for i := range 3 {
			exec(`INSERT INTO users (id, email, email_key, username, username_key, password_hash, role, avatar, referral_code,
					active, created_at_ms) VALUES ($1, $1, $1, $1, $1, '', 'USER', '', '', $2, 1)`, fmt.Sprint("u", i), true)
		}
		before, err := db.Pending(t.Context(), migrations())
		if err != nil {
			t.Fatal(err)
		}
		plan, err := PlanMigrations(t.Context(), db, nil)
		if err != nil || len(plan.Steps) != len(before) || plan.Steps[0].Name != "0044_overview.sql" {
			t.Fatalf("plan %+v, %v; pending are %v", plan.Steps, err, before)
		}
		if after, err := db.Pending(t.Context(), migrations()); err != nil || !slices.Equal(after, before) {
			t.Errorf("afterwards %v are pending, %v; before %v", after, err, before)
		}
		if db.Engine() != "postgres" {
			for _, s := range plan.Steps[0].Statements {
				if s.Lock.Name != "write lock" {
					t.Errorf("%s locks %+v", s.Text, s.Lock)
				}
			}
			return
		}
		lookup := plan.Steps[1] // 0045
		last := lookup.Statements[len(lookup.Statements)-1]
		if last.Kind != migration.ChangeColumn || last.Rows != 3 || last.Lock.Name != "ACCESS EXCLUSIVE" || last.Took <= 0 {
			t.Errorf("the change of users: %+v", last)
		}
		if first := lookup.Statements[0]; first.Held < first.Took+last.Took || first.Lock.Table != "orders" {
			t.Errorf("the first lock of the migration is held for %s, on %s", first.Held, first.Lock.Table)
		}

		large, err := PlanMigrations(t.Context(), db, map[string]int64{"users": 1_000_000})
		if err != nil || large.Took() < time.Second || large.Took() > time.Hour {
			t.Errorf("with a million users: %s, %v", large.Took(), err)
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		if plan, err = PlanMigrations(t.Context(), db, nil); err != nil || len(plan.Steps) != 0 {
			t.Errorf("when all are applied: %+v, %v", plan.Steps, err)
		}
	})
}

// BenchmarkStatements measures what kinds of statements cost a row, for the estimates of
// package migration.
func BenchmarkStatements(b *testing.B) {
	const rows = 200_000
	fill := map[string]string{
		"sqlite": `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO big SELECT
			'order-' || i, 'product-' || (i %% 100), 'user-' || (i %% 5000), i, 'paid', i * 7 FROM n`,
		"postgres": `INSERT INTO big SELECT 'order-' || i, 'product-' || (i %% 100), 'user-' || (i %% 5000), i, 'paid', i * 7
			FROM generate_series(1, %d) AS n (i)`,
	}
	for name, url := range map[string]func(testing.TB) string{
		"SQLite":     func(tb testing.TB) string { return filepath.Join(tb.TempDir(), "stoa.db") },
		"PostgreSQL": pgtest.URL,
	} {
		db, err := database.Open(url(b))
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		run := func(statement string) time.Duration {
			began := time.Now()
			if _, err := db.Conn().Write.ExecContext(context.Background(), statement); err != nil {
				b.Fatal(err)
			}
			return time.Since(began)
		}
		run(`CREATE TABLE big (id TEXT PRIMARY KEY, product TEXT NOT NULL, owner TEXT NOT NULL, at_ms BIGINT NOT NULL,
			status TEXT NOT NULL, amount BIGINT NOT NULL)`)
		run(`CREATE INDEX big_product ON big (product)`)
		run(`CREATE INDEX big_owner ON big (owner, at_ms)`)
		statements := []string{
			fmt.Sprintf(fill[db.Engine()], rows), `CREATE INDEX big_at ON big (at_ms, status)`,
			`UPDATE big SET amount = amount + 1`, `ALTER TABLE big ADD COLUMN more TEXT NOT NULL DEFAULT ''`,
		}
		if db.Engine() == "postgres" {
			statements = append(statements, `ALTER TABLE big ADD CONSTRAINT c CHECK (amount > 0)`,
				`ALTER TABLE big ALTER COLUMN owner TYPE TEXT COLLATE "C"`, `ALTER TABLE big ALTER COLUMN amount TYPE NUMERIC`)
		} else {
			statements = append(statements, `ALTER TABLE big DROP COLUMN more`)
		}
		for _, statement := range append(statements, `DELETE FROM big`) {
			took := run(statement)
			b.Logf("%s %6.2f µs, %s", name, float64(took.Microseconds())/rows, statement[:min(len(statement), 40)])
		}
	}
}
