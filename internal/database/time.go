package database

import (
	"database/sql"
	"time"
)

// Millis returns t as the database stores it, in Unix milliseconds. The zero time
// is NULL.
func Millis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// ScanMillis returns a scan target for a column that holds what Millis returned.
// Scanning sets *t, in UTC.
func ScanMillis(t *time.Time) sql.Scanner { return (*millis)(t) }

type millis time.Time

// Scan implements sql.Scanner.
func (m *millis) Scan(src any) error {
	var n sql.NullInt64
	if err := n.Scan(src); err != nil {
		return err
	}
	*m = millis{}
	if n.Valid {
		*m = millis(time.UnixMilli(n.Int64).UTC())
	}
	return nil
}
