package database

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// openScratch opens a SQLite database with one table, numbers, which holds 1 to 100.
func openScratch(tb testing.TB) *DB {
	tb.Helper()
	db, err := Open(filepath.Join(tb.TempDir(), "scratch.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	_, err = db.write.ExecContext(tb.Context(), `
		CREATE TABLE numbers (n INTEGER PRIMARY KEY, half INTEGER NOT NULL UNIQUE) STRICT;
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100)
		INSERT INTO numbers SELECT n, -n FROM c`)
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

const numbersAbove = `SELECT n FROM numbers WHERE n > $1 ORDER BY n`

func TestTheSameQueryInsideItself(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	err := db.inTx(t.Context(), func(tx Querier) error {
		outer, err := tx.QueryContext(t.Context(), numbersAbove, 90)
		if err != nil {
			return err
		}
		defer outer.Close()
		want := 90
		for outer.Next() {
			want++
			var n, inner int
			if err := outer.Scan(&n); err != nil {
				return err
			}
			if err := tx.QueryRowContext(t.Context(), numbersAbove, n-10).Scan(&inner); err != nil {
				return err
			}
			if n != want || inner != n-9 {
				t.Errorf("outer %d, inner %d; want %d and %d", n, inner, want, want-9)
			}
		}
		if want != 100 {
			t.Errorf("the outer query ended at %d", want)
		}
		return outer.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStatementWorksAfterItFailed(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	const update = `UPDATE numbers SET half = $1 WHERE n = $2`
	for i := range 3 {
		if _, err := db.write.ExecContext(t.Context(), update, -2, 1); !db.isUnique(err) {
			t.Fatalf("%d: second half of -2 = %v, want a unique violation", i, err)
		}
		if _, err := db.write.ExecContext(t.Context(), update, i, 1); err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := db.write.ExecContext(gone, update, 7, 1); !errors.Is(err, context.Canceled) {
			t.Fatalf("%d: with a canceled context = %v", i, err)
		}
		// A result that is closed before its end, and an empty one.
		rows, err := db.read.QueryContext(t.Context(), numbersAbove, 10)
		if err != nil || !rows.Next() || rows.Close() != nil || rows.Err() != nil { //nolint:sqlclosecheck // left early
			t.Fatal(err)
		}
		var n int
		if err := db.read.QueryRowContext(t.Context(), numbersAbove, 100).Scan(&n); err == nil {
			t.Errorf("a number above 100: %d", n)
		}
	}
}

func TestAStatementSeesAChangedSchema(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	count := func() (columns int) {
		rows, err := db.read.QueryContext(t.Context(), `SELECT * FROM numbers WHERE n = 1`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil || !rows.Next() || rows.Err() != nil {
			t.Fatal(err, rows.Err())
		}
		return len(names)
	}
	before := count()
	if _, err := db.write.ExecContext(t.Context(), `ALTER TABLE numbers ADD COLUMN more INTEGER`); err != nil {
		t.Fatal(err)
	}
	if after := count(); before != 2 || after != 3 {
		t.Errorf("%d columns, then %d; want 2, then 3", before, after)
	}
}

// A process that has run many statements, as the first start does with its migrations, still keeps those
// that it uses now.
func TestTheStatementsUsedLastAreKept(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	conn, err := db.read.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ask := func(i int) {
		var n int
		if err := conn.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %d`, i)).Scan(&n); err != nil || n != i {
			t.Fatalf("SELECT %d = %d, %v", i, n, err)
		}
	}
	reading, err := conn.QueryContext(t.Context(), `SELECT -1`) // is not forgotten while it is read
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxStatements + 50 {
		ask(i)
		ask(7)
	}
	if !reading.Next() || reading.Err() != nil {
		t.Errorf("the rows that were being read have gone: %v", reading.Err())
	}
	if err := reading.Close(); err != nil { //nolint:sqlclosecheck // now it may be forgotten
		t.Error(err)
	}
	err = conn.Raw(func(c any) error {
		kept := c.(*preparedConn).statements
		if n := len(kept); n != maxStatements {
			t.Errorf("%d statements are kept, want %d", n, maxStatements)
		}
		for query, want := range map[string]bool{
			`SELECT -1`: true, `SELECT 7`: true, `SELECT 0`: false, `SELECT 8`: false,
			fmt.Sprintf(`SELECT %d`, maxStatements+49): true,
		} {
			if _, ok := kept[query]; ok != want {
				t.Errorf("%s is kept: %v, want %v", query, ok, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStatementsUnderConcurrentUse(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 200 {
				above := (i + w) % 99
				var n int
				if err := db.read.QueryRowContext(t.Context(), numbersAbove, above).Scan(&n); err != nil || n != above+1 {
					t.Errorf("above %d: %d, %v", above, n, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
