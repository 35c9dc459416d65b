package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa/internal/errs"
)

// DB is an open database of either engine. It is safe for concurrent use.
type DB struct {
	// read and write are the same pool on PostgreSQL. On SQLite, where one writer
	// at a time is the engine's rule, write has a single connection: writers wait
	// in Go, in order, instead of polling the file's lock.
	read, write *sql.DB
	// batch commits small transactions together; nil on PostgreSQL, whose server
	// does so by itself.
	batch *batcher
	// catalogue is held by whoever in this process writes products, or waits to: one
	// at a time, so that those who wait do not wait with a connection each.
	catalogue chan struct{}
	dialect
}

// dialect is everything that differs between the engines at run time.
type dialect struct {
	name     string                    // also the directory below migrations/
	lock     func(alias string) string // ends a SELECT that locks the rows of one table
	skip     string                    // after lock: leave out rows that others hold
	serial   string                    // begins a transaction that writes products; "" if all come one at a time
	isUnique func(error) bool          // err is a violated unique constraint
	isRef    func(error) bool          // err is a violated reference between tables
	snapshot *sql.TxOptions            // of a transaction that sees one moment
	isRetry  func(error) bool          // err asks for the transaction to be run again
}

// querier is what *sql.DB and *sql.Tx have in common.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// conn is where one domain's view of the database sends its statements: reads
// and writes to their pools, or both to one transaction. Every type of this
// package that implements a Store embeds one.
type conn struct {
	db   *DB
	r, w querier
}

func (db *DB) conn() conn { return conn{db: db, r: db.read, w: db.write} }

// inTx runs fn with a conn whose statements commit together if fn returns nil
// and are all undone otherwise. fn runs again if the engine reports that it lost
// a race. Inside a transaction it joins that transaction.
func (c conn) inTx(ctx context.Context, fn func(conn) error) error {
	if c.nested() {
		return fn(c)
	}
	return c.db.inTx(ctx, func(q querier) error { return fn(conn{db: c.db, r: q, w: q}) })
}

// inShortTx is inTx for few and short statements. On SQLite those that come at
// the same time are committed together; each succeeds or fails by itself.
func (c conn) inShortTx(ctx context.Context, fn func(conn) error) error {
	if c.nested() || c.db.batch == nil {
		return c.inTx(ctx, fn)
	}
	err := c.db.batch.inTx(ctx, func(q querier) error { return fn(conn{db: c.db, r: q, w: q}) })
	if errors.Is(err, errBatch) {
		return c.inTx(ctx, fn)
	}
	return err
}

// inSnapshot runs fn with a conn whose reads all see the same moment, and which
// does not write. Inside a transaction it joins that transaction.
func (c conn) inSnapshot(ctx context.Context, fn func(conn) error) error {
	if c.nested() {
		return fn(c)
	}
	tx, err := c.db.read.BeginTx(ctx, c.db.snapshot)
	if err != nil {
		return err
	}
	defer tx.Rollback() // there is nothing to keep
	return fn(conn{db: c.db, r: tx, w: tx})
}

// brief returns the context for a query that finds one row by its key. On SQLite
// that takes microseconds, of which watching for the end of the context would be
// a good part (two goroutines); it is looked at once, before.
func (c conn) brief(ctx context.Context) context.Context {
	if c.db.batch == nil || ctx.Err() != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// nested reports whether c is inside a transaction.
func (c conn) nested() bool {
	_, pool := c.w.(*sql.DB)
	return !pool
}

// lockInTx ends a SELECT that locks the rows of alias if it runs in a
// transaction; outside of one there is nothing to hold a lock for.
func (c conn) lockInTx(alias string) string {
	if c.nested() {
		return c.db.lock(alias)
	}
	return ""
}

// skipLocked ends a SELECT in a transaction that locks the rows of alias and
// leaves out those that are locked.
func (db *DB) skipLocked(alias string) string { return db.lock(alias) + db.skip }

// Open opens the database that url names: postgres:// or postgresql:// is
// PostgreSQL; anything else is the path of a SQLite file, which is created if it
// does not exist. The schema is left as it is; see Migrate.
func Open(url string) (*DB, error) {
	open := openSQLite
	switch scheme, _, isURL := strings.Cut(url, "://"); {
	case IsPostgres(url):
		open = openPostgres
	case isURL:
		return nil, fmt.Errorf("store: open: there is no support for %s databases: give a postgres:// URL or the path of a SQLite file", scheme)
	}
	db, err := open(url)
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	db.catalogue = make(chan struct{}, 1)
	return db, nil
}

// IsPostgres reports whether Open takes url for a PostgreSQL database.
func IsPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Close closes the database.
func (db *DB) Close() error {
	if db.read == db.write {
		return db.write.Close()
	}
	return errors.Join(db.read.Close(), db.write.Close())
}

// Ping returns an error unless the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.read.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}

// Engine returns "sqlite" or "postgres".
func (db *DB) Engine() string { return db.name }

const txAttempts = 10

func (db *DB) inTx(ctx context.Context, fn func(querier) error) error {
	for i := 1; ; i++ {
		err := db.tryTx(ctx, fn)
		if err == nil || i == txAttempts || !db.isRetry(err) || ctx.Err() != nil {
			return err
		}
	}
}

func (db *DB) tryTx(ctx context.Context, fn func(querier) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after Commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// wrap turns a driver error into one the domain understands. what names the row
// that was sought and starts with a capital: "Licence".
func (db *DB) wrap(err error, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return errs.New(errs.NotFound, "NOT_FOUND", "%s not found.", what).Because(err)
	case db.isUnique(err):
		return errs.New(errs.Conflict, "CONFLICT", "%s already exists.", what).Because(err)
	}
	return err
}

// mustChange turns the result of an UPDATE or DELETE that touched no row into an
// errs.NotFound error.
func mustChange(res sql.Result, err error, what string) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return errs.New(errs.NotFound, "NOT_FOUND", "%s not found.", what)
}

func toMillis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMilli(n.Int64).UTC()
}
