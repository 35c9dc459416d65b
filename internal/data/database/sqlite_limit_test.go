package database

import (
	"database/sql/driver"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// parsedAgain returns how often SQLite parses a statement again that is executed three times, each
// time with another number as its only parameter.
func parsedAgain(t *testing.T, query string) int {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	text := func(s string) uintptr {
		at, err := libc.CString(s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { libc.Xfree(nil, at) })
		return at
	}
	out := libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, out)
	ok := func(what string, code int32) {
		t.Helper()
		if code != sqlite3.SQLITE_OK {
			t.Fatalf("%s = %d", what, code)
		}
	}
	ok("open", sqlite3.Xsqlite3_open_v2(tls, text(":memory:"), out, sqlite3.SQLITE_OPEN_READWRITE, 0))
	db := libc.AtomicLoadPUintptr(out)
	defer sqlite3.Xsqlite3_close_v2(tls, db)
	const table = `CREATE TABLE numbers (n INTEGER PRIMARY KEY, name TEXT); INSERT INTO numbers VALUES (1, 'one')`
	ok("create", sqlite3.Xsqlite3_exec(tls, db, text(table), 0, 0, 0))
	ok("prepare", sqlite3.Xsqlite3_prepare_v2(tls, db, text(query), -1, out, 0))
	stmt := libc.AtomicLoadPUintptr(out)
	defer sqlite3.Xsqlite3_finalize(tls, stmt)
	for i := range int64(3) {
		ok("bind", sqlite3.Xsqlite3_bind_int64(tls, stmt, 1, i))
		for sqlite3.Xsqlite3_step(tls, stmt) == sqlite3.SQLITE_ROW {
		}
		ok("reset", sqlite3.Xsqlite3_reset(tls, stmt))
	}
	return int(sqlite3.Xsqlite3_stmt_status(tls, stmt, sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0))
}

// If the statement is not parsed again as it stands, SQLite has changed, and limited can go.
func TestALimitIsNoReasonToParseAgain(t *testing.T) {
	t.Parallel()

	const query = `SELECT n FROM numbers WHERE n > $1 ORDER BY n LIMIT $2`
	if n := parsedAgain(t, limited(query, values(int64(0), int64(10)))); n != 0 {
		t.Errorf("with a number: parsed again %d times", n)
	}
	if n := parsedAgain(t, `SELECT n FROM numbers ORDER BY n LIMIT $1`); n == 0 {
		t.Error("with a parameter: not parsed again")
	}
}

func values(all ...driver.Value) (named []driver.NamedValue) {
	for i, v := range all {
		named = append(named, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return named
}

func TestLimitsAreNumbers(t *testing.T) {
	t.Parallel()

	args := values("a", int64(25), int64(50), "ten")
	for query, want := range map[string]string{
		`SELECT 1`:           `SELECT 1`,
		`SELECT 1 LIMIT 100`: `SELECT 1 LIMIT 100`,
		`SELECT a FROM t WHERE b = $1 LIMIT $2 OFFSET $3`:                `SELECT a FROM t WHERE b = $1 LIMIT 25 OFFSET $3`,
		`DELETE FROM t WHERE a IN (SELECT a FROM t LIMIT $3) AND b = $2`: `DELETE FROM t WHERE a IN (SELECT a FROM t LIMIT 50) AND b = $2`,
		`SELECT * FROM (SELECT 1 LIMIT $2) UNION SELECT 2 LIMIT $10`:     `SELECT * FROM (SELECT 1 LIMIT 25) UNION SELECT 2 LIMIT $10`,
		`SELECT 1 LIMIT $4`: `SELECT 1 LIMIT $4`, // SQLite refuses it
		`SELECT 1 LIMIT $0`: `SELECT 1 LIMIT $0`,
		`SELECT 1 LIMIT $x`: `SELECT 1 LIMIT $x`,
	} {
		if got := limited(query, args); got != want {
			t.Errorf("%s became\n%s, want\n%s", query, got, want)
		}
	}
}

// Executions of one statement with other limits, and other arguments before and after them.
func TestEachExecutionHasItsLimit(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	for _, tt := range []struct{ above, limit, offset, first, rows int }{
		{10, 5, 0, 11, 5}, {10, 7, 2, 13, 7}, {95, 7, 2, 98, 3}, {10, 0, 0, 0, 0}, {10, 5, 1, 12, 5},
	} {
		rows, err := All(t.Context(), db.read, func(row Scanner) (n int, err error) {
			err = row.Scan(&n)
			return n, err
		},
			`SELECT n FROM numbers WHERE n > $1 ORDER BY n LIMIT $2 OFFSET $3`, tt.above, tt.limit, tt.offset)
		if err != nil || len(rows) != tt.rows || len(rows) > 0 && rows[0] != tt.first {
			t.Errorf("%+v: %v, %v", tt, rows, err)
		}
	}
}
