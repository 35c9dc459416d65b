package store

import (
	"context"
	"database/sql"
)

// column returns what a query of one column of texts finds, in its order.
func (c conn) column(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := c.r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

// nullText is NULL for an empty text.
func nullText(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
