package extension_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// version is an archive of the internal plugin worker in that version. Its entry
// module answers with the version.
func version(tb testing.TB, number string, changes map[string]any) []byte {
	tb.Helper()
	return versionWith(tb, number, changes, fmt.Sprintf(`module.exports = async (app, opts) => {
		app.get('/api/version', async () => { await new Promise((r) => setTimeout(r, 20)); return '%s' + (opts.mode || '') })
	}`, number))
}

func versionWith(tb testing.TB, number string, changes map[string]any, entry string) []byte {
	tb.Helper()
	m := testkit.InternalManifest("worker", "index.js")
	m["version"] = number
	m["configSchema"] = map[string]any{"mode": map[string]any{"type": "string"}}
	for name, value := range changes {
		m[name] = value
	}
	return testkit.PluginArchive(tb, m, map[string]string{"index.js": entry})
}

func post(admin, path string) testkit.Request {
	return testkit.Request{Method: http.MethodPost, Path: path, Token: admin}
}

// wantVersion fails the test unless shoppers are answered by that version.
func wantVersion(tb testing.TB, a *testkit.App, want string) {
	tb.Helper()
	if res := shopGet(a, tb, "/version"); res.Status != http.StatusOK || string(res.Body) != want {
		tb.Errorf("shoppers get %d %s, want %s", res.Status, res.Body, want)
	}
}

// packageFolders are the names in the folder of the worker's versions.
func packageFolders(tb testing.TB, a *testkit.App) []string {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Join(a.DataDir, "plugins", "worker"))
	if err != nil && !os.IsNotExist(err) {
		tb.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestUpgradeAndRollbackDropNoRequest(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"instance", "shared"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			upgradeDropsNoRequest(t, isolation)
		})
	}
}

func upgradeDropsNoRequest(t *testing.T, isolation string) {
	t.Helper()
	a := testkit.New(t, realTime)
	admin := a.Admin(t, "root").Access
	first := a.Install(t, admin, "plugin", version(t, "1.0.0", map[string]any{"permissions": []string{"a:b"}}))
	id := first.Text(t, "data.defaultInstance.installationId")
	a.Do(t, changeInstance(admin, id, map[string]any{"config": map[string]any{"mode": "!"}}))
	changeSettings(t, a, admin, map[string]any{"isolation": isolation})
	wantVersion(t, a, "1.0.0!")

	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var answered atomic.Int64
	for range needtest.Rounds(2, 6) {
		callers.Go(func() {
			for ctx.Err() == nil {
				res := shopGet(a, t, "/version")
				if res.Status != http.StatusOK || !strings.HasSuffix(string(res.Body), "!") {
					t.Errorf("a request was dropped: %d %s", res.Status, res.Body)
					return
				}
				answered.Add(1)
			}
		})
	}
	wantBack := func(want any) {
		t.Helper()
		if res := a.Do(t, testkit.Get(admin, worker)); res.Get(t, "data.previousVersion") != want {
			t.Errorf("a rollback is said to return to %v, want %v", res.Get(t, "data.previousVersion"), want)
		}
	}
	wantBack(nil)
	up := a.Install(t, admin, "plugin", version(t, "1.10.0", map[string]any{"permissions": []string{"a:b", "c:d"}}))
	wantBack("1.0.0")
	if up.Status != http.StatusOK || up.Text(t, "data.previousVersion") != "1.0.0" ||
		up.Text(t, "data.version") != "1.10.0" || up.Text(t, "data.id") != first.Text(t, "data.id") ||
		up.Text(t, "data.defaultInstance.installationId") != id ||
		fmt.Sprint(up.Get(t, "data.permissions")) != "map[added:[c:d] declared:[a:b c:d] granted:[a:b] unknown:[a:b c:d]]" {
		t.Errorf("upgrade = %d %s", up.Status, up.Body)
	}
	wantVersion(t, a, "1.10.0!")
	for _, want := range []string{"1.0.0", "1.10.0", "1.0.0"} {
		back := a.Do(t, post(admin, worker+"/rollback"))
		if back.Status != http.StatusOK || back.Text(t, "data.version") != want ||
			back.Text(t, "data.previousVersion") == want {
			t.Errorf("rollback = %d %s", back.Status, back.Body)
		}
		wantVersion(t, a, want+"!")
	}
	stop()
	callers.Wait()
	if answered.Load() < 20 {
		t.Errorf("only %d calls were answered meanwhile", answered.Load())
	}
	want := []string{"plugin.install", "plugin.upgrade", "plugin.rollback", "plugin.rollback", "plugin.rollback"}
	if isolation == "shared" {
		want = slices.Insert(want, 1, "plugin.update")
	}
	if got := actions(t, a, admin); !slices.Equal(got, want) {
		t.Errorf("audit log: %q", got)
	}
}

