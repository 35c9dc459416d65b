package extension_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/s3test"
	"stoa/internal/testkit/waittest"
)

// bucket is that of every test's server.
const bucket = "shop"

// onS3 puts the files of an App into object storage, with more options for its URL.
func onS3(server *s3test.Server, query ...string) testkit.Option {
	return func(tb testing.TB, cfg *app.Config) {
		tb.Helper()
		cfg.Storage = server.Open(tb, bucket, "files", strings.Join(query, ""))
	}
}

func hello(tb testing.TB) []byte {
	tb.Helper()
	return testkit.PluginArchive(tb, testkit.InternalManifest("worker", "index.js"), map[string]string{
		"index.js": "module.exports = async (app) => { app.get('/api/hello', async () => 'hello') }",
	})
}

// wantUnavailable checks that an answer is the 503 for storage that does not work.
func wantUnavailable(tb testing.TB, res testkit.Response, code string) {
	tb.Helper()
	if res.Status != http.StatusServiceUnavailable || !strings.Contains(string(res.Body), code) ||
		res.Header.Get("Retry-After") == "" || strings.Contains(string(res.Body), s3test.SecretKey) {
		tb.Errorf("answer = %d %s, want 503 %s with Retry-After", res.Status, res.Body, code)
	}
}

// While the object storage is away or silent, an install and an upload are refused with what to
// do, and leave nothing; what needs no files goes on. Afterwards both work.
func TestStorageThatFailsLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	a := testkit.New(t, realTime, onS3(server, "&timeout=1s")) // it gives up soon
	admin := a.Admin(t, "root").Access
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>`)
	upload := func() testkit.Response {
		return a.Do(t, testkit.Request{
			Method: "POST", Path: "/api/v1/admin/media", Token: admin, Body: svg,
			Header: http.Header{"Content-Type": {"image/svg+xml"}},
		})
	}
	for name, fail := range map[string]func(bool){"away": server.Down, "silent": server.Stall} {
		fail(true)
		wantUnavailable(t, a.Install(t, admin, "plugin", hello(t)), "STORAGE_UNAVAILABLE")
		wantUnavailable(t, upload(), "STORAGE_UNAVAILABLE")
		if res := a.Do(t, testkit.Get("", "/api/marketplace/products")); res.Status != http.StatusOK {
			t.Errorf("%s: the catalog answers %d", name, res.Status)
		}
		waittest.Until(t, "readiness", func() error { // on a busy machine, another part may be late for once
			if res := a.Do(t, testkit.Get("", "/readyz")); res.Status != http.StatusOK {
				return fmt.Errorf("%s: /readyz answers %d", name, res.Status)
			}
			return nil
		})
		waittest.Until(t, "the cause among the health", func() error { // or the check itself
			health := a.Do(t, testkit.Get(admin, "/api/v1/admin/system"))
			if !strings.Contains(string(health.Body), "object storage: GET s3://shop/files/stoa.json") ||
				!strings.Contains(string(health.Body), `"address":"s3://shop/files"`) {
				return fmt.Errorf("%s: health says %s", name, health.Body)
			}
			return nil
		})
		fail(false)
		if res := a.Do(t, testkit.Get(admin, worker)); res.Status != http.StatusNotFound {
			t.Errorf("%s: after the failed install: %d %s", name, res.Status, res.Body)
		}
		if left, err := filepath.Glob(filepath.Join(a.DataDir, "plugins", "*", "*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left in the data folder: %q, %v", name, left, err)
		}
	}
	for what, do := range map[string]func() testkit.Response{
		"an install": func() testkit.Response { return a.Install(t, admin, "plugin", hello(t)) }, "an upload": upload,
	} {
		var res testkit.Response
		waittest.True(t, what, func() bool { // the storage may be late for once, on a busy machine
			res = do()
			return res.Status != http.StatusServiceUnavailable
		})
		if res.Status != http.StatusCreated {
			t.Errorf("%s afterwards: %d %s", what, res.Status, res.Body)
		}
	}
}

// Files that are missing in the data folder come from the storage, once for all callers; while it is
// away, calls are refused with what to do, and an altered archive is never used.
func TestMissingFilesAreFetchedAndChecked(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	first := testkit.New(t, realTime, onS3(server))
	admin := first.Admin(t, "root").Access
	if res := first.Install(t, admin, "plugin", hello(t)); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	key := "files/" + server.Find(t, bucket, "files/plugins/worker/", ".zip")
	shared := func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = filepath.Join(first.DataDir, "stoa.db") }
	fresh := func() *testkit.App { t.Helper(); return testkit.New(t, realTime, onS3(server), shared) }

	a := fresh()
	server.Down(true)
	wantUnavailable(t, shopGet(a, t, "/hello"), "STORAGE_UNAVAILABLE")
	server.Down(false)
	var all sync.WaitGroup
	for range 8 { // the plugin was refused for a moment
		all.Go(func() {
			waittest.True(t, "an answer", func() bool { return shopGet(a, t, "/hello").Status == http.StatusOK })
		})
	}
	all.Wait()
	if res := a.Do(t, testkit.Get(admin, "/api/v1/admin/extensions/plugin/worker/files")); res.Status != http.StatusOK ||
		strings.Contains(string(res.Body), `"intact":false`) {
		t.Errorf("files: %d %s", res.Status, res.Body)
	}

	server.Alter(t, bucket, key, []byte("another archive"))
	b := fresh()
	wantUnavailable(t, shopGet(b, t, "/hello"), "STORAGE_DAMAGED")
	if left, err := filepath.Glob(filepath.Join(b.DataDir, "plugins", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("an altered archive left %q, %v", left, err)
	}
	wantUnavailable(t, b.DoUnchecked(t, testkit.Get(admin, "/api/v1/admin/extensions/plugin/worker/archive")), "STORAGE_DAMAGED")
}

// Archives without a record are removed from the storage when they are old, but never those of another
// shop, and never those that another replica may be about to record.
func TestSweepOfTheStorage(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	a := testkit.New(t, realTime, onS3(server))
	admin := a.Admin(t, "root").Access
	if res := a.Install(t, admin, "plugin", hello(t)); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	installed := server.Find(t, bucket, "files/plugins/worker/", ".zip")
	store := server.Open(t, bucket, "files", "")
	for _, key := range []string{"plugins/worker/old.zip", "plugins/worker/young.zip", "market/old.zip", "backups/old.zip"} {
		const hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of "x"
		if err := store.Put(t.Context(), key, strings.NewReader("x"), 1, hash); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{installed, "plugins/worker/old.zip", "market/old.zip", "backups/old.zip"} {
		server.Age(t, bucket, "files/"+key, 25*time.Hour)
	}
	restart := func() { // every start sweeps
		testkit.New(t, realTime, onS3(server), func(_ testing.TB, cfg *app.Config) {
			cfg.DatabaseURL = filepath.Join(a.DataDir, "stoa.db")
		})
	}
	restart()
	for key, want := range map[string]bool{
		installed: true, "plugins/worker/old.zip": false, "plugins/worker/young.zip": true, "market/old.zip": false,
		"backups/old.zip": true,
	} {
		if _, err := store.Stat(t.Context(), key); (err == nil) != want {
			t.Errorf("after a sweep, %s: %v, want there %v", key, err, want)
		}
	}
	other := testkit.Config(t, onS3(server))
	if b, err := app.New(t.Context(), other); err == nil || !strings.Contains(err.Error(), "belongs to another shop") {
		t.Errorf("a shop on the storage of another starts: %v, %v", b, err)
	}
	if res := a.Do(t, testkit.Request{Method: "DELETE", Path: worker + "?purge=true", Token: admin}); res.Status != http.StatusOK {
		t.Fatalf("purge: %d %s", res.Status, res.Body)
	}
	if _, err := store.Stat(t.Context(), installed); err == nil {
		t.Error("a purged package stays in the storage")
	}
}

// A shop whose files are in its data folder does not start on a storage without them.
func TestStorageWithoutTheFilesIsRefused(t *testing.T) {
	t.Parallel()

	server := s3test.New(t)
	a := testkit.New(t, realTime)
	admin := a.Admin(t, "root").Access
	if res := a.Install(t, admin, "plugin", hello(t)); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	cfg := testkit.Config(t, onS3(server), func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL = filepath.Join(a.DataDir, "stoa.db")
	})
	if b, err := app.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "stoa storage move") {
		t.Errorf("it starts: %v, %v", b, err)
	}
}
