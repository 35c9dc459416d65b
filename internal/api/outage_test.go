package httpapi_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/waittest"
)

// stricken is a shop that had sold a license and installed a plugin before an outage.
type stricken struct {
	*testkit.Echo

	key string // activated for shop.example.org
}

func newStricken(t *testing.T, options ...testkit.Option) *stricken {
	t.Helper()
	a := testkit.NewShop(t, append(options, func(_ testing.TB, cfg *app.Config) { cfg.WriteEvery = time.Second })...)
	s := &stricken{Echo: a.InstallEcho(t, nil), key: a.BuyKey(t, "", "once")}
	a.Activate(t, s.key, "shop.example.org")
	a.Do(t, opened("/")) // the pages know the shop's name
	s.wantCall(t)
	return s
}

// wantCall checks that a guest's call reaches the plugin.
func (s *stricken) wantCall(t *testing.T) {
	t.Helper()
	if res := s.DoUnchecked(t, testkit.Get("", testkit.EchoPath+"/api/x")); res.Status != http.StatusOK {
		t.Errorf("a guest's call is answered %d %s", res.Status, res.Body)
	}
}

// wantOutage checks that an answer is one to come back to.
func wantOutage(t *testing.T, what string, res testkit.Response, code string) {
	t.Helper()
	after, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if res.Status != http.StatusServiceUnavailable || !strings.Contains(string(res.Body), `"`+code+`"`) || err != nil || after < 1 {
		t.Errorf("%s: %d %s with Retry-After %q, want 503 %s", what, res.Status, res.Body, res.Header.Get("Retry-After"), code)
	}
}

// wantChangesRefused checks requests of both families that store something.
func (s *stricken) wantChangesRefused(t *testing.T, code string) {
	t.Helper()
	login := map[string]string{"email": "root@example.com", "password": testkit.Password}
	for name, req := range map[string]testkit.Request{
		"a purchase":  testkit.Purchase("", "once"),
		"a sign-in":   testkit.Post("", "/auth/login", login),
		"an instance": testkit.Post(s.Admin.Access, "/api/v1/admin/plugins/echo/instances", map[string]any{"instanceKey": "second"}),
	} {
		wantOutage(t, name, s.Do(t, req), code)
	}
}

// wantPasswordKept checks the one route whose failure to store has a code of its own.
func (s *stricken) wantPasswordKept(t *testing.T) {
	t.Helper()
	res := s.Do(t, testkit.Post(s.Admin.Access, "/auth/change-password",
		map[string]string{"currentPassword": testkit.Password, "newPassword": "another-" + testkit.Password}))
	if res.Status != http.StatusInternalServerError || res.Text(t, "error.code") != "CHANGE_PASSWORD_FAILED" {
		t.Errorf("change-password: %d %s", res.Status, res.Body)
	}
}

// wantReadServed checks that what only reads goes on while writing fails.
func (s *stricken) wantReadServed(t *testing.T) {
	t.Helper()
	s.wantPasswordKept(t)
	if res := s.Verify(t, "mail-pack", s.key, "shop.example.org"); res.Get(t, "valid") != true {
		t.Errorf("verify: %d %s", res.Status, res.Body)
	}
	if res := s.Do(t, opened("/")); res.Status != http.StatusOK {
		t.Errorf("the catalog's page is answered %d", res.Status)
	}
	s.wantCall(t)
	waitReady(t, s.App, "writing", false, http.StatusOK) // another replica could do no better
	var kinds []string
	overview := s.Do(t, testkit.Get(s.Admin.Access, "/api/v1/admin/overview"))
	list, _ := overview.Get(t, "data.attention").([]any)
	for _, c := range list {
		kinds = append(kinds, c.(map[string]any)["severity"].(string)+" "+c.(map[string]any)["kind"].(string))
	}
	if len(kinds) == 0 || kinds[0] != "error writing.failing" {
		t.Errorf("attention: %s", overview.Body)
	}
	if health := s.Do(t, testkit.Get(s.Admin.Access, "/api/v1/admin/system")); !strings.Contains(string(health.Body),
		`"name":"writing","ok":false`) {
		t.Errorf("health: %s", health.Body)
	}
}

// wantRecovered checks that everything works again by itself.
func (s *stricken) wantRecovered(t *testing.T) {
	t.Helper()
	waitReady(t, s.App, "writing", true, http.StatusOK)
	s.Buy(t, "", "once")
	s.wantCall(t)
}

