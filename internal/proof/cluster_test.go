package proof

import (
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the "pgx" driver
	_ "modernc.org/sqlite"             // registers the "sqlite" driver

	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
)

// catalog has tiers with one to four instances, and one that is practically unlimited.
const catalog = `
currency: EUR
products:
  - slug: app
    name: App
    category: apps
    shortDescription: An app.
    description: An app.
    icon: https://cdn.example.com/app.svg
    downloadCount: 1000
    pricingTiers:
      - {id: seats-1, name: One, price: 10, maxInstances: 1}
      - {id: seats-2, name: Two, price: 20, maxInstances: 2}
      - {id: seats-3, name: Three, price: 30, maxInstances: 3}
      - {id: seats-4, name: Four, price: 40, maxInstances: 4}
      - {id: many, name: Many, price: 90, maxInstances: 10000}
`

// downloadBase is the downloadCount in the catalog.
const downloadBase = 1000

// cluster is several stoa processes over one database that has the catalog.
type cluster struct {
	engine    string
	dir       string // the data folder
	env       []string
	processes []*process
	db        *sql.DB // the test's own connection to the database
}

const (
	adminEmail    = "root@example.com"
	adminPassword = "correct horse battery"
)

// newCluster starts n processes over an empty database of that engine, with more in their environment.
func newCluster(tb testing.TB, engine string, n int, more ...string) *cluster {
	tb.Helper()
	dir := tb.TempDir()
	at, driver, dsn := filepath.Join(dir, "shared.db"), "sqlite", ""
	if engine == postgres {
		at = pgtest.URL(tb)
		driver, dsn = "pgx", at
	} else {
		dsn = "file:" + (&url.URL{Path: at}).EscapedPath() + "?_pragma=busy_timeout(10000)"
	}
	env := []string{
		"STOA_DATA=" + dir, "STOA_DATABASE_URL=" + at, "STOA_MASTER_KEY=" + testkit.MasterKey,
		"STOA_RATE_LIMITS=off",            // all clients have one address
		"STOA_LICENSE_CHURN=0",            // instances come and go all the time
		"STOA_EXTERNAL_ALLOW=127.0.0.0/8", // plugins of tests
		"STOA_ADMIN_EMAIL=" + adminEmail, "STOA_ADMIN_PASSWORD=" + adminPassword,
	}
	env = append(env, more...)
	file := filepath.Join(dir, "catalog.yaml")
	if err := os.WriteFile(file, []byte(catalog), 0o600); err != nil {
		tb.Fatal(err)
	}
	for _, args := range [][]string{{"migrate"}, {"catalog", "import", file}} {
		cmd := exec.CommandContext(tb.Context(), stoa(tb), args...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("stoa %v: %v\n%s", args, err, out)
		}
	}
	c := &cluster{engine: engine, dir: dir, env: env}
	for range n {
		c.processes = append(c.processes, startProcess(tb, env))
	}
	var err error
	if c.db, err = sql.Open(driver, dsn); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.db.Close() })
	return c
}

// The engines.
const (
	sqlite   = "SQLite"
	postgres = "PostgreSQL"
)

// onEngines runs test with two processes over a database: SQLite, and PostgreSQL unless the run is short.
func onEngines(t *testing.T, test func(t *testing.T, c *cluster)) {
	t.Helper()
	t.Run(sqlite, func(t *testing.T) { t.Parallel(); test(t, newCluster(t, sqlite, 2)) })
	if !short() {
		t.Run(postgres, func(t *testing.T) { t.Parallel(); test(t, newCluster(t, postgres, 2)) })
	}
}

// onBothEngines runs test with two processes over one database of each engine.
func onBothEngines(t *testing.T, test func(t *testing.T, c *cluster)) {
	t.Helper()
	for _, engine := range []string{sqlite, postgres} {
		t.Run(engine, func(t *testing.T) { t.Parallel(); test(t, newCluster(t, engine, 2)) })
	}
}

// text returns the text that a query returns.
func (c *cluster) text(tb testing.TB, query string) string {
	tb.Helper()
	var s string
	if err := c.db.QueryRowContext(tb.Context(), query).Scan(&s); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return s
}

// number returns the number that a query returns.
func (c *cluster) number(tb testing.TB, query string) int {
	tb.Helper()
	var n int
	if err := c.db.QueryRowContext(tb.Context(), query).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}
