package proof

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/waittest"
)

// openTest opens a database for a test.
func openTest(t *testing.T, engine, at string) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", at
	if engine == sqlite {
		driver, dsn = "sqlite", "file:"+(&url.URL{Path: at}).EscapedPath()+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// countRows returns the number of rows of each table.
func countRows(t *testing.T, db *sql.DB, engine string) map[string]int64 {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
	if engine == postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	list, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	rows := make(map[string]int64)
	for list.Next() {
		var name string
		if err := list.Scan(&name); err != nil {
			t.Fatal(err)
		}
		rows[name] = 0
	}
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	delete(rows, "goose_db_version")
	for name := range rows {
		var n int64
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		rows[name] = n
	}
	return rows
}

// A database of every earlier release is upgraded on both engines: no row is lost, the
// license verifies, the user signs in and the plugin answers.
func TestEveryEarlierReleaseIsUpgraded(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts a process for each release and engine")

	releases, err := filepath.Glob(fixtures + "/*/facts.json")
	if err != nil || len(releases) == 0 {
		t.Fatalf("there is no fixture: %v", err)
	}
	for _, file := range releases {
		dir := filepath.Dir(file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []string{sqlite, postgres} {
			t.Run(filepath.Base(dir)+"/"+engine, func(t *testing.T) {
				t.Parallel()

				var want facts
				if err := json.Unmarshal(text, &want); err != nil {
					t.Fatal(err)
				}
				upgrade(t, dir, engine, want)
			})
		}
	}
}

// releaseOf returns the release of a fixture's file, as package semver writes it.
func releaseOf(file string) string {
	return "v" + strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "v")
}

// upgrade restores a fixture, starts this stoa on it and checks it.
func upgrade(t *testing.T, dir, engine string, want facts) {
	t.Helper()
	data, at := laidOut(t, dir, engine, &want)
	db := openTest(t, engine, at)
	env := append(sharedPlaces(data, at), "STOA_RATE_LIMITS=off", "STOA_MAIL=log")
	(&fleet{cluster: &cluster{env: env}}).command(t, "", "migrate")
	now := countRows(t, db, engine)
	if len(want.Rows) < 10 {
		t.Errorf("the fixture says nothing of rows: %v", want.Rows)
	}
	for table, n := range want.Rows {
		if now[table] < n { // a migration may add some
			t.Errorf("%s has %d rows, and had %d", table, now[table], n)
		}
	}

	p := startProcess(t, env)
	a, err := p.call(t.Context(), http.MethodPost, "/auth/login", nil,
		map[string]string{"email": want.User, "password": adminPassword})
	if err != nil || a.status != http.StatusOK {
		t.Errorf("signing in: %v, %d %s", err, a.status, a.body)
	}
	if o, err := p.verify(t.Context(), want.LicenseKey, want.Instance); err != nil || o.verdict != granted {
		t.Errorf("verify = %v, %v", o, err)
	}
	waittest.Until(t, "the answer of the plugin", func() error { // it may start for longer than a call waits
		a, err = p.call(t.Context(), http.MethodGet, want.Plugin, nil, nil)
		if err == nil && a.status >= http.StatusInternalServerError {
			return fmt.Errorf("%d %s", a.status, a.body)
		}
		return nil
	})
	if err != nil || a.status != http.StatusOK || string(a.body) != "hello" {
		t.Errorf("the plugin: %v, %d %s", err, a.status, a.body)
	}
	p.mustBuy(t, "seats-1", "")
}

// laidOut restores a fixture, and returns its data folder and its database.
func laidOut(t *testing.T, dir, engine string, want *facts) (data, at string) {
	t.Helper()
	data = t.TempDir()
	at, files := filepath.Join(data, "stoa.db"), "files.tar.gz"
	if engine == postgres {
		at, files = loadDump(t, filepath.Join(dir, "postgres.sql"), want), "postgres-files.tar.gz"
	} else if err := os.WriteFile(at, readGzip(t, filepath.Join(dir, "stoa.db.gz")), 0o600); err != nil {
		t.Fatal(err)
	}
	unpack(t, readGzip(t, filepath.Join(dir, files)), data)
	return data, at
}

// newestFixture is the folder of the newest release's fixture, and what it says of itself.
func newestFixture(t *testing.T) (dir string, want facts) {
	t.Helper()
	releases, err := filepath.Glob(fixtures + "/*/facts.json")
	if err != nil || len(releases) == 0 {
		t.Fatalf("there is no fixture: %v", err)
	}
	newest := slices.MaxFunc(releases, func(a, b string) int { return semver.Compare(releaseOf(a), releaseOf(b)) })
	text, err := os.ReadFile(newest)
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(newest), want
}

// loadDump makes a database of a dump, and takes over what it says of itself.
func loadDump(t *testing.T, file string, want *facts) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	want.Rows = nil
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first, "-- ")), want); err != nil {
		t.Fatal(err)
	}
	at := pgtest.NewServer(t).URL
	db := openTest(t, postgres, at)
	if _, err := db.ExecContext(context.WithoutCancel(t.Context()), string(text)); err != nil {
		t.Fatal(err)
	}
	return at
}

func readGzip(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// unpack writes the files of a tar into a folder.
func unpack(t *testing.T, content []byte, into string) {
	t.Helper()
	r := tar.NewReader(strings.NewReader(string(content)))
	for {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(into, filepath.FromSlash(head.Name))
		file, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, file, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
