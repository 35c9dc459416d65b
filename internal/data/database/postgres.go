package database

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // registers the "pgx" driver
)

// maxPostgresConns bounds one replica's share of the server's connections.
const maxPostgresConns = 20

// openPostgres opens a PostgreSQL database.
func openPostgres(at string) (*DB, error) {
	// sql.Open would leave this to the first query.
	if _, err := pgx.ParseConfig(at); err != nil {
		return nil, fmt.Errorf("%w%s", ErrURL, faultOf(at, err))
	}
	db, err := sql.Open("pgx", at)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxPostgresConns)
	db.SetMaxIdleConns(maxPostgresConns)
	return &DB{read: db, write: db, dialect: dialect{
		name:     "postgres",
		lock:     func(alias string) string { return " FOR UPDATE OF " + alias },
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
		listen:    listenPostgres,
	}}, nil
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
