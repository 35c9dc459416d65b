package proof

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/ziptest"
)

// fixtures has a folder for each earlier release. 0.0.7 to 0.0.20 are states of the repository from
// before the first release, whose databases are upgraded as well. In each:
//
//	facts.json       what must be true after an upgrade
//	stoa.db.gz       the SQLite database
//	postgres.sql     a dump of the PostgreSQL database
//	files.tar.gz     the files of packages, which are the same for both
const fixtures = "testdata/releases"

// facts is what a fixture was made of.
type facts struct {
	Commit     string           `json:"commit"`
	User       string           `json:"user"` // an e-mail address; the password is adminPassword
	LicenseKey string           `json:"licenseKey"`
	Instance   string           `json:"instance"`
	Plugin     string           `json:"plugin"` // a path that the plugin answers with "hello"
	Rows       map[string]int64 `json:"rows"`   // by table; the same on both engines
	Lacks      []string         `json:"lacks"`  // what the release could not do yet
}

// TestMakeFixture writes the fixture of a release, for make fixture: STOA_FIXTURE is its name,
// STOA_FIXTURE_PROGRAM its stoa (this one if empty), STOA_FIXTURE_COMMIT its commit.
func TestMakeFixture(t *testing.T) {
	t.Parallel()

	name := os.Getenv("STOA_FIXTURE")
	if name == "" {
		t.Skip("STOA_FIXTURE names no fixture: see make fixture")
	}
	to := filepath.Join(fixtures, name)
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{sqlite, postgres} {
		m := newFixtureMaker(t, engine)
		m.fill()
		m.stoa.stop()
		m.save(to)
	}
}

// fixtureMaker fills the database of a release over its API. What the release cannot do yet
// is left out.
type fixtureMaker struct {
	t        *testing.T
	engine   string
	dir      string
	database string // path or URL
	stoa     *process
	facts    facts
}

func newFixtureMaker(t *testing.T, engine string) *fixtureMaker {
	t.Helper()
	m := &fixtureMaker{t: t, engine: engine, dir: t.TempDir(), facts: facts{Commit: os.Getenv("STOA_FIXTURE_COMMIT")}}
	m.database = filepath.Join(m.dir, "stoa.db")
	if engine == postgres {
		m.database = pgtest.NewServer(t).URL
	}
	program := os.Getenv("STOA_FIXTURE_PROGRAM")
	env := append(sharedPlaces(m.dir, m.database), "STOA_RATE_LIMITS=off", "STOA_EXTERNAL_ALLOW=127.0.0.0/8",
		"STOA_MAIL=log", "STOA_ADMIN_EMAIL="+adminEmail, "STOA_ADMIN_PASSWORD="+adminPassword)
	file := filepath.Join(m.dir, "catalog.yaml")
	if err := os.WriteFile(file, []byte(catalog), 0o600); err != nil {
		t.Fatal(err)
	}
	runs := program
	if runs == "" {
		runs = stoa(t)
	}
	for _, args := range [][]string{{"migrate"}, {"catalog", "import", file}} {
		cmd := exec.CommandContext(t.Context(), runs, args...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("stoa %v: %v\n%s", args, err, out)
		}
	}
	m.stoa = &process{tb: t, env: env, program: program}
	m.stoa.begin(t)
	return m
}

