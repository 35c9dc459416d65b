package database

import (
	"context"
	"database/sql"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// OnWrite returns c with a callback: changed is called after everything that is written through it.
// Outside of a transaction that is after the statement; in a transaction it is once, after its end,
// and even if it failed, because a commit whose answer was lost may have happened. Statements
// outside of a transaction that return rows do not call changed.
//
// changed must not block, and must not use the database.
func (c Conn) OnWrite(changed func()) Conn { return c.onWrite(&changed) }

func (c Conn) onWrite(changed *func()) Conn {
	c.changed = changed
	c.Write = observedQuerier{c.Write, c.tx, changed}
	return c
}

// observedQuerier calls changed after each statement, or leaves that to the end of the transaction.
type observedQuerier struct {
	Querier

	tx      *ending // nil outside of transactions
	changed *func()
}

// ExecContext implements Querier.
func (q observedQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	defer q.wrote()
	return q.Querier.ExecContext(ctx, query, args...)
}

// QueryContext implements Querier.
func (q observedQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	defer q.wrote()
	return q.Querier.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // the caller closes them
}

// QueryRowContext implements Querier.
func (q observedQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	defer q.wrote()
	return q.Querier.QueryRowContext(ctx, query, args...)
}

func (q observedQuerier) wrote() {
	if q.tx == nil {
		(*q.changed)()
	} else {
		q.tx.add(q.changed)
	}
}

// ending has what to do when a transaction has ended. Like the transaction, it belongs to one
// goroutine.
type ending struct {
	waiting []*func() // to be called after commit and rollback
	topics  []string  // to be announced after a commit
}

func (e *ending) add(changed *func()) {
	if !slices.Contains(e.waiting, changed) {
		e.waiting = append(e.waiting, changed)
	}
}

func (e *ending) notify() {
	for _, changed := range e.waiting {
		(*changed)()
	}
}

// Listen calls notified soon after any process has sent a notification on channel, and once when it
// starts to listen. It returns when ctx is done or the connection is lost. Notifications sent while
// disconnected are lost. SQLite sends no notifications; on it Listen waits for ctx.
func (db *DB) Listen(ctx context.Context, channel string, notified func()) error {
	if db.listen == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return db.listen(ctx, conn, channel, notified)
}

// listenPostgres removes a connection from the pool for good, because it would go on listening for
// its next user.
func listenPostgres(ctx context.Context, conn *sql.Conn, channel string, notified func()) error {
	return conn.Raw(func(driverConn any) error {
		listening := driverConn.(*stdlib.Conn).Conn()
		// database/sql drops a closed connection when it is returned to the pool.
		defer listening.Close(context.WithoutCancel(ctx))
		if _, err := listening.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return err
		}
		for {
			notified()
			if _, err := listening.WaitForNotification(ctx); err != nil {
				return err
			}
		}
	})
}
