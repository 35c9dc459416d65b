package proof

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/s3test"
	"stoa/internal/testkit/ziptest"
)

// newReplicas starts processes over one PostgreSQL and one object storage, each with a data
// folder of its own.
func newReplicas(tb testing.TB, storage string, n int) *cluster {
	tb.Helper()
	at := pgtest.URL(tb)
	c := &cluster{}
	for range n {
		c.processes = append(c.processes, startProcess(tb, append(s3test.Environment(),
			"STOA_DATA="+filepath.Join(tb.TempDir(), "data"), "STOA_DATABASE_URL="+at, "STOA_MASTER_KEY="+testkit.MasterKey,
			"STOA_STORAGE_URL="+storage, "STOA_RATE_LIMITS=off", "STOA_EXTERNAL_ALLOW=127.0.0.0/8",
			"STOA_PLUGIN_ISOLATION=basic", // whatever this machine has
			"STOA_ADMIN_EMAIL="+adminEmail, "STOA_ADMIN_PASSWORD="+adminPassword,
		)))
	}
	var err error
	if c.db, err = sql.Open("pgx", at); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.db.Close() })
	return c
}

// dataFolder returns the data folder of a process.
func dataFolder(p *process) string {
	for _, variable := range p.env {
		if dir, ok := strings.CutPrefix(variable, "STOA_DATA="); ok {
			return dir
		}
	}
	return ""
}

// post sends bytes of a type as the administrator and returns the answer, which must be 201.
func (c *cluster) post(tb testing.TB, p *process, admin, path, contentType string, body []byte) answer {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, p.URL()+path, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+admin)
	req.Header.Set("Content-Type", contentType)
	rec, err := httpClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer rec.Body.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(rec.Body); err != nil || rec.StatusCode != http.StatusCreated {
		tb.Fatalf("POST %s: %d %s, %v", path, rec.StatusCode, got.Bytes(), err)
	}
	return answer{rec.StatusCode, rec.Header, got.Bytes()}
}

// goods is what a shop has in its storage, and what each replica must answer.
type goods struct{ picture string }

// stock installs an internal plugin, an external one and a theme, and uploads a picture, all
// through one process.
func (c *cluster) stock(tb testing.TB, p *process, admin, service string) goods {
	tb.Helper()
	const install = "/api/v1/admin/extensions/%s/install"
	internal := ziptest.Plugin(tb, testkit.InternalManifest("worker", "index.js"), map[string]string{
		"index.js":    "module.exports = async (app) => { app.get('/api/hello', async () => require('./lib/word.js')) }",
		"lib/word.js": "module.exports = 'hello from the worker'",
	})
	external := ziptest.Plugin(tb, map[string]any{
		"schemaVersion": 1, "slug": "service", "name": "Service", "version": "1.0.0",
		"runtimeType": "external-http", "externalBaseUrl": service,
	}, nil)
	dress := ziptest.Plugin(tb, map[string]any{
		"schemaVersion": 1, "slug": "dress", "name": "Dress", "version": "1.0.0", "entry": "theme.css",
	}, map[string]string{"theme.css": "/* the dress */"})
	c.post(tb, p, admin, fmt.Sprintf(install, "plugin"), "application/zip", internal)
	c.post(tb, p, admin, fmt.Sprintf(install, "plugin"), "application/zip", external)
	c.post(tb, p, admin, fmt.Sprintf(install, "theme-shop"), "application/zip", dress)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><title>` + rand.Text() + `</title></svg>`
	a := c.post(tb, p, admin, "/api/v1/admin/media", "image/svg+xml", []byte(svg))
	var media struct {
		Data struct {
			Path string `json:"path"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.body, &media); err != nil || media.Data.Path == "" {
		tb.Fatal(odd(a))
	}
	return goods{media.Data.Path}
}

// want checks that a process has everything.
func (g goods) want(tb testing.TB, p *process) {
	tb.Helper()
	for path, want := range map[string]string{
		"/api/v1/shop/plugins/worker/api/hello":  "hello from the worker",
		"/api/v1/shop/plugins/service/api/hello": "hello from the service",
		"/themes/shop/dress/1.0.0/theme.css":     "/* the dress */",
		g.picture:                                "<title>",
	} {
		var a answer
		var err error
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			a, err = p.call(tb.Context(), http.MethodGet, path, nil, nil)
			if err == nil && a.status == http.StatusOK || time.Now().After(end) {
				break // a process that starts, and one that has not heard of an install yet, is asked again
			}
		}
		if err != nil || a.status != http.StatusOK || !strings.Contains(string(a.body), want) {
			tb.Errorf("GET %s = %d %.300s, %v, want %q", path, a.status, a.body, err, want)
		}
	}
}

