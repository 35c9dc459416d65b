package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"stoa/internal/base/errs"
)

// NotFound returns the error for a missing row. what names the row and starts with a capital:
// "License".
func NotFound(what string) *errs.Error {
	return errs.New(errs.NotFound, "NOT_FOUND", "%s not found.", what)
}

// Wrap turns a driver error into one the domains understand: sql.ErrNoRows becomes an errs.NotFound
// error, a violated unique constraint an errs.Conflict error, and the end of the context an outage.
// Any other error, and nil, is returned unchanged. what names the row, as in NotFound.
func (c Conn) Wrap(err error, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return NotFound(what).Because(err)
	case c.db.isUnique(err):
		return errs.New(errs.Conflict, "CONFLICT", "%s already exists.", what).Because(err)
	}
	return late(err, true)
}

// late returns err as an outage if it is the end of a context: the database did not answer in time,
// or had no connection free. asked is false if the time was over before the database was asked.
func late(err error, asked bool) error {
	if asked && errors.Is(err, context.DeadlineExceeded) {
		return lost(err)
	}
	return err
}

// cut returns err, or the end of ctx if that ended a statement, or took the transaction or the connection away:
// database/sql and the driver then may say only that, as if the database had failed. asked is as with late.
func cut(ctx context.Context, err error, asked bool) error {
	over := ctx.Err()
	if over == nil || !errors.Is(err, sql.ErrTxDone) && !errors.Is(err, driver.ErrBadConn) &&
		sqliteCode(err) != sqlite3.SQLITE_INTERRUPT {
		return err
	}
	return late(fmt.Errorf("%w: %v", over, err), asked) //nolint:errorlint // see above: err misleads
}

// pooled is a pool whose statements say that the database was late if it was.
type pooled struct{ *sql.DB }

// ExecContext implements Querier.
func (p pooled) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	asked := ctx.Err() == nil
	res, err := p.DB.ExecContext(ctx, query, args...)
	return res, cut(ctx, late(err, asked), asked)
}

// QueryContext implements Querier.
func (p pooled) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	asked := ctx.Err() == nil
	rows, err := p.DB.QueryContext(ctx, query, args...)
	return rows, cut(ctx, late(err, asked), asked)
}

// IsReference reports whether err is a violated reference between tables.
func (c Conn) IsReference(err error) bool { return c.db.isRef(err) }

// Affected returns err, or an errs.NotFound error if the UPDATE or DELETE whose
// result is res affected no row. what names the row, as in NotFound.
func Affected(res sql.Result, err error, what string) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return NotFound(what)
}