func TestAReadOnlyDatabaseRefusesChangesOnly(t *testing.T) {
	t.Parallel()

	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		s := newStricken(t)
		set := func(statement string) {
			t.Helper()
			if _, err := s.DB.Conn().Write.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		set(`PRAGMA query_only = ON`) // SQLite's answers are those for a file that cannot be written
		s.wantChangesRefused(t, "DATABASE_UNAVAILABLE")
		s.wantReadServed(t)
		set(`PRAGMA query_only = OFF`)
		s.wantRecovered(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		postgres := pgtest.NewServer(t)
		s := newStricken(t, func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = postgres.URL })
		db := connect(t, postgres.URL)
		set := func(readOnly string) {
			t.Helper()
			for _, statement := range []string{
				`ALTER SYSTEM SET default_transaction_read_only = ` + readOnly, `SELECT pg_reload_conf()`,
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
		}
		set("on")
		waittest.True(t, "a change is refused", func() bool {
			return s.Do(t, testkit.Purchase("", "free")).Status != http.StatusOK
		})
		s.wantChangesRefused(t, "DATABASE_UNAVAILABLE")
		s.wantReadServed(t)
		set("off")
		s.wantRecovered(t)
	})
}

func connect(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// wantAway checks the answers while the database is out of reach.
func (s *stricken) wantAway(t *testing.T) {
	t.Helper()
	const code = "DATABASE_UNAVAILABLE"
	// A session is answered for from memory until the lease of this process has ended.
	waittest.True(t, "the session is not answered for", func() bool {
		return s.Do(t, testkit.Me(s.Admin.Access)).Status == http.StatusServiceUnavailable
	})
	s.wantChangesRefused(t, code)
	for name, path := range map[string]string{
		"verify":            testkit.Products + "/mail-pack/license/verify?licenseKey=" + s.key + "&instanceId=shop.example.org",
		"the list":          testkit.Products,
		"an unknown plugin": "/api/v1/shop/plugins/unknown/api/x",
		"the session":       "/auth/me",
	} {
		res := s.Do(t, testkit.Get(s.Admin.Access, path))
		wantOutage(t, name, res, code)
		if name == "verify" && res.Header.Get("Signature") == "" {
			t.Error("the answer of verify is not signed")
		}
	}
	for _, path := range []string{"/", "/p/mail-pack", "/p/mail-pack?reviews=2"} {
		res := s.Do(t, opened(path))
		wantPage(t, path, res, http.StatusServiceUnavailable, "Back in a moment")
		if res.Header.Get("Retry-After") == "" || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s has the headers %v", path, res.Header)
		}
	}
	s.wantCall(t) // goes on from what is remembered
}

func TestAPostgreSQLThatIsAwayIsAskedForLater(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*pgtest.Server){"stopped": (*pgtest.Server).Stop, "crashed": (*pgtest.Server).Crash} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			postgres := pgtest.NewServer(t)
			s := newStricken(t, func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = postgres.URL })
			stop(postgres)
			s.wantAway(t)
			postgres.Start(t)
			waitReady(t, s.App, "database", true, http.StatusOK)
			s.wantRecovered(t)
		})
	}
}

func TestAPostgreSQLWithoutConnectionsIsAskedForLater(t *testing.T) {
	t.Parallel()
	postgres := pgtest.NewServer(t)
	s := newStricken(t, func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = postgres.URL })
	others := connect(t, postgres.URL)
	var held []*sql.Conn
	take := func() {
		for {
			conn, err := others.Conn(t.Context())
			if err != nil {
				return
			}
			if _, err := conn.ExecContext(t.Context(), `SET application_name = 'another process'`); err != nil {
				t.Fatal(err)
			}
			held = append(held, conn)
		}
	}
	take()
	// Work in the background gives connections back, and another process must take their place, all of them.
	waittest.Until(t, "others have every connection", func() error {
		if _, err := held[0].ExecContext(t.Context(), `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE backend_type = 'client backend' AND application_name <> 'another process'`); err != nil {
			t.Fatal(err)
		}
		take()
		var left int
		if err := held[0].QueryRowContext(t.Context(), `
			SELECT current_setting('max_connections')::int - COUNT(*) FROM pg_stat_activity
			WHERE application_name = 'another process'`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left > 0 {
			return fmt.Errorf("%d are left", left)
		}
		return nil
	})
	s.wantAway(t)
	for _, conn := range held {
		_ = conn.Close()
	}
	_ = others.Close()
	s.wantRecovered(t)
}
