package database_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/outage"
	"stoa/internal/testkit/dbtest"
)

// Whoever gives up while the database works learns that it gave up, never that the database failed.
func TestACanceledTransactionIsNotAnOutage(t *testing.T) {
	t.Parallel()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		c := dbtest.Open(t, url).Conn()
		works := map[string]func(ctx context.Context) error{
			"a transaction": func(ctx context.Context) error { return c.InTx(ctx, statements(ctx)) },
			"a snapshot":    func(ctx context.Context) error { return c.InSnapshot(ctx, statements(ctx)) },
			"statements":    func(ctx context.Context) error { return statements(ctx)(c) },
		}
		rounds := 450
		if strings.HasPrefix(url, "postgres") {
			rounds = 45 // who gives up closes the connection, and opening one takes long
		}
		for what, work := range works {
			for n := range rounds {
				if err := work(t.Context()); err != nil { // so that a connection is open
					t.Fatal(err)
				}
				after := time.Duration(rand.IntN(1500)) * time.Microsecond
				ctx, cancel := context.WithCancel(t.Context())
				timer, ends := time.AfterFunc(after, cancel), context.Canceled
				if n%3 == 0 {
					timer.Stop()
					ctx, cancel = context.WithTimeout(t.Context(), after)
					ends = context.DeadlineExceeded
				}
				if err := work(ctx); err != nil && !errors.Is(err, ends) || n%3 > 0 && outage.Is(err) {
					t.Errorf("%s that ended by %v = %v", what, ends, err)
				}
				timer.Stop()
				cancel()
			}
		}
	})
}

func statements(ctx context.Context) func(c database.Conn) error {
	return func(c database.Conn) error {
		for range 5 {
			var one int
			if err := c.Write.QueryRowContext(ctx, `SELECT 1`).Scan(&one); err != nil {
				return err
			}
		}
		return nil
	}
}