// do sends a request. Where the release refuses it, what is added to what it lacks.
func (m *fixtureMaker) do(what, method, path, token string, body any) {
	m.t.Helper()
	var a answer
	var err error
	if archive, ok := body.([]byte); ok {
		keeper := &shelf{c: &cluster{processes: []*process{m.stoa}}, admin: token}
		a, err = keeper.send(m.t.Context(), method, path, archive)
	} else {
		a, err = m.stoa.call(m.t.Context(), method, path, bearer(token), body)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	if a.status >= http.StatusBadRequest {
		m.t.Logf("%s: %d %.200s", what, a.status, a.body)
		m.facts.Lacks = append(m.facts.Lacks, what)
	}
}

// fill makes rows as a shop has them.
func (m *fixtureMaker) fill() {
	c := &cluster{processes: []*process{m.stoa}}
	who := c.people(m.t)
	m.facts.User = "owner@example.com"
	bought, err := m.stoa.buy(m.t.Context(), "seats-3", bearer(who.owner))
	if err != nil {
		m.t.Fatal(err)
	}
	m.facts.LicenseKey, m.facts.Instance = bought.LicenseKey, "shop.example.com"
	m.do("activate", http.MethodPost, app+"/activate", "", use(bought.LicenseKey, m.facts.Instance))
	m.do("activate", http.MethodPost, app+"/activate", "", use(bought.LicenseKey, "dev.shop.example.com"))
	again := m.stoa.mustBuy(m.t, "many", who.owner)
	m.do("cancel or refund", http.MethodPost, "/api/v1/admin/orders/"+again.OrderID+"/refund", who.admin, map[string]any{})
	m.stoa.mustBuy(m.t, "seats-1", "") // a guest
	_, err = m.stoa.buy(m.t.Context(), "seats-2", http.Header{"Idempotency-Key": {"fixture"}})
	if err != nil {
		m.t.Logf("a purchase with an Idempotency-Key: %v", err)
		m.facts.Lacks = append(m.facts.Lacks, "Idempotency-Key")
	}
	m.do("review", http.MethodPost, app+"/reviews", who.owner, map[string]any{"rating": 5, "title": "Good", "body": "It works."})
	m.do("forgotten password", http.MethodPost, "/auth/forgot-password", "", map[string]string{"email": m.facts.User})
	m.do("settings", http.MethodPatch, "/api/v1/admin/settings", who.admin, map[string]any{"name": "Fixture"})
	m.do("webhook", http.MethodPost, "/api/v1/admin/webhooks", who.admin,
		map[string]any{"url": "https://hooks.example.com/stoa", "events": []string{"order.*"}})
	m.plugins(who.admin)
	m.do("theme", http.MethodPost, "/api/v1/admin/extensions/theme-shop/install", who.admin,
		testkit.ThemePack(m.t, "plain", "1.0.0", nil, nil))
	m.do("active theme", http.MethodPost, "/api/v1/admin/themes/shop/activate", who.admin,
		map[string]any{"kind": "theme-shop", "slug": "plain", "version": "1.0.0"})
}

// plugins installs an internal plugin with a second instance and an earlier version, and an
// external one, which gets hooks.
func (m *fixtureMaker) plugins(admin string) {
	install := "/api/v1/admin/extensions/plugin/install"
	for _, version := range []string{"1.0.0", "1.1.0"} {
		manifest := testkit.InternalManifest("greeter", "index.js")
		manifest["version"] = version
		manifest["permissions"] = []string{"storage.read", "storage.write", "events.publish"}
		archive := ziptest.Plugin(m.t, manifest, map[string]string{
			"index.js": `module.exports = async (app) => { app.get('/api/hello', async () => 'hello') }`,
		})
		m.do("plugin "+version, http.MethodPost, install, admin, archive)
	}
	m.facts.Plugin = "/api/v1/shop/plugins/greeter/api/hello"
	m.do("instance", http.MethodPost, "/api/v1/admin/plugins/greeter/instances", admin,
		map[string]any{"instanceKey": "second", "config": map[string]any{"greeting": "hello"}})
	m.do("package settings", http.MethodPatch, "/api/v1/admin/plugins/greeter", admin,
		map[string]any{"environment": map[string]string{"LANGUAGE": "en"}})
	srv := httptest.NewServer(newPlugin())
	defer srv.Close()
	m.do("external plugin", http.MethodPost, install, admin, ziptest.Plugin(m.t, map[string]any{
		"schemaVersion": 1, "slug": "hooked", "name": "Hooked", "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": srv.URL,
		"lifecycle": map[string]bool{"onInstall": true, "onEnable": true},
	}, nil))
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
		a, err := m.stoa.call(m.t.Context(), http.MethodGet, m.facts.Plugin, nil, nil)
		if err == nil && a.status == http.StatusOK {
			break
		}
	}
}

// save writes the files of the fixture.
func (m *fixtureMaker) save(to string) {
	t := m.t
	t.Helper()
	db := openTest(t, m.engine, m.database)
	empty := fillRare(t, db, m.engine)
	rows := countRows(t, db, m.engine)
	if m.engine == sqlite {
		m.facts.Rows = rows
		if _, err := db.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), `VACUUM`); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(m.database)
		if err != nil {
			t.Fatal(err)
		}
		writeGzip(t, filepath.Join(to, "stoa.db.gz"), raw)
		writeGzip(t, filepath.Join(to, "files.tar.gz"), tarOf(t, m.dir, "plugins", "themes", "media", "packages"))
		text, err := json.MarshalIndent(m.facts, "", "  ")
		if err == nil {
			err = os.WriteFile(filepath.Join(to, "facts.json"), append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("tables without rows: %v", empty)
		return
	}
	u, err := url.Parse(m.database)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges", "--no-comments",
		"-h", u.Query().Get("host"), "-U", "postgres", "postgres")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	for line := range strings.Lines(string(out)) {
		// Words of psql, and settings of other versions.
		if !strings.HasPrefix(line, `\`) && !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "SET ") &&
			strings.TrimSpace(line) != "" {
			kept.WriteString(line)
		}
	}
	// The license of this run is another than the one on SQLite: what is asked for later is there, too.
	facts := map[string]any{"licenseKey": m.facts.LicenseKey, "rows": rows}
	text, err := json.Marshal(facts)
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "postgres.sql"), fmt.Appendf(nil, "-- %s\n%s", text, kept.Bytes()), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	writeGzip(t, filepath.Join(to, "postgres-files.tar.gz"), tarOf(t, m.dir, "plugins", "themes", "media", "packages"))
}

func writeGzip(t *testing.T, file string, content []byte) {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tarOf returns a tar of the folders below dir that exist.
func tarOf(t *testing.T, dir string, folders ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			head := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(content))}
			if err := w.WriteHeader(head); err != nil {
				return err
			}
			_, err = io.Copy(w, bytes.NewReader(content))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
