package keyring_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"stoa/internal/keyring"
	"stoa/internal/seal"
	"stoa/internal/store"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// t0 does not lie on a whole second.
var t0 = time.Date(2030, time.March, 1, 12, 0, 0, 345_000_000, time.UTC)

var purpose = keyring.Purpose{Name: "account", Lead: 15 * time.Minute, Retention: 30 * 24 * time.Hour}

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// box seals keys under the test's master key.
func box(tb testing.TB) *seal.Box {
	tb.Helper()
	key, err := seal.ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
	if err != nil {
		tb.Fatal(err)
	}
	return key.Box(purpose.Box())
}

func sqliteURL(tb testing.TB) string { return filepath.Join(tb.TempDir(), "stoa.db") }

func openStore(tb testing.TB, url string) *store.Keyring {
	tb.Helper()
	db, err := store.Open(url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return store.NewKeyring(db)
}

// ring returns an initialised Ring on the database at url: one replica.
func ring(tb testing.TB, url string, c *clock) *keyring.Ring {
	tb.Helper()
	r := &keyring.Ring{Store: openStore(tb, url), Purpose: purpose, Box: box(tb), Now: c.Now}
	if err := r.Init(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return r
}

// onBothEngines runs test with two replicas on one database, once on SQLite and
// once on PostgreSQL.
func onBothEngines(t *testing.T, test func(t *testing.T, a, b *keyring.Ring, c *clock)) {
	t.Helper()
	for name, url := range map[string]func(testing.TB) string{"SQLite": sqliteURL, "PostgreSQL": pgtest.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c, at := &clock{now: t0}, url(t)
			test(t, ring(t, at, c), ring(t, at, c), c)
		})
	}
}
