package database

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/base/trace"
)

// Querier is what *sql.DB and *sql.Tx have in common.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Conn is what a store sends its statements to. Get one from DB.Conn or from a transaction of
// another Conn. Every store embeds one.
type Conn struct {
	// Read takes statements that only read, Write all others, including those that
	// return rows. They are two pools, or both the same transaction.
	Read, Write Querier

	db *DB
	tx *ending // nil outside of transactions

	span    trace.Span // of the transaction; zero outside, or if it is not recorded
	changed *func()    // see OnWrite; may be nil
}

// Conn returns a Conn outside of any transaction.
func (db *DB) Conn() Conn {
	return Conn{Read: db.traced(pooled{db.read}, trace.Span{}), Write: db.traced(pooled{db.write}, trace.Span{}), db: db}
}

// inside returns the Conn for the transaction tx, whose end e awaits. It has the callback of c.
func (c Conn) inside(tx Querier, e *ending) Conn {
	tx = c.db.traced(tx, c.span)
	inside := Conn{Read: tx, Write: tx, db: c.db, tx: e}
	if c.changed != nil {
		return inside.onWrite(c.changed)
	}
	return inside
}

// InTransaction reports whether c sends its statements to a transaction.
func (c Conn) InTransaction() bool { return c.tx != nil }

// InTx runs fn with a Conn whose statements commit together if fn returns nil, and are rolled back
// otherwise. fn runs again if the engine reports that the transaction lost a race. Inside a
// transaction InTx joins it.
func (c Conn) InTx(ctx context.Context, fn func(Conn) error) error {
	if c.InTransaction() {
		return fn(c)
	}
	ctx, c.span = c.db.transaction(ctx)
	err := c.ended(fn, func(run func(Querier) error) error { return c.db.inTx(ctx, run) })
	endTransaction(c.span, err)
	return err
}

// InShortTx is InTx for a few short statements. On SQLite, short transactions that
// arrive together are committed together; each still succeeds or fails alone.
func (c Conn) InShortTx(ctx context.Context, fn func(Conn) error) error {
	if c.InTransaction() || c.db.batch == nil {
		return c.InTx(ctx, fn)
	}
	within, span := c.db.transaction(ctx)
	c.span = span
	err := c.ended(fn, func(run func(Querier) error) error { return c.db.batch.inTx(within, run) })
	endTransaction(span, err)
	if errors.Is(err, errBatch) {
		return c.InTx(ctx, fn)
	}
	return err
}

// InSnapshot runs fn with a Conn whose reads all see the same state of the database. fn must not
// write. Inside a transaction InSnapshot joins it.
func (c Conn) InSnapshot(ctx context.Context, fn func(Conn) error) error {
	if c.InTransaction() {
		return fn(c)
	}
	asked := ctx.Err() == nil
	tx, err := c.db.read.BeginTx(ctx, c.db.snapshot)
	if err != nil {
		return cut(ctx, late(err, asked), asked)
	}
	defer tx.Rollback() // there is nothing to commit
	return cut(ctx, fn(c.inside(tx, new(ending))), asked)
}

// InTurn is InTx for transactions that must not run side by side: of those that name the same
// table, one runs at a time, across all processes. Within a process they wait without holding a
// connection. Inside a transaction InTurn joins it.
func (c Conn) InTurn(ctx context.Context, table string, fn func(Conn) error) error {
	if c.InTransaction() {
		return fn(c)
	}
	v, _ := c.db.turns.LoadOrStore(table, make(chan struct{}, 1))
	turn := v.(chan struct{})
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.InTx(ctx, func(tx Conn) error {
		if c.db.turn != "" {
			if _, err := tx.Write.ExecContext(ctx, c.db.turn, table); err != nil {
				return err
			}
		}
		return fn(tx)
	})
}

// Lock ends a SELECT that locks the rows of the table with that alias until the transaction ends.
// Outside a transaction it returns "", because no lock could last.
func (c Conn) Lock(alias string) string {
	if c.InTransaction() {
		return c.db.lock(alias)
	}
	return ""
}

// LockShared is Lock, except that other transactions may lock the rows with LockShared, too. They can
// neither Lock nor change them.
func (c Conn) LockShared(alias string) string {
	if c.InTransaction() {
		return c.db.share(alias)
	}
	return ""
}

// LockFree is Lock for unlocked rows; rows that another transaction has locked are left out of the
// result.
func (c Conn) LockFree(alias string) string {
	if c.InTransaction() {
		return c.db.lock(alias) + c.db.skip
	}
	return ""
}

// Clock is an SQL expression for the current time in milliseconds since 1970. It is the clock of
// the database, so that processes whose clocks differ can compare the times they store.
func (c Conn) Clock() string { return c.db.clock }

// Brief returns the context for a query that finds one row by its key. On SQLite such a query takes
// microseconds, a good part of which would go to the two goroutines that watch for the end of ctx;
// so ctx is checked only here, before the query.
func (c Conn) Brief(ctx context.Context) context.Context {
	if c.db.batch == nil || ctx.Err() != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// txAttempts is how often a transaction runs before the engine's request to run it again is
// returned as an error.
const txAttempts = 10

func (db *DB) inTx(ctx context.Context, fn func(Querier) error) error {
	for i := 1; ; i++ {
		err := db.tryTx(ctx, fn)
		if err == nil || i == txAttempts || !db.isRetry(err) || ctx.Err() != nil {
			return err
		}
	}
}

func (db *DB) tryTx(ctx context.Context, fn func(Querier) error) error {
	asked := ctx.Err() == nil
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return cut(ctx, late(err, asked), asked)
	}
	defer tx.Rollback() // a no-op after Commit
	if err := fn(tx); err != nil {
		return cut(ctx, err, asked)
	}
	return cut(ctx, tx.Commit(), asked)
}
