package store

import (
	"context"
	"io/fs"
	"path"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/database/migration"
)

// Plan is what Migrate would do to a database.
type Plan struct {
	Engine string
	Steps  []PlannedMigration
}

// PlannedMigration is a pending migration. Each is one transaction.
type PlannedMigration struct {
	Name       string
	Statements []PlannedStatement
}

// PlannedStatement is one statement of a migration.
type PlannedStatement struct {
	migration.Statement

	Rows int64         // that it processes
	Took time.Duration // estimated
	Lock migration.Lock
	Held time.Duration // estimated: the lock is held until the end of the migration
}

// Took returns the estimate for a whole migration.
func (m PlannedMigration) Took() (sum time.Duration) {
	for _, s := range m.Statements {
		sum += s.Took
	}
	return sum
}

// Took returns the estimate for all migrations.
func (p Plan) Took() (sum time.Duration) {
	for _, m := range p.Steps {
		sum += m.Took()
	}
	return sum
}

// PlanMigrations returns what Migrate would do. It counts the rows of the tables that
// migrations work through, unless sizes has them, by table, and changes nothing.
func PlanMigrations(ctx context.Context, db *database.DB, sizes map[string]int64) (Plan, error) {
	files, err := db.Pending(ctx, migrations())
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Engine: db.Engine()}
	count := &tableSizes{db: db, known: make(map[string]int64)}
	for _, file := range files {
		text, err := fs.ReadFile(migrations(), file)
		if err != nil {
			return Plan{}, err
		}
		step, err := planMigration(ctx, count, sizes, string(text), db.Engine())
		if err != nil {
			return Plan{}, err
		}
		step.Name = path.Base(file)
		plan.Steps = append(plan.Steps, step)
	}
	return plan, nil
}

// planMigration plans the statements of one file.
func planMigration(
	ctx context.Context, count *tableSizes, sizes map[string]int64, text, engine string,
) (step PlannedMigration, err error) {
	created := make(map[string]bool)
	for _, s := range migration.Parse(text) {
		rows, given := sizes[s.Reads()]
		if !given {
			if rows, err = count.of(ctx, s.Reads()); err != nil {
				return step, err
			}
		}
		step.Statements = append(step.Statements, PlannedStatement{
			Statement: s, Rows: rows, Took: s.Estimate(engine, rows), Lock: s.Lock(engine, created),
		})
		if s.Kind == migration.CreateTable {
			created[s.Table] = true
		}
	}
	var held time.Duration
	for i := len(step.Statements) - 1; i >= 0; i-- {
		s := &step.Statements[i]
		held += s.Took
		if s.Lock.Name != "" {
			s.Held = held
		}
	}
	return step, nil
}

// tableSizes counts rows, each table once.
type tableSizes struct {
	db    *database.DB
	known map[string]int64
}

// of returns how many rows a table has: none if there is no such table yet.
func (c *tableSizes) of(ctx context.Context, table string) (int64, error) {
	if n, ok := c.known[table]; ok || table == "" {
		return n, nil
	}
	has, err := c.db.HasTable(ctx, table)
	if err != nil {
		return 0, err
	}
	var n int64
	if has {
		// The name is from a migration of this program.
		err = c.db.Conn().Read.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&n)
	}
	c.known[table] = n
	return n, err
}
