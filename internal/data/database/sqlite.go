package database

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite opens a SQLite file. Transactions take the write lock when they begin, so two of them
// never deadlock and a SELECT inside one needs no lock. Readers outside a transaction do not wait,
// thanks to the WAL.
//
// synchronous=FULL: what was answered must survive a power cut. Another stoa process may use the
// same file, hence busy_timeout although this process has only one writer.
//
// mmap_size: all connections and processes read pages from the system's page cache, so a million
// rows are found as fast as ten thousand without a large cache in each connection. 2 GiB is
// SQLite's limit; pages beyond it are read as usual. Writes are not affected. The price: a disk
// that cannot be read ends the process instead of returning an error.
//
// Only the current user may read the file and the files next to it.
func openSQLite(path string, conns int) (*DB, error) {
	if err := keepPrivate(path); err != nil {
		return nil, err
	}
	pool := func(conns int) (*sql.DB, error) {
		q := url.Values{"_txlock": {"immediate"}}
		for _, p := range []string{
			"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(ON)", "synchronous(FULL)", "mmap_size(2147418112)",
		} {
			q.Add("_pragma", p)
		}
		connector, err := sqlite.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode())
		if err != nil {
			return nil, err
		}
		db := sql.OpenDB(preparing{connector})
		db.SetMaxOpenConns(conns)
		db.SetMaxIdleConns(conns)
		return db, nil
	}
	write, err := pool(1)
	if err != nil {
		return nil, err
	}
	read, err := pool(cmp.Or(conns, readConns()))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	if err := firstPing(read); err != nil {
		return nil, errors.Join(explained(path, err), read.Close(), write.Close())
	}
	return &DB{read: read, write: write, batch: &batcher{write: write}, dialect: dialect{
		name:     "sqlite",
		version:  `SELECT sqlite_version()`,
		clock:    `CAST(unixepoch('subsec') * 1000 AS INTEGER)`, // of this machine, on which all processes with this file run
		columns:  sqliteColumns,
		hasTable: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1`,
		lock:     func(string) string { return "" }, // the transaction holds the write lock
		share:    func(string) string { return "" },
		isUnique: func(err error) bool {
			c := sqliteCode(err)
			return c == sqlite3.SQLITE_CONSTRAINT_UNIQUE || c == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
		},
		isRef:     func(err error) bool { return sqliteCode(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY },
		isRetry:   func(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY },
		sequences: sequencesSQLite,
		load:      loadSQLite,
		text:      textSQLite,
		snapshot:  &sql.TxOptions{ReadOnly: true}, // without the write lock
	}}, nil
}

// Two programs that open a new file at the same moment may each hold what the other needs to switch it to WAL. SQLite
// then refuses one of them at once, whatever busy_timeout says.
const (
	busyLife  = 10 * time.Second
	busyPause = 20 * time.Millisecond
)

// firstPing opens the first connection, and tries again while another program switches the file's mode.
func firstPing(db *sql.DB) error {
	for started := time.Now(); ; time.Sleep(busyPause) {
		err := db.Ping() //nolint:noctx // it opens a file
		if sqliteCode(err)&0xff != sqlite3.SQLITE_BUSY || time.Since(started) > busyLife {
			return err
		}
	}
}

// readConns is how many connections read at the same time.
func readConns() int { return max(4, runtime.NumCPU()) }

// keepPrivate creates the file or, if it exists, removes all permissions on it except the owner's:
// the data folder may have existed before stoa, readable by all. SQLite gives a new -wal and -shm
// the mode of the file.
//
// It never opens an existing file: closing it would release the POSIX locks that other connections
// of this process hold on it.
func keepPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator's own choice
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name) //nolint:gosec // as above
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		// This fails if another user owns the file, who then decides about its mode.
		_ = os.Chmod(name, info.Mode().Perm()&0o700) //nolint:gosec // as above
	}
	return nil
}

// explained adds to SQLite's own words which file they are about, and what to do.
func explained(path string, err error) error {
	advice := ""
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_NOTADB:
		advice = "it is no SQLite database. Correct --data or STOA_DATABASE_URL, or restore the file from a backup"
	case sqlite3.SQLITE_CORRUPT:
		advice = "it is damaged. Restore it from a backup (stoa restore)"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		advice = "it cannot be opened. The user that runs stoa must be able to read and write the file and its folder"
	case sqlite3.SQLITE_READONLY:
		advice = "it cannot be written. The user that runs stoa must be able to write the file and its folder, " +
			"and their disk must not be read-only"
	case sqlite3.SQLITE_FULL:
		advice = "its disk is full. Make room and start again"
	case sqlite3.SQLITE_IOERR:
		advice = "its disk cannot be read or written. Look for room on it, and for its errors in the system's log"
	case sqlite3.SQLITE_BUSY:
		advice = "another program has locked it. End that program (a shell of sqlite3, a copy in progress) and start again"
	}
	if advice == "" {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: %s: %w", path, advice, err)
}

func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
