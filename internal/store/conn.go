package store

import (
	"context"
	"database/sql"
	"time"

	"stoa/internal/database"
)

// conn is what the stores of the market embed.
type conn struct{ audited }

func newConn(db *database.DB) conn { return conn{audited{db.Conn()}} }

func (c conn) inTx(ctx context.Context, fn func(conn) error) error {
	return c.Conn.InTx(ctx, func(tx database.Conn) error { return fn(conn{audited{tx}}) })
}

func (c conn) inShortTx(ctx context.Context, fn func(conn) error) error {
	return c.Conn.InShortTx(ctx, func(tx database.Conn) error { return fn(conn{audited{tx}}) })
}

func (c conn) inSnapshot(ctx context.Context, fn func(conn) error) error {
	return c.Conn.InSnapshot(ctx, func(tx database.Conn) error { return fn(conn{audited{tx}}) })
}

func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMilli(n.Int64).UTC()
}
