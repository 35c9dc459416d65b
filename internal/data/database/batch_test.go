package database

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// insert adds a number to the table of openScratch.
func insert(ctx context.Context, q Querier, n int) error {
	_, err := q.ExecContext(ctx, `INSERT INTO numbers (n, half) VALUES ($1, $2)`, n, n)
	return err
}

// holdWriter holds the write connection until release is called, so that the
// transactions that start meanwhile end up in one batch.
func holdWriter(tb testing.TB, db *DB) (release func()) {
	tb.Helper()
	conn, err := db.write.Conn(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return func() { _ = conn.Close() }
}

// waiting returns once n members are waiting.
func waiting(db *DB, n int) {
	for {
		db.batch.mu.Lock()
		have := len(db.batch.queue)
		db.batch.mu.Unlock()
		if have == n {
			return
		}
	}
}

func has(tb testing.TB, db *DB, n int) bool {
	tb.Helper()
	var found bool
	err := db.read.QueryRowContext(tb.Context(), `SELECT EXISTS (SELECT 1 FROM numbers WHERE n = $1)`, n).Scan(&found)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// One batch has members that succeed, fail, panic or violate a constraint, and
// members whose callers left. Each ends as if it were alone.
func TestMembersOfABatchFailAlone(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	c := db.Conn()
	release := holdWriter(t, db)
	errMine := errors.New("mine")
	stays := t.Context()
	gone, leave := context.WithCancel(stays)
	var (
		wg     sync.WaitGroup
		errs   [50]error
		panics [50]any
	)
	for i := range errs {
		wg.Go(func() {
			defer func() { panics[i] = recover() }()
			ctx := stays
			if i%5 == 4 {
				ctx = gone
			}
			errs[i] = c.InShortTx(ctx, func(tx Conn) error {
				if err := insert(ctx, tx.Write, 1000+i); err != nil {
					return err
				}
				return tx.InShortTx(ctx, func(tx Conn) error { // joins
					switch i % 5 {
					case 1:
						return errMine
					case 2:
						panic(i)
					case 3:
						return insert(ctx, tx.Write, 1)
					}
					return nil
				})
			})
		})
	}
	waiting(db, len(errs))
	leave()
	waiting(db, len(errs)*4/5)
	release()
	wg.Wait()
	for i, err := range errs {
		switch kind := i % 5; {
		case kind == 0 && err != nil, kind == 1 && !errors.Is(err, errMine), kind == 2 && panics[i] != i,
			kind == 3 && !db.isUnique(err), kind == 4 && !errors.Is(err, context.Canceled):
			t.Errorf("member %d = %v, panic %v", i, err, panics[i])
		}
		if got := has(t, db, 1000+i); got != (i%5 == 0) {
			t.Errorf("member %d is stored: %t", i, got)
		}
	}
	if db.batch.working || len(db.batch.queue) != 0 {
		t.Error("the batcher still looks busy")
	}
}

// One member rolls back the whole transaction, as a full disk would. Each runs
// again, alone, and takes effect exactly once.
func TestALostBatchRunsAgain(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	c := db.Conn()
	release := holdWriter(t, db)
	var (
		wg   sync.WaitGroup
		errs [20]error
		runs [20]int
	)
	for i := range errs {
		wg.Go(func() {
			errs[i] = c.InShortTx(t.Context(), func(tx Conn) error {
				runs[i]++
				if err := insert(t.Context(), tx.Write, 1000+i); err != nil {
					return err
				}
				if i == 7 && runs[i] == 1 {
					_, err := tx.Write.ExecContext(t.Context(), `ROLLBACK`)
					return errors.Join(errors.New("the disk is full"), err)
				}
				return nil
			})
		})
	}
	waiting(db, len(errs))
	release()
	wg.Wait()
	for i, err := range errs {
		if err != nil || !has(t, db, 1000+i) {
			t.Errorf("member %d = %v, stored: %t", i, err, has(t, db, 1000+i))
		}
	}
	if runs[7] != 2 {
		t.Errorf("the member that lost the batch ran %d times, want 2", runs[7])
	}
}

func TestBatchesUnderConcurrentUse(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	c := db.Conn()
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for range 50 {
				ctx, cancel := context.WithCancel(t.Context())
				if w%4 == 3 {
					go cancel() // some callers leave at any moment
				}
				err := c.InShortTx(ctx, func(tx Conn) error {
					// Read, then write: no other transaction may come between.
					var half int
					if err := tx.Read.QueryRowContext(ctx, `SELECT half FROM numbers WHERE n = $1`, 1+w%4).Scan(&half); err != nil {
						return err
					}
					_, err := tx.Write.ExecContext(ctx, `UPDATE numbers SET half = $1 WHERE n = $2`, half+1000, 1+w%4)
					return err
				})
				if err != nil && (w%4 != 3 || !errors.Is(err, context.Canceled)) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	for n := 1; n <= 3; n++ {
		var half int
		err := db.read.QueryRowContext(t.Context(), `SELECT half FROM numbers WHERE n = $1`, n).Scan(&half)
		if err != nil || half != -n+4*50*1000 {
			t.Errorf("counter %d = %d, %v; want %d", n, half, err, -n+4*50*1000)
		}
	}
}

// killedVariable turns TestAnsweredBatchesOutliveAKill into the process that it
// kills.
const killedVariable = "DATABASE_TEST_BATCH_UNTIL_KILLED"

func TestAnsweredBatchesOutliveAKill(t *testing.T) {
	t.Parallel()

	if path := os.Getenv(killedVariable); path != "" {
		insertUntilKilled(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "scratch.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), killedVariable+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var answered []int
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscanf(lines.Text(), "answered %d", &n); err != nil {
			continue
		}
		if answered = append(answered, n); len(answered) == 500 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	if len(answered) < 500 {
		t.Fatalf("the process ended after %d answers", len(answered))
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, n := range answered {
		if !has(t, db, n) {
			t.Errorf("%d was answered but is gone", n)
		}
	}
	var failed int
	err = db.read.QueryRowContext(t.Context(), `SELECT count(*) FROM numbers WHERE n % 3 = 0`).Scan(&failed)
	if err != nil || failed != 0 {
		t.Errorf("%d failed members left a row, %v", failed, err)
	}
}

// insertUntilKilled inserts numbers in batches and prints those that were answered.
// Every third transaction inserts, then fails.
func insertUntilKilled(t *testing.T, path string) {
	t.Helper()
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.write.ExecContext(t.Context(), `
		CREATE TABLE numbers (n INTEGER PRIMARY KEY, half INTEGER NOT NULL) STRICT`)
	if err != nil {
		t.Fatal(err)
	}
	c := db.Conn()
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for n := w; n < 1_000_000; n += 16 {
				err := c.InShortTx(t.Context(), func(tx Conn) error {
					if err := insert(t.Context(), tx.Write, n); err != nil || n%3 != 0 {
						return err
					}
					return errors.New("on purpose")
				})
				switch {
				case err == nil:
					fmt.Printf("answered %d\n", n) // one write, so whole
				case !strings.Contains(err.Error(), "on purpose"):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// A caller whose context ends while its transaction runs still learns the outcome:
// a stored row is not reported as canceled.
func TestLeavingARunningBatchReturnsItsOutcome(t *testing.T) {
	t.Parallel()

	db := openScratch(t)
	c := db.Conn()
	release := holdWriter(t, db)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := c.InShortTx(ctx, func(tx Conn) error {
				cancel()
				return insert(ctx, tx.Write, 1000+i)
			})
			if stored := has(t, db, 1000+i); err != nil || !stored {
				t.Errorf("member %d = %v, stored: %t", i, err, stored)
			}
		})
	}
	waiting(db, 40)
	release()
	wg.Wait()
}
