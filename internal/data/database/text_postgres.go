package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// textPostgres is Conn.Text on PostgreSQL. It sends the prepared statement without the help of
// database/sql and the driver: for each query, they start a goroutine and a callback that wait for the
// end of ctx, and look up how to encode arguments that are text already. answered is false if the
// connection was found broken before the query was sent: the caller then asks through database/sql.
func textPostgres(
	ctx context.Context, pool *sql.DB, query string, args []string,
) (text string, answered bool, err error) {
	asked := ctx.Err() == nil
	conn, err := pool.Conn(ctx)
	if err != nil {
		return "", true, late(err, asked)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		std, ok := c.(*stdlib.Conn)
		if !ok {
			return driver.ErrBadConn
		}
		text, err = askPostgres(ctx, std.Conn(), query, args)
		if pgconn.SafeToRetry(err) {
			return driver.ErrBadConn // the pool drops it
		}
		return err
	})
	if errors.Is(err, driver.ErrBadConn) {
		return "", false, nil // database/sql tries other connections
	}
	return text, true, late(err, asked)
}

func askPostgres(ctx context.Context, c *pgx.Conn, query string, args []string) (text string, err error) {
	statement, err := c.Prepare(ctx, query, query) // once on each connection
	if err != nil {
		return "", err
	}
	values := make([][]byte, len(args))
	for i := range args {
		values[i] = []byte(args[i])
	}
	found := false
	err = untilDeadline(ctx, c.PgConn().Conn(), func() error { //nolint:contextcheck // see Text
		result := c.PgConn().ExecStatement(context.Background(), statement, values, nil, nil)
		for result.NextRow() {
			if !found {
				text, found = string(result.Values()[0]), true
			}
		}
		_, err := result.Close()
		return err
	})
	if _, refused := errors.AsType[*pgconn.PgError](err); refused {
		_ = c.Deallocate(ctx, query) // it may be out of date: the next query prepares it again
	}
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return text, err
}

// untilDeadline calls ask, whose reads from conn end at the deadline of ctx.
func untilDeadline(ctx context.Context, conn net.Conn, ask func() error) error {
	if at, limited := ctx.Deadline(); limited {
		_ = conn.SetReadDeadline(at) // if it fails, so do the reads
		defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	}
	return ask()
}
