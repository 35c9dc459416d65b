package database

import (
	"context"
	"fmt"
)

// Loader fills the tables of an empty database. It is not safe for concurrent use.
type Loader interface {
	// Rows fills a table with the rows that next returns, until next returns nil. Values have the
	// types of EachRow and the order of t.Columns. The slice may be reused after the next call of
	// next.
	Rows(ctx context.Context, t Table, next func() ([]any, error)) error
	// Sequence sets the last number of a table's generated column.
	Sequence(ctx context.Context, table string, last int64) error
}

// Load replaces the contents of all tables except those in keep; fn fills them through a Loader.
// Meanwhile there are no triggers, indexes and references between tables. They are restored at the
// end, and a row that violates one of them is an error.
//
// On PostgreSQL all of it is one transaction. On SQLite it is not, and a crash loses what was
// loaded: load a new file, and rename it afterwards. Nothing else may use the database.
func (db *DB) Load(ctx context.Context, keep []string, fn func(Loader) error) error {
	if err := db.load(ctx, db, keep, fn); err != nil {
		return fmt.Errorf("database: load: %w", err)
	}
	return nil
}

// DropAll removes all tables and functions of the schema, on PostgreSQL. It reverts Migrate on a
// database that was empty.
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
