package database

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"stoa/internal/data/outage"
)

const (
	// maxPostgresConns bounds one replica's share of the server's connections, unless the URL does.
	maxPostgresConns = 20

	// leastPostgresConns is the least bound that a URL may give: two connections listen all the time.
	leastPostgresConns = 4

	// poolBound is the parameter of the URL, as other programs that use pgx call it.
	poolBound = "pool_max_conns"
)

// openPostgres opens a PostgreSQL database.
func openPostgres(at string, conns int) (*DB, error) {
	// sql.Open would leave this to the first query.
	config, bound, err := parsePostgres(at)
	if err != nil {
		return nil, fmt.Errorf("%w%s", ErrURL, faultOf(at, err))
	}
	text := textPostgres
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		text = nil // a pooler does not keep prepared statements
	}
	db := sql.OpenDB(postgresConnector(at))
	bound = cmp.Or(bound, conns, maxPostgresConns)
	db.SetMaxOpenConns(bound)
	db.SetMaxIdleConns(bound)
	return &DB{read: db, write: db, dialect: dialect{
		name:     "postgres",
		lock:     func(alias string) string { return " FOR UPDATE OF " + alias },
		share:    func(alias string) string { return " FOR SHARE OF " + alias },
		skip:     " SKIP LOCKED",
		version:  `SHOW server_version`,
		clock:    `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
		columns:  postgresColumns,
		hasTable: `SELECT 1 WHERE to_regclass($1) IS NOT NULL`,
		turn:     `SELECT pg_advisory_xact_lock($1::text::regclass::oid::bigint)`,
		isUnique: func(err error) bool { return postgresCode(err) == "23505" },
		isRef:    func(err error) bool { return postgresCode(err) == "23503" },
		isRetry: func(err error) bool {
			c := postgresCode(err)
			return c == "40001" || c == "40P01" // serialization failure, deadlock
		},
		sequences: sequencesPostgres,
		load:      loadPostgres,
		snapshot:  &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
		text:      text,
		listen:    listenPostgres,
	}}, nil
}

var errPoolBound = fmt.Errorf("%s must be a number from %d to %d", poolBound, leastPostgresConns, math.MaxInt32)

// parsePostgres returns what a URL says of the server, and how many connections it may get, or 0 if the URL does
// not say.
func parsePostgres(at string) (config *pgx.ConnConfig, conns int, err error) {
	config, err = pgx.ParseConfig(at)
	if err != nil {
		return nil, 0, err
	}
	given, ok := config.RuntimeParams[poolBound]
	if !ok {
		return config, 0, nil
	}
	delete(config.RuntimeParams, poolBound) // the server does not know it
	n, err := strconv.ParseInt(given, 10, 32)
	if err != nil || n < leastPostgresConns {
		return nil, 0, fmt.Errorf("database: %w", errPoolBound)
	}
	return config, int(n), nil
}

// postgresConnector is a connector for the database at a URL. It reads the URL, and what the URL
// leaves to the environment and to files, for each connection: a password may change.
type postgresConnector string

// Connect implements driver.Connector.
func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	config, _, err := parsePostgres(string(c))
	if err != nil {
		return nil, err
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return losable{conn}, nil
	}
	return stdlib.GetConnector(*config).Connect(ctx)
}

// Driver implements driver.Connector.
func (postgresConnector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// losable is a connection whose failures say that they are the database's.
type losable struct{ net.Conn }

// Read implements net.Conn.
func (l losable) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	return n, lost(err)
}

// Write implements net.Conn.
func (l losable) Write(b []byte) (int, error) {
	n, err := l.Conn.Write(b)
	return n, lost(err)
}

func lost(err error) error {
	if err == nil {
		return nil
	}
	return &outage.Lost{Err: err}
}

func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// faultOf returns what is wrong with the URL of a PostgreSQL database, to follow ErrURL. A URL that
// cannot be read at all may hold a password anywhere.
func faultOf(given string, err error) string {
	if _, unreadable := url.Parse(given); unreadable != nil || errors.Unwrap(err) == nil {
		return ""
	}
	return ": " + errors.Unwrap(err).Error()
}
