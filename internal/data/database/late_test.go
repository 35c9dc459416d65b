package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/outage"
	"stoa/internal/testkit/dbtest"
)

// Whoever waits in vain for a connection to the database learns that, whichever way it asked.
func TestNoConnectionInTimeIsAnOutage(t *testing.T) {
	t.Parallel()
	db, err := database.Open(dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c := db.Conn()
	err = c.InTx(t.Context(), func(database.Conn) error { // SQLite has one connection that writes
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		<-ctx.Done()
		_, executed := c.Write.ExecContext(ctx, `DELETE FROM settings`)
		_, queried := c.Write.QueryContext(ctx, `SELECT 1`) //nolint:sqlclosecheck,rowserrcheck // there are no rows
		var one int
		row := c.Wrap(c.Write.QueryRowContext(ctx, `SELECT 1`).Scan(&one), "Row")
		for what, err := range map[string]error{
			"a transaction": c.InTx(ctx, func(database.Conn) error { return nil }),
			"a statement":   executed, "rows": queried, "a row": row,
		} {
			if !outage.Is(err) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", what, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
