package outage

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"stoa/internal/base/errs"
)

// The answers to requests that meet an outage.
var (
	ErrStorageFull = errs.New(errs.Busy, "STORAGE_FULL",
		"The shop has no room to store anything at the moment. Nothing was changed: try again later.")
	ErrDatabase = errs.New(errs.Busy, "DATABASE_UNAVAILABLE",
		"The shop's database does not answer, or takes no changes, at the moment. Try again shortly.")
	ErrBusy = errs.New(errs.Busy, "BUSY", "The shop has too much open at the moment. Try again shortly.")
)

// When clients may try again. Somebody has to make room on a full disk; other outages often end by themselves.
const (
	fullFor = 30 * time.Second
	awayFor = 5 * time.Second
)

// Answer returns the answer to a request that failed with err, with err as its cause. It returns
// false if err is no outage.
func Answer(err error) (*errs.Error, bool) {
	declared, wait := cause(err), awayFor
	switch declared {
	case nil:
		return nil, false
	case ErrStorageFull:
		wait = fullFor
	}
	return errors.AsType[*errs.Error](declared.After(wait).Because(err))
}

// Is reports whether err is an outage.
func Is(err error) bool { return cause(err) != nil }

// Named returns the answer in place of an outage, for callers that treat it unlike a fault of stoa's
// own. It returns any other error, and nil, unchanged.
func Named(err error) error {
	if answer, is := Answer(err); is {
		return answer
	}
	return err
}

// cause returns the declared error behind err; nil if there is none.
func cause(err error) *errs.Error {
	if err == nil {
		return nil
	}
	for _, declared := range []*errs.Error{ErrStorageFull, ErrDatabase, ErrBusy} {
		if errors.Is(err, declared) {
			return declared
		}
	}
	// The system's own words come first: a connection may fail for want of a descriptor.
	if declared := ofSystem(err); declared != nil {
		return declared
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return ofSQLite(e.Code())
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return ofPostgres(e.Code)
	}
	_, lost := errors.AsType[*Lost](err)
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	if lost || unconnected || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, pgconn.ErrConnClosed) {
		return ErrDatabase
	}
	return nil
}

func ofSystem(err error) *errs.Error {
	if p, ok := errors.AsType[*os.PathError](err); ok && p.Op == "fork/exec" &&
		!isAny(err, syscall.EMFILE, syscall.ENFILE) {
		return nil // Linux says "no space left" of a process that may make no more namespaces
	}
	switch {
	case isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS):
		return ErrStorageFull
	case isAny(err, syscall.EMFILE, syscall.ENFILE):
		return ErrBusy
	}
	return nil
}

func isAny(err error, numbers ...syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}

// ofSQLite judges a result code. SQLite reports a full disk as SQLITE_FULL, except for the index of the
// WAL: that is SQLITE_IOERR_SHMSIZE.
func ofSQLite(code int) *errs.Error {
	if code == sqlite3.SQLITE_IOERR_SHMSIZE {
		return ErrStorageFull
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return ErrStorageFull
	case sqlite3.SQLITE_CANTOPEN:
		if noDescriptors() {
			return ErrBusy
		}
		return ErrDatabase
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL:
		return ErrDatabase
	}
	return nil
}

// noDescriptors reports whether this process, or the machine, has no descriptor left: SQLite does not
// say why it could not open a file.
func noDescriptors() bool {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return isAny(err, syscall.EMFILE, syscall.ENFILE)
	}
	_ = f.Close()
	return false
}

// ofPostgres judges a SQLSTATE.
func ofPostgres(code string) *errs.Error {
	switch code {
	case "53100": // disk full
		return ErrStorageFull
	case "25006": // read-only: a standby, or default_transaction_read_only
		return ErrDatabase
	}
	for _, class := range []string{
		"08",  // the connection
		"53",  // out of connections, or of memory
		"57P", // shutting down, starting, dropped
		"58",  // the server's own files
		"28",  // it no longer lets stoa in
		"3D",  // there is no such database
	} {
		if strings.HasPrefix(code, class) {
			return ErrDatabase
		}
	}
	return nil
}

// Lost is a failure on the way to the database: its connection broke, or none was free in time.
// Package database wraps them, because by itself such an error does not say what it is about.
type Lost struct{ Err error }

// Error implements error.
func (l *Lost) Error() string { return "no connection to the database: " + l.Err.Error() }

// Unwrap returns the cause.
func (l *Lost) Unwrap() error { return l.Err }

// Timeout and Temporary implement net.Error, which drivers ask for.
func (l *Lost) Timeout() bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](l.Err)
	return ok && t.Timeout()
}

// Temporary is always false: what is lost does not come back.
func (l *Lost) Temporary() bool { return false }