// actions are the recorded actions about packages, oldest first.
func actions(tb testing.TB, a *testkit.App, admin string) []string {
	tb.Helper()
	var list []string
	for _, e := range a.Do(tb, testkit.Get(admin, "/api/v1/admin/audit?limit=100")).Get(tb, "data.items").([]any) {
		if action := e.(map[string]any)["action"].(string); strings.HasPrefix(action, "plugin.") {
			list = append(list, action)
		}
	}
	slices.Reverse(list)
	return list
}

// An upgrade that does not work changes nothing and says why.
func TestAnUpgradeThatFailsLeavesTheOldVersion(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime, testkit.SoonUnhealthy)
	admin := a.Admin(t, "root").Access
	a.Install(t, admin, "plugin", version(t, "1.0.0", nil))
	wantVersion(t, a, "1.0.0")
	files := packageFolders(t, a)
	before := a.Do(t, testkit.Get(admin, worker)).Body
	broken := versionWith(t, "1.1.0", nil, "module.exports = async () => {\n  throw new Error('no way')\n}\n")
	res := a.Install(t, admin, "plugin", broken)
	testkit.WantError(t, res, http.StatusUnprocessableEntity, "UPGRADE_FAILED")
	wantLastError(t, res, "file:index.js line:2 message:Error: no way")
	nothing := versionWith(t, "1.1.0", nil, "throw Object.assign(new Error('no place'), { stack: '' })\n")
	res = a.Install(t, admin, "plugin", nothing)
	testkit.WantError(t, res, http.StatusUnprocessableEntity, "UPGRADE_FAILED")
	wantLastError(t, res, "file:index.js message:Error: no place")
	sick := versionWith(t, "1.1.0", nil, "module.exports = async (app) => {\n"+
		"  app.get('/health', async (_, reply) => reply.code(503).send('no database'))\n}\n")
	res = a.Install(t, admin, "plugin", sick)
	testkit.WantError(t, res, http.StatusUnprocessableEntity, "UPGRADE_FAILED")
	if got := fmt.Sprint(res.Get(t, "error.details.lastError")); !strings.Contains(got, "503: no database") {
		t.Errorf("lastError = %s", got)
	}
	needy := version(t, "1.1.0", map[string]any{"configSchema": map[string]any{
		"token": map[string]any{"type": "secret", "required": true},
	}})
	res = a.Install(t, admin, "plugin", needy)
	testkit.WantError(t, res, http.StatusUnprocessableEntity, "UPGRADE_FAILED")
	if got := testkit.IssuePaths(t, res); got != "instances.default.config.token" {
		t.Errorf("issues = %q", got)
	}
	testkit.WantError(t, a.Do(t, post(admin, worker+"/rollback")), http.StatusConflict, "CONFLICT")
	wantVersion(t, a, "1.0.0")
	if after := a.Do(t, testkit.Get(admin, worker)).Body; string(after) != string(before) {
		t.Errorf("the package changed:\n%s\n%s", before, after)
	}
	if got := packageFolders(t, a); !slices.Equal(got, files) {
		t.Errorf("files = %q, want %q", got, files)
	}
	// With the value it needs, it upgrades.
	id := a.Do(t, testkit.Get(admin, worker+"/instances")).Get(t,
		"data.items").([]any)[0].(map[string]any)["installationId"]
	a.Do(t, changeInstance(admin, id.(string), map[string]any{"config": map[string]any{"token": "x"}}))
	if res := a.Install(t, admin, "plugin", needy); res.Status != http.StatusOK {
		t.Errorf("upgrade = %d %s", res.Status, res.Body)
	}
	wantVersion(t, a, "1.1.0")
}

