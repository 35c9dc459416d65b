package database

import (
	"context"
	"fmt"
)

// Loader fills the tables of an empty database. It is used by one goroutine.
type Loader interface {
	// Rows fills a table with the rows that next returns, until next returns nil. Values
	// are as EachRow gives them, in the order of t.Columns. The slice is not used after the
	// next call of next.
	Rows(ctx context.Context, t Table, next func() ([]any, error)) error
	// Sequence sets the last number that was given to the generated column of a table.
	Sequence(ctx context.Context, table string, last int64) error
}

// Load replaces what is in the tables except those in keep, which fn fills through a Loader.
// Meanwhile there are no triggers, indexes and references between tables; they return at
// the end, and what violates one of them is an error.
//
// On PostgreSQL all of it is one transaction. On SQLite it is not, and a crash loses
// what was loaded: load a new file, and give it its name afterwards. Nothing else may use
// the database.
func (db *DB) Load(ctx context.Context, keep []string, fn func(Loader) error) error {
	if err := db.load(ctx, db, keep, fn); err != nil {
		return fmt.Errorf("database: load: %w", err)
	}
	return nil
}

// DropAll removes all tables and functions of the schema, on PostgreSQL. It undoes Migrate
// on a database that was empty.
func (db *DB) DropAll(ctx context.Context) error {
	tables, err := Texts(ctx, db.read, `
		SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()`)
	if err != nil {
		return fmt.Errorf("database: drop: %w", err)
	}
	functions, err := Texts(ctx, db.read, `
		SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = current_schema()`)
	if err != nil {
		return fmt.Errorf("database: drop: %w", err)
	}
	return db.inTx(ctx, func(tx Querier) error {
		for _, t := range tables {
			if _, err := tx.ExecContext(ctx, `DROP TABLE IF EXISTS `+t+` CASCADE`); err != nil {
				return fmt.Errorf("database: drop: %w", err)
			}
		}
		for _, f := range functions {
			if _, err := tx.ExecContext(ctx, `DROP FUNCTION IF EXISTS `+f+` CASCADE`); err != nil {
				return fmt.Errorf("database: drop: %w", err)
			}
		}
		return nil
	})
}
