package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"stoa/internal/base/trace"
)

// DB is an open database of either engine. It is safe for concurrent use.
type DB struct {
	// read and write are the same pool on PostgreSQL. On SQLite, which allows one
	// writer at a time, write has a single connection: writers wait in Go, in order,
	// instead of polling the file's lock.
	read, write *sql.DB
	// batch commits small transactions together. It is nil on PostgreSQL, whose server does that
	// itself.
	batch *batcher
	// turns holds one channel (chan struct{}) for each table that InTurn was called with. The
	// caller whose value fills the channel has the turn.
	turns sync.Map
	// topics holds one channel (chan struct{}) for each topic of Announce.
	topics sync.Map
	tracer *trace.Tracer // nil: no spans are recorded
	dialect
}

// Trace records a span for each statement and each transaction of a recorded request. Call it
// before any store is made.
func (db *DB) Trace(t *trace.Tracer) { db.tracer = t }

// dialect is everything that differs between the engines at run time.
type dialect struct {
	name     string                    // also the name of the migrations' directory
	lock     func(alias string) string // ends a SELECT that locks the rows of one table
	share    func(alias string) string // the same, for rows that others may lock so, too
	skip     string                    // after lock: leaves out rows that other transactions have locked
	clock    string                    // the time in milliseconds since 1970, by the clock that all processes share
	turn     string                    // waits for a table's turn; "" if writers never run side by side
	version  string                    // returns the version of the engine
	columns  string                    // lists the columns of all tables
	hasTable string                    // returns a row if there is a table of that name
	isUnique func(error) bool          // err is a violated unique constraint
	isRef    func(error) bool          // err is a violated reference between tables
	isRetry  func(error) bool          // err asks for the transaction to be run again
	snapshot *sql.TxOptions            // for a transaction whose reads all see the same state

	// sequences is Conn.Sequences, load is DB.Load.
	sequences func(ctx context.Context, q Querier) (map[string]int64, error)
	load      func(ctx context.Context, db *DB, keep []string, fn func(Loader) error) error

	// text is Conn.Text outside of transactions; nil if database/sql has to do it. answered is false if
	// nothing was asked.
	text func(ctx context.Context, pool *sql.DB, query string, args []string) (text string, answered bool, err error)

	// listen is Listen with its own connection; nil if the engine sends no notifications.
	listen func(ctx context.Context, conn *sql.Conn, channel string, notified func()) error
}

// ErrURL is returned by Open for a URL that names no database.
var ErrURL = errors.New("the database must be a URL like postgres://user:password@host:5432/name, " +
	"or the path of a SQLite file")

// Open opens the database that url names: postgres:// or postgresql:// is
// PostgreSQL; anything else is the path of a SQLite file, which is created if it
// does not exist. Open does not touch the schema; Migrate does.
func Open(url string) (*DB, error) { return OpenWith(url, 0) }

// OpenWith is Open with at most conns connections at once; 0 means the engine's default. On SQLite, conns
// bounds the connections that read. On PostgreSQL it must be at least four, and a bound in the URL takes
// precedence over it.
func OpenWith(url string, conns int) (*DB, error) {
	open := openSQLite
	switch scheme, _, isURL := strings.Cut(url, "://"); {
	case IsPostgres(url):
		open = openPostgres
	case isURL:
		return nil, fmt.Errorf("%w: %s databases are not supported", ErrURL, scheme)
	}
	db, err := open(url, conns)
	if err != nil {
		return nil, fmt.Errorf("database: open: %w", err)
	}
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

// Pools returns the connection pools, by name, for metrics. Nothing else may use
// them.
func (db *DB) Pools() map[string]*sql.DB {
	if db.read == db.write {
		return map[string]*sql.DB{"main": db.write}
	}
	return map[string]*sql.DB{"read": db.read, "write": db.write}
}

// Version returns the version of the engine, such as "17.2".
func (db *DB) Version(ctx context.Context) (version string, err error) {
	err = db.read.QueryRowContext(ctx, db.version).Scan(&version)
	return version, err
}

// Engine returns "sqlite" or "postgres".
func (db *DB) Engine() string { return db.name }
