package database_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/outage"
	"stoa/internal/testkit/dbtest"
)

const byName = `SELECT value FROM texts WHERE name = $1`

// texts returns a database with a table of texts, in which a is 1.
func texts(t *testing.T, url string) *database.DB {
	t.Helper()
	db := dbtest.Open(t, url)
	for _, statement := range []string{
		`CREATE TABLE texts (name TEXT PRIMARY KEY, value TEXT NOT NULL)`, `INSERT INTO texts VALUES ('a', '1')`,
	} {
		if _, err := db.Conn().Write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func TestTextIsTheColumnOfTheRow(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		c := texts(t, url).Conn()
		for range 3 {
			if got, err := c.Text(t.Context(), byName, "a"); got != "1" || err != nil {
				t.Errorf("Text = %q, %v", got, err)
			}
			if got, err := c.Text(t.Context(), byName, "b"); got != "" || !errors.Is(err, sql.ErrNoRows) {
				t.Errorf("without a row: Text = %q, %v", got, err)
			}
			if got, err := c.Text(t.Context(), `SELECT nothing FROM texts WHERE name = $1`, "a"); got != "" || err == nil {
				t.Errorf("a faulty query: Text = %q, %v", got, err)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Text(gone, byName, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("of a client that left before: %v", err)
		}
	})
}

// In a transaction Text sees what the transaction wrote, and outside what was committed last.
func TestTextIsNeverStale(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		c := texts(t, url).Conn()
		read := func(c database.Conn) string {
			t.Helper()
			got, err := c.Text(t.Context(), byName, "a")
			if err != nil {
				t.Error(err)
			}
			return got
		}
		err := c.InTx(t.Context(), func(tx database.Conn) error {
			_, err := tx.Write.ExecContext(t.Context(), `UPDATE texts SET value = '2' WHERE name = 'a'`)
			if inside, outside := read(tx), read(c); inside != "2" || outside != "1" {
				t.Errorf("inside %q, outside %q", inside, outside)
			}
			return err
		})
		if got := read(c); got != "2" || err != nil {
			t.Errorf("after the commit: %q, %v", got, err)
		}
	})
}

// A migration may change what a statement means that was prepared before. Each connection fails once at
// most.
func TestTextPreparesAgainWhatIsOutOfDate(t *testing.T) {
	t.Parallel()
	db := texts(t, dbtest.Postgres(t))
	db.Pools()["main"].SetMaxOpenConns(1)
	c := db.Conn()
	if _, err := c.Text(t.Context(), byName, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write.ExecContext(t.Context(), `ALTER TABLE texts ALTER value TYPE varchar(9)`); err != nil {
		t.Fatal(err)
	}
	_, _ = c.Text(t.Context(), byName, "a")
	if got, err := c.Text(t.Context(), byName, "a"); got != "1" || err != nil {
		t.Errorf("Text = %q, %v", got, err)
	}
}

// The end of a request's time ends its query, and says that the database was late. The pool recovers.
func TestTextEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	db := texts(t, dbtest.Postgres(t))
	c := db.Conn()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // for preparing it on a busy machine
	defer cancel()
	if _, err := c.Text(ctx, `SELECT pg_sleep(600)::text WHERE $1 <> ''`, "a"); !outage.Is(err) {
		t.Errorf("a query that lasts: %v", err)
	}
	if got, err := c.Text(t.Context(), byName, "a"); got != "1" || err != nil {
		t.Errorf("after it: %q, %v", got, err)
	}
	pool := db.Pools()["main"]
	pool.SetMaxOpenConns(1)
	err := c.InTx(t.Context(), func(database.Conn) error {
		_, err := c.Text(overWhenWaiting(t, pool), byName, "a")
		return err
	})
	if !outage.Is(err) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a free connection: %v", err)
	}
}

// Behind a pooler that gives each transaction another session, nothing is prepared.
func TestTextHonorsTheModeOfTheURL(t *testing.T) {
	t.Parallel()
	url := dbtest.Postgres(t)
	texts(t, url)
	with := "?"
	if strings.Contains(url, "?") {
		with = "&"
	}
	db := dbtest.Open(t, url+with+"default_query_exec_mode=simple_protocol")
	db.Pools()["main"].SetMaxOpenConns(1)
	if got, err := db.Conn().Text(t.Context(), byName, "a"); got != "1" || err != nil {
		t.Errorf("Text = %q, %v", got, err)
	}
	prepared := 0
	err := db.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_prepared_statements`).Scan(&prepared)
	if prepared != 0 || err != nil {
		t.Errorf("%d statements were prepared, %v", prepared, err)
	}
}
