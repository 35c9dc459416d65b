package database_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/outage"
	"stoa/internal/testkit/dbtest"
)

// deadline is a context whose time is over when done is closed.
type deadline struct {
	context.Context

	done chan struct{}
}

func (d deadline) Done() <-chan struct{} { return d.done }

func (d deadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// overWhenWaiting returns a context whose time is over as soon as one more waits for a connection of pool.
func overWhenWaiting(tb testing.TB, pool *sql.DB) context.Context {
	tb.Helper()
	ctx, waiting := deadline{tb.Context(), make(chan struct{})}, pool.Stats().WaitCount
	go func() {
		for pool.Stats().WaitCount == waiting && tb.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		close(ctx.done)
	}()
	return ctx
}

// Whoever waits in vain for a connection to the database learns that, whichever way it asked. Whoever
// comes too late by itself learns nothing of the database.
func TestNoConnectionInTimeIsAnOutage(t *testing.T) {
	t.Parallel()
	db, err := database.Open(dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, pool := db.Conn(), db.Pools()["write"]
	asks := map[string]func(ctx context.Context) error{
		"a transaction": func(ctx context.Context) error { return c.InTx(ctx, func(database.Conn) error { return nil }) },
		"a statement": func(ctx context.Context) error {
			_, err := c.Write.ExecContext(ctx, `DELETE FROM settings`)
			return err
		},
		"rows": func(ctx context.Context) error {
			_, err := c.Write.QueryContext(ctx, `SELECT 1`) //nolint:sqlclosecheck,rowserrcheck // there are none
			return err
		},
		"a row": func(ctx context.Context) error {
			var one int
			return c.Wrap(c.Write.QueryRowContext(ctx, `SELECT 1`).Scan(&one), "Row")
		},
	}
	err = c.InTx(t.Context(), func(database.Conn) error { // SQLite has one connection that writes
		for what, ask := range asks {
			ctx := overWhenWaiting(t, pool)
			if err := ask(ctx); !outage.Is(err) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", what, err)
			}
			if err := ask(ctx); what != "a row" && (outage.Is(err) || !errors.Is(err, context.DeadlineExceeded)) {
				t.Errorf("%s, too late: %v", what, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
