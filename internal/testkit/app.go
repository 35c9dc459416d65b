// Package testkit starts whole stoas for tests. Only test files may import it.
package testkit

import (
	"cmp"
	"database/sql"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/account/password"
	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/edge/front"
	"stoa/internal/operate/settings"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/trust/seal"
)

// T0 is the time at which every test server's clock starts.
var T0 = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// MasterKey is the master key of every test server.
const MasterKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// App is a whole stoa behind a real HTTP server on loopback.
type App struct {
	*app.App

	URL     string       // of the server, without a slash at the end
	Client  *http.Client // shares no connections with other clients
	Clock   *clocktest.Clock
	DataDir string

	mailbox *mailbox // nil if an option replaced the Mailer
}

// Option changes how New builds an App.
type Option func(tb testing.TB, cfg *app.Config)

// Upkeep is an Option for an App that does by itself, from its start on, what is due (app.Config). Other
// tests ask for it, at a moment of their choice.
func Upkeep(_ testing.TB, cfg *app.Config) { cfg.Upkeep = true }

// OnPostgres puts the App on PostgreSQL instead of SQLite.
func OnPostgres(tb testing.TB, cfg *app.Config) { cfg.DatabaseURL = dbtest.Postgres(tb) }

// Config returns the configuration that New uses, for tests that build an App
// themselves.
func Config(tb testing.TB, options ...Option) app.Config {
	tb.Helper()
	cfg, _ := config(tb, options)
	return cfg
}

func config(tb testing.TB, options []Option) (app.Config, *clocktest.Clock) {
	tb.Helper()
	key, err := seal.ParseKey(MasterKey)
	if err != nil {
		tb.Fatal(err)
	}
	clock := clocktest.New(T0)
	dir := tb.TempDir()
	cfg := app.Config{
		Log:         logtest.New(tb),
		Now:         clock.Now,
		DatabaseURL: filepath.Join(dir, "stoa.db"),
		DataDir:     dir,
		CacheDir:    nodetest.CacheDir(),
		MasterKey:   seal.NewKeys(key), MasterKeySource: "environment",
		Version: "1.2.3-test",
		// Plugins of tests listen on loopback.
		ExternalAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		MarketAllow:   []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		// Hashing at the real cost takes 24 ms. The tests of account/password do.
		PasswordCost: password.Params{MemoryKiB: 64, Time: 1, Threads: 1, SaltLen: 16, KeyLen: 32},
		Mailer:       new(mailbox),

		AccountDeletionDays: 14, RetainBilling: 10 * 365 * 24 * time.Hour,

		SignIn: settings.SignIn{NewSignInMail: "off"}, // tests count mails

		Deliver: true, KeepThemeApps: true, Witness: witness(tb),
		NoFront: os.Getenv("STOA_FRONT") == "off",
		// A busy machine is not the fault of plugins, providers and markets.
		StartLimit: 2 * time.Minute, HealthLimit: time.Minute, StallLimit: time.Minute,
		ProviderTimeout: time.Minute, MarketTimeout: time.Minute, AnswerLimit: AnswerLimit, InnerLimit: time.Minute,
	}
	for _, o := range options {
		o(tb, &cfg)
	}
	// Few connections: each of SQLite parses the whole schema, each of PostgreSQL is a process.
	if database.IsPostgres(cfg.DatabaseURL) {
		cfg.DatabaseConns = cmp.Or(cfg.DatabaseConns, 8)
	} else {
		cfg.DatabaseConns = cmp.Or(cfg.DatabaseConns, 2)
		migrated(tb, cfg.DatabaseURL)
	}
	if cfg.Children == nil && cfg.NodePath == "" && cfg.PluginIsolation == "" {
		cfg.Children = launcher(tb)
	}
	return cfg, clock
}

// migrated puts a migrated SQLite database at path, unless there is a file already.
func migrated(tb testing.TB, path string) {
	tb.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		dbtest.CopySQLite(tb, path)
	}
}

// AnswerLimit is how long an attempt of a hook, an event or a webhook may take in tests.
const AnswerLimit = time.Minute

// SoonUnhealthy is an Option for tests in which some plugins or theme apps never get healthy: these wait 20 s for
// each, which must be long enough for those that do.
func SoonUnhealthy(_ testing.TB, cfg *app.Config) { cfg.HealthLimit = 20 * time.Second }

// New starts an App on an empty database. Both end with the test.
func New(tb testing.TB, options ...Option) *App {
	tb.Helper()
	if _, err := theDocument(); err != nil { // every answer would be checked against it
		tb.Fatal(err)
	}
	cfg, clock := config(tb, options)
	srv := httptest.NewUnstartedServer(nil)
	cfg.PublicURL = cmp.Or(cfg.PublicURL, "http://"+srv.Listener.Addr().String())
	a, err := app.New(tb.Context(), cfg)
	if err != nil {
		_ = srv.Listener.Close()
		tb.Fatal(err)
	}
	srv.Config.Handler = a.Handler
	srv.Listener = a.Listen(srv.Listener)
	front.Setup(srv.Config)
	srv.Config.ReadHeaderTimeout = time.Minute // a busy machine is not a slow client
	srv.Start()
	tb.Cleanup(func() {
		srv.Close()
		if err := a.Close(ctxAfterTest(tb)); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	box, _ := cfg.Mailer.(*mailbox)
	return &App{App: a, URL: srv.URL, Client: srv.Client(), Clock: clock, DataDir: cfg.DataDir, mailbox: box}
}

// OnBothEngines runs test once on SQLite and once on PostgreSQL, in every run. It is for tests
// of what the engines do differently: locks, clocks, and statements that wait for each other.
// Other tests take OnEngines.
func OnBothEngines(t *testing.T, test func(t *testing.T, app *App)) {
	t.Helper()
	OnEachEngine(t, func(t *testing.T, options ...Option) { t.Helper(); test(t, New(t, options...)) })
}

// OnEachEngine is OnBothEngines for tests that start their own Apps. They must pass
// options to New.
func OnEachEngine(t *testing.T, test func(t *testing.T, options ...Option)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t) })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, OnPostgres) })
}

// OnEngines runs test on SQLite. If STOA_TEST_ENGINES=both, as in make proof, it also runs it on
// PostgreSQL. What the statements do on each engine is tested in package store.
func OnEngines(t *testing.T, test func(t *testing.T, app *App)) {
	t.Helper()
	OnEnginesOfRun(t, func(t *testing.T, options ...Option) { t.Helper(); test(t, New(t, options...)) })
}

// OnEnginesOfRun is OnEngines for tests that start their own Apps. They must pass options to New.
func OnEnginesOfRun(t *testing.T, test func(t *testing.T, options ...Option)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t) })
	if dbtest.Both() {
		t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, OnPostgres) })
	}
}

// Replicas runs test on each engine, with two Apps on one database and a connection to
// that database.
func Replicas(t *testing.T, test func(t *testing.T, a, b *App, db *sql.DB)) {
	t.Helper()
	for name, url := range map[string]func(testing.TB) string{
		"sqlite": dbtest.SQLite,
		"pgx":    dbtest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			at := url(t)
			shared := func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = at }
			a, b := New(t, shared), New(t, shared)
			if name == "sqlite" {
				at = "file:" + at + "?_pragma=foreign_keys(ON)&_pragma=busy_timeout(300000)"
			}
			db, err := sql.Open(name, at)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			test(t, a, b, db)
		})
	}
}
