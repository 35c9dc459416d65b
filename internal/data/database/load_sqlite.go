package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// sqliteColumns lists the columns of all tables.
	sqliteColumns = `
		SELECT t.name, c.name, c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`

	// loadBatch is how many rows are loaded into SQLite in a transaction.
	loadBatch = 100_000
	// loadTogether is how many rows one INSERT has, if the number of values allows it.
	loadTogether = 32
	// maxValues is how many values a statement may have in SQLite.
	maxValues = 32_766
)

func sequencesSQLite(ctx context.Context, q Querier) (map[string]int64, error) {
	list := make(map[string]int64)
	// The engine creates this table together with the first table that has a sequence.
	var has int
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'`).Scan(&has)
	if err != nil || has == 0 {
		return list, err
	}
	rows, err := q.QueryContext(ctx, `SELECT name, seq FROM sqlite_sequence WHERE name <> $1`, schemaTable)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var last int64
		if err := rows.Scan(&name, &last); err != nil {
			return nil, err
		}
		list[name] = last
	}
	return list, rows.Err()
}

func loadSQLite(ctx context.Context, db *DB, keep []string, fn func(Loader) error) (err error) {
	tables, err := db.Conn().Tables(ctx)
	if err != nil {
		return err
	}
	// Leaving WAL mode requires that this is the only connection.
	db.read.SetMaxIdleConns(0)
	defer db.read.SetMaxIdleConns(readConns())
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// A file that is lost in a crash is loaded again, so there is no log, and nothing waits for the
	// disk before the end. Indexes of unique columns are written in random order, so they should
	// fit into the cache.
	if err := execEach(ctx, conn, `PRAGMA foreign_keys = OFF`, `PRAGMA synchronous = OFF`, `PRAGMA journal_mode = OFF`,
		`PRAGMA cache_size = -262144`); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, execEach(context.WithoutCancel(ctx), conn, `PRAGMA cache_size = -2000`,
			`PRAGMA synchronous = FULL`, `PRAGMA journal_mode = WAL`, `PRAGMA foreign_keys = ON`))
	}()
	drops, err := Texts(ctx, conn, `
		SELECT 'DROP ' || type || ' "' || name || '"'
		FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL`)
	if err != nil {
		return err
	}
	again, err := Texts(ctx, conn, `
		SELECT sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL ORDER BY type, name`)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if !slices.Contains(keep, t.Name) {
			drops = append(drops, `DELETE FROM `+quote(t.Name))
		}
	}
	if err := execEach(ctx, conn, drops...); err != nil {
		return err
	}
	if err := fn(&sqliteLoader{conn: conn}); err != nil {
		return err
	}
	if err := execEach(ctx, conn, again...); err != nil {
		return err
	}
	return checkReferences(ctx, conn)
}

// execEach executes the statements, up to the first that fails.
func execEach(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// checkReferences returns an error if rows refer to missing rows.
func checkReferences(ctx context.Context, conn *sql.Conn) error {
	broken, err := Texts(ctx, conn, `
		SELECT DISTINCT "table" || ' refers to missing rows of ' || parent FROM pragma_foreign_key_check`)
	if err == nil && len(broken) > 0 {
		err = errors.New(strings.Join(broken, "; "))
	}
	return err
}

// sqliteLoader implements Loader.
type sqliteLoader struct{ conn *sql.Conn }

// Rows implements Loader.
func (l *sqliteLoader) Rows(ctx context.Context, t Table, next func() ([]any, error)) error {
	for {
		n, err := l.batch(ctx, t, next)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		if n < loadBatch {
			return nil
		}
	}
}

// batch loads up to loadBatch rows in a transaction, and returns how many.
func (l *sqliteLoader) batch(ctx context.Context, t Table, next func() ([]any, error)) (n int, err error) {
	tx, err := l.conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // a no-op after Commit
	together := max(1, min(loadTogether, maxValues/len(t.Columns)))
	values := make([]any, 0, together*len(t.Columns))
	flush := func() error {
		if len(values) == 0 {
			return nil
		}
		_, err := tx.ExecContext(ctx, insertRows(t, len(values)/len(t.Columns)), values...)
		values = values[:0]
		return err
	}
	for n < loadBatch {
		row, err := next()
		if err != nil {
			return n, err
		}
		if row == nil {
			break
		}
		n++
		values = append(values, row...)
		if len(values) == cap(values) {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	return n, tx.Commit()
}

// insertRows returns an INSERT statement for that many rows.
func insertRows(t Table, rows int) string {
	one := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ") + ")"
	return "INSERT INTO " + quote(t.Name) + " (" + quoted(t.Columns) + ") VALUES " +
		strings.TrimSuffix(strings.Repeat(one+", ", rows), ", ")
}

// Sequence implements Loader.
func (l *sqliteLoader) Sequence(ctx context.Context, table string, last int64) error {
	result, err := l.conn.ExecContext(ctx, `UPDATE sqlite_sequence SET seq = $1 WHERE name = $2`, last, table)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	_, err = l.conn.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`, table, last)
	return err
}