// wantLastError wants a lastError with a time of now and these other fields.
func wantLastError(t *testing.T, res testkit.Response, want string) {
	t.Helper()
	got, _ := res.Get(t, "error.details.lastError").(map[string]any)
	text, _ := got["at"].(string)
	at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
	if err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("at = %q, want the time of the failure: %v", text, err)
	}
	delete(got, "at")
	if got := fmt.Sprint(got); got != "map["+want+"]" {
		t.Errorf("lastError = %s, want %s", got, want)
	}
}

// A typo is corrected under the same version, but only on request.
// What was granted to a version is neither shown nor passed on while the version after it
// does not declare it, and needs consent again when a third one does.
func TestAPermissionThatComesBackNeedsConsentAgain(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		install := func(number string, permissions ...string) testkit.Response {
			t.Helper()
			m := testkit.ExternalManifest("echo", "http://127.0.0.1:1")
			m["version"], m["permissions"] = number, permissions
			res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, m, nil))
			if res.Status >= 300 {
				t.Fatalf("install %s: %d %s", number, res.Status, res.Body)
			}
			return res
		}
		want := func(what string, got any, list ...string) {
			t.Helper()
			if fmt.Sprint(got) != fmt.Sprint(list) {
				t.Errorf("%s: %v, want %v", what, got, list)
			}
		}
		at := "/api/v1/admin/plugins/echo/instances"
		res := install("1.0.0", "orders:read", "users:read")
		id := res.Text(t, "data.defaultInstance.installationId")
		granted := func() any { return a.Do(t, testkit.Get(admin, at+"/"+id)).Get(t, "data.grantedPermissions") }
		a.Do(t, testkit.Patch(admin, at+"/"+id, map[string]any{"enabled": false})) // nothing is probed

		want("the second version", install("2.0.0", "users:read").Get(t, "data.permissions.granted"), "users:read")
		want("the instance then", granted(), "users:read")
		res = a.Do(t, testkit.Post(admin, at, map[string]any{"instanceKey": "second", "enabled": false}))
		want("a new instance", res.Get(t, "data.grantedPermissions"), "users:read")
		second := res.Text(t, "data.installationId")
		a.Do(t, post(admin, "/api/v1/admin/plugins/echo/rollback"))
		want("after a rollback", granted(), "orders:read", "users:read")
		want("the new instance after a rollback",
			a.Do(t, testkit.Get(admin, at+"/"+second)).Get(t, "data.grantedPermissions"), "users:read")

		install("2.0.1", "users:read")
		res = install("3.0.0", "orders:read", "users:read")
		want("the third version adds", res.Get(t, "data.permissions.added"), "orders:read")
		want("the third version", res.Get(t, "data.permissions.granted"), "users:read")
		want("the instance in the end", granted(), "users:read")
	})
}

