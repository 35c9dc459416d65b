package database

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Table is a table with the names of its columns, in the engine's order. Both engines have the same
// tables and columns; the order may differ.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// schemaTable is the table in which goose counts the migrations.
const schemaTable = "goose_db_version"

// Tables returns the tables of the schema by name, except goose's and the engine's own.
func (c Conn) Tables(ctx context.Context) ([]Table, error) {
	var all []Table
	err := c.eachColumn(ctx, func(table, column, _ string) {
		if table == schemaTable {
			return
		}
		if len(all) == 0 || all[len(all)-1].Name != table {
			all = append(all, Table{Name: table})
		}
		last := &all[len(all)-1]
		last.Columns = append(last.Columns, column)
	})
	return all, err
}

// eachColumn calls fn for each column of each table, table by table, with the engine's name of the
// type in lower case.
func (c Conn) eachColumn(ctx context.Context, fn func(table, column, kind string)) error {
	rows, err := c.Read.QueryContext(ctx, c.db.columns)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, column, kind string
		if err := rows.Scan(&table, &column, &kind); err != nil {
			return err
		}
		fn(table, column, strings.ToLower(kind))
	}
	return rows.Err()
}

// EachRow calls fn with the values of each row of a table, in no particular order. A value is nil,
// int64, float64, string or []byte; a boolean is 0 or 1, as in SQLite. The slice and the bytes in
// it are valid until fn returns.
func (c Conn) EachRow(ctx context.Context, t Table, fn func(values []any) error) error {
	rows, err := c.Read.QueryContext(ctx, "SELECT "+quoted(t.Columns)+" FROM "+quote(t.Name))
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	defer rows.Close()
	values := make([]any, len(t.Columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		for i, v := range values {
			if values[i], err = plain(v); err != nil {
				return fmt.Errorf("table %s, column %s: %w", t.Name, t.Columns[i], err)
			}
		}
		if err := fn(values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return nil
}

// plain returns v in the form that both engines share: PostgreSQL has booleans and several sizes of
// integers.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case nil, int64, float64, string, []byte:
		return v, nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case int32:
		return int64(v), nil
	}
	return nil, fmt.Errorf("database: unexpected type %T of a column's value", v)
}

// Sequences returns the last number that each table's generated column was given, even if the row
// was deleted: the number must not be reused. Tables that never had a row are left out.
func (c Conn) Sequences(ctx context.Context) (map[string]int64, error) {
	list, err := c.db.sequences(ctx, c.Read)
	if err != nil {
		return nil, fmt.Errorf("database: sequences: %w", err)
	}
	return list, nil
}

// quote returns a quoted SQL identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoted returns the names with commas between them.
func quoted(names []string) string {
	list := slices.Clone(names)
	for i, name := range list {
		list[i] = quote(name)
	}
	return strings.Join(list, ", ")
}
