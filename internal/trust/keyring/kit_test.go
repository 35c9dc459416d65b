package keyring_test

import (
	"os"
	"testing"
	"time"

	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/trust/keyring"
	"stoa/internal/trust/seal"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// t0 is not a whole second.
var t0 = time.Date(2030, time.March, 1, 12, 0, 0, 345_000_000, time.UTC)

var purpose = keyring.Purpose{Name: "account", Lead: 15 * time.Minute, Retention: 30 * 24 * time.Hour}

// box seals keys under the test's master key.
func box(tb testing.TB) *seal.Box {
	tb.Helper()
	key, err := seal.ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
	if err != nil {
		tb.Fatal(err)
	}
	return key.Box(purpose.Box())
}

// ring returns an initialized Ring on the database at url: one replica.
func ring(tb testing.TB, url string, c *clocktest.Clock) *keyring.Ring {
	tb.Helper()
	r := &keyring.Ring{Store: store.NewKeyring(dbtest.Open(tb, url)), Purpose: purpose, Box: box(tb), Now: c.Now}
	if err := r.Init(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return r
}

// onBothEngines runs test with two replicas on one database, once on SQLite and
// once on PostgreSQL.
func onBothEngines(t *testing.T, test func(t *testing.T, a, b *keyring.Ring, c *clocktest.Clock)) {
	t.Helper()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		c := clocktest.New(t0)
		test(t, ring(t, url, c), ring(t, url, c), c)
	})
}
