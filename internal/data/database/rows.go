package database

import (
	"context"
	"database/sql"
)

// Scanner is one row of a result: a *sql.Row or *sql.Rows.
type Scanner interface{ Scan(dest ...any) error }

// All returns the rows of a query, each read by scan, in the query's order. It returns nil if there
// are none.
func All[T any](
	ctx context.Context, q Querier, scan func(Scanner) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return list, nil
}

// Texts is All for a query of one text column.
func Texts(ctx context.Context, q Querier, query string, args ...any) ([]string, error) {
	return All(ctx, q, func(row Scanner) (text string, err error) {
		err = row.Scan(&text)
		return text, err
	}, query, args...)
}

// NullText returns s as the database stores it in a nullable column: the empty text is NULL.
func NullText(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
