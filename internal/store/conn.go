package store

import (
	"context"
	"database/sql"
	"time"

	"stoa/internal/database"
)

// conn is a database.Conn with the Record that every domain's Store has.
type conn struct{ database.Conn }

func newConn(db *database.DB) conn { return conn{db.Conn()} }

func (c conn) inTx(ctx context.Context, fn func(conn) error) error {
	return c.Conn.InTx(ctx, func(tx database.Conn) error { return fn(conn{tx}) })
}

func (c conn) inShortTx(ctx context.Context, fn func(conn) error) error {
	return c.Conn.InShortTx(ctx, func(tx database.Conn) error { return fn(conn{tx}) })
}

func (c conn) inSnapshot(ctx context.Context, fn func(conn) error) error {
	return c.Conn.InSnapshot(ctx, func(tx database.Conn) error { return fn(conn{tx}) })
}

func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMilli(n.Int64).UTC()
}
