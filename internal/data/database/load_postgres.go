package database

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresColumns lists the columns of all tables.
const postgresColumns = `
	SELECT table_name::text, column_name::text, data_type::text
	FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
	WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
	ORDER BY table_name COLLATE "C", ordinal_position`

// A sequence is not part of a snapshot: its last number may be higher than the snapshot shows,
// never lower.
func sequencesPostgres(ctx context.Context, q Querier) (map[string]int64, error) {
	rows, err := q.QueryContext(ctx, `
		SELECT table_name::text,
			pg_sequence_last_value(pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass)
		FROM information_schema.columns
		WHERE table_schema = current_schema() AND is_identity = 'YES' AND table_name <> $1`, schemaTable)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make(map[string]int64)
	for rows.Next() {
		var table string
		var last *int64 // nil before the first row
		if err := rows.Scan(&table, &last); err != nil {
			return nil, err
		}
		if last != nil {
			list[table] = *last
		}
	}
	return list, rows.Err()
}

func loadPostgres(ctx context.Context, db *DB, keep []string, fn func(Loader) error) error {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driverConn any) error {
		tx, err := driverConn.(*stdlib.Conn).Conn().Begin(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // a no-op after Commit
		l := &postgresLoader{tx: tx, booleans: make(map[string]bool)}
		err = db.Conn().eachColumn(ctx, func(table, column, kind string) {
			l.booleans[table+"."+column] = kind == "boolean"
		})
		if err != nil {
			return err
		}
		again, err := l.bare(ctx, keep)
		if err != nil {
			return err
		}
		if err := fn(l); err != nil {
			return err
		}
		for _, statement := range again {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return tx.Commit(ctx)
	})
}

// postgresLoader implements Loader.
type postgresLoader struct {
	tx       pgx.Tx
	booleans map[string]bool // by table and column
}

// undone is a statement that drops something, and the one that restores it.
type undone struct{ Drop, Create string }

// bareStatements list what slows a load down. References are dropped first and restored last,
// because they need unique indexes.
var bareStatements = []string{
	`SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
		format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
	FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
	`SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
	FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
	WHERE c.relnamespace = current_schema()::regnamespace
		AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)`,
	`SELECT DISTINCT format('ALTER TABLE %s DISABLE TRIGGER USER', tgrelid::regclass),
		format('ALTER TABLE %s ENABLE TRIGGER USER', tgrelid::regclass)
	FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
	WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace`,
}

// bare empties the tables except those in keep, and drops references, indexes and triggers. It
// returns the statements that restore them.
func (l *postgresLoader) bare(ctx context.Context, keep []string) (again []string, err error) {
	for _, list := range bareStatements {
		rows, err := l.tx.Query(ctx, list)
		if err != nil {
			return nil, err
		}
		pairs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[undone])
		if err != nil {
			return nil, err
		}
		for _, pair := range pairs {
			if _, err := l.tx.Exec(ctx, pair.Drop); err != nil {
				return nil, err
			}
			again = append(again, pair.Create)
		}
	}
	slices.Reverse(again)
	rows, err := l.tx.Query(ctx, `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()`)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if t == schemaTable || slices.Contains(keep, t) {
			continue
		}
		if _, err := l.tx.Exec(ctx, `DELETE FROM `+quote(t)); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// Rows implements Loader.
func (l *postgresLoader) Rows(ctx context.Context, t Table, next func() ([]any, error)) error {
	booleans := make([]bool, len(t.Columns))
	for i, column := range t.Columns {
		booleans[i] = l.booleans[t.Name+"."+column]
	}
	_, err := l.tx.CopyFrom(ctx, pgx.Identifier{t.Name}, t.Columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, err := next()
		if err != nil || row == nil {
			return nil, err
		}
		for i, is := range booleans {
			if n, isInt := row[i].(int64); is && isInt {
				row[i] = n != 0
			}
		}
		return row, nil
	}))
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return nil
}

// Sequence implements Loader.
func (l *postgresLoader) Sequence(ctx context.Context, table string, last int64) error {
	var column string
	err := l.tx.QueryRow(ctx, `
		SELECT column_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`, table).Scan(&column)
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("the table %s has no generated column", table)
	}
	if err != nil {
		return err
	}
	_, err = l.tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, $2), $3)`, quote(table), column, last)
	return err
}
