package account_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/password"
	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/trust/keyring"
	"stoa/internal/trust/seal"
)

func TestMain(m *testing.M) {
	if !needtest.Proving() { // rapid does 100 otherwise; -rapid.checks still decides
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err)
		}
	}
	os.Exit(pgtest.Main(m))
}

// t0 does not lie on a whole second: tokens do.
var t0 = time.Date(2030, time.March, 1, 12, 0, 0, 345_000_000, time.UTC)

const secret = "correct horse battery"

var cheap = password.Params{MemoryKiB: 64, Time: 1, Threads: 1, SaltLen: 16, KeyLen: 32}

// box seals keys under the test's master key.
func box(tb testing.TB) *seal.Box {
	tb.Helper()
	key, err := seal.ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
	if err != nil {
		tb.Fatal(err)
	}
	return key.Box(account.KeyPurpose.Box())
}

// service returns a started Service on the database at url: one replica.
func service(tb testing.TB, url string, c *clocktest.Clock) *account.Service {
	tb.Helper()
	return newService(tb, dbtest.Open(tb, url), c)
}

func newService(tb testing.TB, db *database.DB, c *clocktest.Clock) *account.Service {
	tb.Helper()
	s := &account.Service{
		Store: store.NewAccount(
			db,
		), Ring: &keyring.Ring{Store: store.NewKeyring(db), Purpose: account.KeyPurpose, Box: box(tb), Now: c.Now},
		PluginRing: &keyring.Ring{Store: store.NewKeyring(db), Purpose: account.PluginKeyPurpose, Box: box(tb), Now: c.Now},
		TOTPBox:    box(tb),
		Hasher:     password.NewHasher(cheap, password.Limits{}), Now: c.Now, SiteName: func(context.Context) string { return "the platform" },
	}
	if err := s.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// onBothEngines runs test with two replicas on one database, once on SQLite and
// once on PostgreSQL.
func onBothEngines(t *testing.T, test func(t *testing.T, a, b *account.Service, c *clocktest.Clock)) {
	t.Helper()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		c := clocktest.New(t0)
		test(t, service(t, url, c), service(t, url, c), c)
	})
}

func mustRegister(tb testing.TB, s *account.Service, name string) account.Tokens {
	tb.Helper()
	tokens, err := s.Register(tb.Context(),
		account.Registration{Email: name + "@example.com", Username: name, Password: secret})
	if err != nil {
		tb.Fatal(err)
	}
	return tokens
}

func mustLogin(tb testing.TB, s *account.Service, name string) account.Tokens {
	tb.Helper()
	tokens, err := s.Login(tb.Context(), name+"@example.com", secret)
	if err != nil {
		tb.Fatal(err)
	}
	return tokens
}