func TestReplaceTheSameVersionWhileDeveloping(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin := a.Admin(t, "root").Access
	a.Install(t, admin, "plugin", version(t, "1.0.0", nil))
	other := version(t, "1.0.0", map[string]any{"name": "Other"})
	testkit.WantError(t, a.Install(t, admin, "plugin", other), http.StatusConflict, "VERSION_CONFLICT")
	replace := func(archive []byte, query string) testkit.Response {
		return a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/plugin/install?" + query, Token: admin, Body: archive,
			Header: http.Header{"Content-Type": {"application/zip"}},
		})
	}
	testkit.WantError(t, replace(other, "replace=perhaps"), http.StatusBadRequest, "VALIDATION_ERROR")
	testkit.WantError(t, replace(other, "replace=false"), http.StatusConflict, "VERSION_CONFLICT")
	testkit.WantError(t, replace(version(t, "0.9.9", nil), "replace=true"), http.StatusConflict, "VERSION_CONFLICT")
	res := replace(other, "replace=true")
	if res.Status != http.StatusOK || res.Text(t, "data.name") != "Other" ||
		strings.Contains(string(res.Body), "previousVersion") {
		t.Errorf("replace = %d %s", res.Status, res.Body)
	}
	if res := replace(other, "replace=true"); res.Get(t, "data.duplicate") != true {
		t.Errorf("again = %d %s", res.Status, res.Body)
	}
	testkit.WantError(t, a.Do(t, post(admin, worker+"/rollback")), http.StatusConflict, "CONFLICT")
	if got := actions(t, a, admin); !slices.Equal(got, []string{"plugin.install", "plugin.replace"}) {
		t.Errorf("audit log: %q", got)
	}
}

// A slug is no dead end: what was uninstalled can be brought back, or removed for good.
func TestUninstallRestoreAndPurge(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		uninstall := func(query string) testkit.Response {
			return a.Do(t, testkit.Delete(admin, worker+query))
		}
		external := func(number, name string) []byte {
			return testkit.ExternalPlugin(t, "worker", map[string]any{"version": number, "name": name})
		}
		testkit.WantError(t, a.Do(t, post(admin, worker+"/restore")), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, uninstall("?purge=true"), http.StatusNotFound, "NOT_FOUND")
		first := a.Install(t, admin, "plugin", external("1.0.0", "First"))
		id := first.Text(t, "data.defaultInstance.installationId")
		second := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: worker + "/instances", Token: admin, Body: map[string]any{"instanceKey": "second"},
		}).Text(t, "data.installationId")
		if res := uninstall(""); res.Status != http.StatusOK {
			t.Fatalf("uninstall = %d %s", res.Status, res.Body)
		}
		for _, archive := range [][]byte{external("1.0.0", "First"), external("2.0.0", "Second")} {
			res := a.Install(t, admin, "plugin", archive)
			testkit.WantError(t, res, http.StatusConflict, "CONFLICT")
			if !strings.Contains(res.Text(t, "error.message"), "/restore") {
				t.Errorf("message = %s", res.Body)
			}
		}
		testkit.WantError(t, a.Do(t, post(admin, worker+"/rollback")), http.StatusNotFound, "NOT_FOUND")
		for range 2 { // the second changes nothing
			res := a.Do(t, post(admin, worker+"/restore"))
			if res.Status != http.StatusOK || res.Text(t, "data.defaultInstance.installationId") != id ||
				res.Get(t, "data.defaultInstance.enabled") != true {
				t.Errorf("restore = %d %s", res.Status, res.Body)
			}
		}
		other := a.Do(t, testkit.Get(admin, worker+"/instances/"+second))
		if other.Status != http.StatusOK || other.Get(t, "data.enabled") != false {
			t.Errorf("other instance = %d %s", other.Status, other.Body)
		}

		uninstall("")
		testkit.WantError(t, uninstall("?purge=yes"), http.StatusBadRequest, "VALIDATION_ERROR")
		if res := uninstall("?purge=true"); res.Status != http.StatusOK {
			t.Errorf("purge = %d %s", res.Status, res.Body)
		}
		if got := packageFolders(t, a); len(got) != 0 {
			t.Errorf("files stay behind: %q", got)
		}
		testkit.WantError(t, a.Do(t, post(admin, worker+"/restore")), http.StatusNotFound, "NOT_FOUND")
		again := a.Install(t, admin, "plugin", external("0.1.0", "Anything"))
		if again.Status != http.StatusCreated || again.Text(t, "data.defaultInstance.installationId") == id {
			t.Errorf("install = %d %s", again.Status, again.Body)
		}
		want := []string{"install", "uninstall", "restore", "uninstall", "purge", "install"}
		if got := actions(t, a, admin); strings.Join(got, " ") != "plugin."+strings.Join(want, " plugin.") {
			t.Errorf("audit log: %q", got)
		}
	})
}