// service is the external plugin.
func service(tb testing.TB) string {
	tb.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("hello from the service"))
	}))
	tb.Cleanup(srv.Close)
	return srv.URL
}

// What one replica installs and uploads, the other serves, although its data folder has nothing
// of it; and so does a replica whose data folder was removed while it was stopped.
func TestReplicasShareObjectStorageOnly(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts several processes")
	needtest.Program(t, "node", "")

	server := s3test.New(t)
	c := newReplicas(t, server.URL(t, "shop", "files", ""), 2)
	first, second := c.processes[0], c.processes[1]
	admin := c.people(t).admin
	stock := c.stock(t, first, admin, service(t))
	if left := filesBelow(t, dataFolder(second)); slices.ContainsFunc(left, func(name string) bool {
		return strings.HasSuffix(name, ".js") && !strings.Contains(name, "node_modules") || strings.HasSuffix(name, ".zip")
	}) {
		t.Fatalf("the second replica has the files before it needs them: %q", left)
	}
	stock.want(t, first)
	stock.want(t, second)

	second.kill()
	if err := os.RemoveAll(dataFolder(second)); err != nil {
		t.Fatal(err)
	}
	if err := second.start(); err != nil {
		t.Fatal(err)
	}
	stock.want(t, second)
}

// filesBelow returns the files below a folder.
func filesBelow(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

// A shop moves from its data folder to object storage, to another prefix and back, by a command
// that is killed and run again; it has everything wherever it is.
func TestAShopMovesItsStorage(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts several processes")
	needtest.Program(t, "node", "")

	server := s3test.New(t)
	c := newReplicas(t, "disk", 1)
	p := c.processes[0]
	admin := c.people(t).admin
	stock := c.stock(t, p, admin, service(t))
	const pictures = 150
	for range pictures {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><title>` + rand.Text() + `</title></svg>`
		c.post(t, p, admin, "/api/v1/admin/media", "image/svg+xml", []byte(svg))
	}
	one, two := server.URL(t, "shop", "one", ""), server.URL(t, "shop", "two", "")
	places := []string{"disk", one, two, "disk"}
	for i, to := range places[1:] {
		from := places[i]
		killed := 0
		for range 50 { // until it has been killed in the middle, and at most until it is done
			cmd := exec.CommandContext(t.Context(), stoa(t), "storage", "move", "--from", from, "--to", to)
			cmd.Env = append(os.Environ(), p.env...)
			if i == 2 { // an empty folder, with nothing but the settings
				cmd.Env = append(cmd.Env, "STOA_DATA="+dataFolder(p)+"-new")
			}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			if killed < 3 && i < 2 {
				killMidway(t, server, cmd, ended, []string{"one", "two"}[i], 20*(killed+1))
				killed++
				continue
			}
			if err := <-ended; err != nil {
				t.Fatalf("move from %s to %s: %v\n%s", from, to, err, out.String())
			}
			if !strings.Contains(out.String(), "Next: stop every stoa") {
				t.Errorf("move says %q", out.String())
			}
			break
		}
		p.kill()
		p.env = append(p.env, "STOA_STORAGE_URL="+to)
		if i == 2 {
			p.env = append(p.env, "STOA_DATA="+dataFolder(p)+"-new")
		} else if err := os.RemoveAll(filepath.Join(dataFolder(p), "media")); err != nil {
			t.Fatal(err)
		}
		if err := p.start(); err != nil {
			t.Fatalf("with the storage at %s: %v", to, err)
		}
		stock.want(t, p)
	}
}

// killMidway kills a command once the server has that many objects of a prefix.
func killMidway(tb testing.TB, server *s3test.Server, cmd *exec.Cmd, ended chan error, prefix string, objects int) {
	tb.Helper()
	for {
		select {
		case <-ended: // it was faster
			return
		case <-time.After(time.Millisecond):
		}
		if server.Count(tb, "shop", prefix) >= objects {
			_ = cmd.Process.Kill()
			<-ended
			return
		}
	}
}
