package database_test

import (
	"context"
	"errors"
	"math/rand/v2"
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
		for what, work := range works {
			for range 100 {
				if err := work(t.Context()); err != nil { // so that a connection is open
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				timer := time.AfterFunc(time.Duration(rand.IntN(1500))*time.Microsecond, cancel)
				if err := work(ctx); err != nil && !errors.Is(err, context.Canceled) || outage.Is(err) {
					t.Errorf("%s that was canceled = %v", what, err)
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
