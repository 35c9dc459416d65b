package database_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// Two processes take turns too: here, two independent DBs.
func TestTurnsDoNotOverlapAcrossProcesses(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		var (
			wg     sync.WaitGroup
			inside atomic.Int32
		)
		for _, db := range []*database.DB{dbtest.Open(t, url), dbtest.Open(t, url)} {
			for range 3 {
				wg.Go(func() {
					for range 5 {
						err := db.Conn().InTurn(t.Context(), "products", func(tx database.Conn) error {
							if n := inside.Add(1); n != 1 {
								t.Errorf("%d transactions run at the same time", n)
							}
							defer inside.Add(-1)
							_, err := database.Texts(t.Context(), tx.Read, `SELECT slug FROM products`)
							return err
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		wg.Wait()
	})
}
