package database

import (
	"context"
	"database/sql"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Telling returns c, which calls changed after everything that is written through it:
// when the statement has been carried out, or, in a transaction, when that has ended.
// changed is called once for a transaction, and also if it failed: a commit whose
// answer was lost may have happened. Statements outside of a transaction that return
// rows are not told of.
//
// changed must not block, and must not use the database.
func (c Conn) Telling(changed func()) Conn { return c.telling(&changed) }

func (c Conn) telling(changed *func()) Conn {
	c.changed = changed
	c.Write = tellingQuerier{c.Write, c.tx, changed}
	return c
}

// tellingQuerier calls changed after each statement, or leaves that to the end of a
// transaction.
type tellingQuerier struct {
	Querier

	tx      *ending // nil outside of transactions
	changed *func()
}

// ExecContext implements Querier.
func (q tellingQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	defer q.wrote()
	return q.Querier.ExecContext(ctx, query, args...)
}

// QueryContext implements Querier.
func (q tellingQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	defer q.wrote()
	return q.Querier.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // the caller closes them
}

// QueryRowContext implements Querier.
func (q tellingQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	defer q.wrote()
	return q.Querier.QueryRowContext(ctx, query, args...)
}

func (q tellingQuerier) wrote() {
	if q.tx == nil {
		(*q.changed)()
	} else {
		q.tx.add(q.changed)
	}
}

// ending knows whom to tell when a transaction has ended. Like a transaction it is used
// by one goroutine.
type ending struct {
	waiting []*func() // to be called whatever the end
	topics  []string  // to be announced if it committed
}

func (e *ending) add(changed *func()) {
	if !slices.Contains(e.waiting, changed) {
		e.waiting = append(e.waiting, changed)
	}
}

func (e *ending) tell() {
	for _, changed := range e.waiting {
		(*changed)()
	}
}

// Listen calls heard soon after any process has sent a notification on channel, and once
// when it begins to listen. It returns when ctx is done or the connection is lost: what
// was sent until Listen is called again is not heard. SQLite sends no notifications; on
// it Listen waits for ctx.
func (db *DB) Listen(ctx context.Context, channel string, heard func()) error {
	if db.listen == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return db.listen(ctx, conn, channel, heard)
}

// listenPostgres takes a connection out of the pool for good: it would go on listening
// for whoever gets it next.
func listenPostgres(ctx context.Context, conn *sql.Conn, channel string, heard func()) error {
	return conn.Raw(func(driverConn any) error {
		listening := driverConn.(*stdlib.Conn).Conn()
		// database/sql drops a connection that was closed when it gets it back.
		defer listening.Close(context.WithoutCancel(ctx))
		if _, err := listening.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return err
		}
		for {
			heard()
			if _, err := listening.WaitForNotification(ctx); err != nil {
				return err
			}
		}
	})
}
