package database

import (
	"database/sql"
	"fmt"
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
	switch ms := src.(type) {
	case nil:
		*m = millis{}
	case int64:
		*m = millis(time.UnixMilli(ms).UTC())
	default:
		return fmt.Errorf("database: a %T is not a time in milliseconds", src)
	}
	return nil
}