// The installed archive can be downloaded, and the state of each file is listed.
func TestFilesThatWereTamperedWithAreTold(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	m := testkit.ExternalManifest("worker", "https://plugin.example")
	data := testkit.PluginArchive(t, m, map[string]string{"a.js": "one", "b/c.css": "two", "d.html": "three"})
	place := filepath.Join(a.DataDir, a.Install(t, admin, "plugin", data).Text(t, "data.installPath"))
	download := a.DoUnchecked(t, testkit.Get(admin, extensions+"/plugin/worker/archive"))
	sum := sha256.Sum256(data)
	if string(download.Body) != string(data) || download.Header.Get("Content-Type") != "application/zip" ||
		download.Header.Get("Etag") != `"`+hex.EncodeToString(sum[:])+`"` ||
		!strings.Contains(download.Header.Get("Content-Disposition"), "worker-1.0.0.zip") {
		t.Errorf("download = %d %v", download.Status, download.Header)
	}
	list := func() string {
		var got []string
		for _, f := range a.Do(t, testkit.Get(admin, extensions+"/plugin/worker/files")).Get(t, "data.items").([]any) {
			file := f.(map[string]any)
			if file["intact"] != (file["state"] == "intact") {
				t.Errorf("file = %v", file)
			}
			got = append(got, file["path"].(string)+" "+file["state"].(string))
		}
		return strings.Join(got, ", ")
	}
	if got := list(); got != "a.js intact, b/c.css intact, d.html intact, manifest.json intact" {
		t.Errorf("files = %s", got)
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(place, "a.js"), []byte("evil"), 0o600), os.Remove(filepath.Join(place, "d.html")),
		os.WriteFile(filepath.Join(place, "b", "new.js"), nil, 0o600),
		os.Symlink("/etc/passwd", filepath.Join(place, "link.js")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := "a.js changed, b/c.css intact, b/new.js added, d.html missing, link.js added, manifest.json intact"
	if got := list(); got != want {
		t.Errorf("files = %s\nwant %s", got, want)
	}
	if err := os.WriteFile(place+".zip", []byte("another archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, a.Do(t, testkit.Get(admin, extensions+"/plugin/worker/files")), http.StatusNotFound, "NOT_FOUND")
}

// Upgrades of one slug at the same moment, through several processes' worth of
// requests: one after the other or refused, and what is installed is one of them whole.
func TestUpgradesInParallel(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		archive := func(n int) []byte {
			return testkit.ExternalPlugin(t, "worker", map[string]any{"version": fmt.Sprintf("1.%d.0", n)})
		}
		id := a.Install(t, admin, "plugin", archive(0)).Text(t, "data.defaultInstance.installationId")
		a.Do(t, changeInstance(admin, id, map[string]any{"enabled": false})) // nothing to be tried
		var all sync.WaitGroup
		for n := 1; n <= 6; n++ {
			all.Go(func() {
				res := a.Install(t, admin, "plugin", archive(n))
				if res.Status != http.StatusOK && res.Status != http.StatusConflict {
					t.Errorf("1.%d.0: %d %s", n, res.Status, res.Body)
				}
			})
		}
		all.Wait()
		now := a.Do(t, testkit.Get(admin, worker))
		place, number := now.Text(t, "data.installPath"), now.Text(t, "data.version")
		if number == "1.0.0" || !strings.Contains(place, "/"+number+"-") {
			t.Errorf("installed = %s at %s", number, place)
		}
		files := a.Do(t, testkit.Get(admin, extensions+"/plugin/worker/files"))
		if files.Status != http.StatusOK || strings.Contains(string(files.Body), `"intact":false`) {
			t.Errorf("files = %d %s", files.Status, files.Body)
		}
		if back := a.Do(t, post(admin, worker+"/rollback")); back.Status != http.StatusOK ||
			back.Text(t, "data.previousVersion") != number {
			t.Errorf("rollback = %d %s", back.Status, back.Body)
		}
	})
}
