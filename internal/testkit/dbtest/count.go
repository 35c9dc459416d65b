package dbtest

import (
	"database/sql"
	"testing"
)

// Count returns the number that a query returns.
func Count(tb testing.TB, db *sql.DB, query string) int {
	tb.Helper()
	var n int
	if err := db.QueryRowContext(tb.Context(), query).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}
