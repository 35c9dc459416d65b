package extension_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit"
)

// payArchive is an external plugin with everything that a manifest says about its author, and its hash.
func payArchive(t *testing.T) (data []byte, hash string) {
	t.Helper()
	data = testkit.ExternalPlugin(t, "pay", map[string]any{
		"author": "A", "authorUrl": "https://a.example", "description": "D", "category": "payment",
		"permissions": []string{"orders:read", "orders:write"},
		"x-own":       true, "lifecycle": map[string]bool{"onInstall": true},
	})
	sum := sha256.Sum256(data)
	return data, hex.EncodeToString(sum[:])
}

// answered returns the package that an install answered. It leaves out lifecycleWarning: the hook cannot
// be delivered to this plugin, and may have been tried by now.
func answered(t *testing.T, res testkit.Response) map[string]any {
	t.Helper()
	data := res.Get(t, "data").(map[string]any)
	delete(data["defaultInstance"].(map[string]any), "lifecycleWarning")
	return data
}

// wantPay is what the install of payArchive answers, with the ids and the manifest that were answered.
func wantPay(got map[string]any, hash string) map[string]any {
	const at = "2030-03-01T12:00:00.000Z"
	instance := got["defaultInstance"].(map[string]any)
	return map[string]any{
		"id": got["id"], "kind": "plugin", "slug": "pay", "name": "Plugin pay",
		"version": "1.0.0", "author": "A", "authorUrl": "https://a.example",
		"description": "D", "category": "payment",
		"runtimeType": "external-http", "externalBaseUrl": "https://plugin.example",
		"source": "local-zip", "installPath": "plugins/pay/1.0.0-" + hash[:8],
		"zipHash": hash, "manifestJson": got["manifestJson"], "installedAt": at, "updatedAt": at,
		"permissions": map[string]any{
			"declared": []any{"orders:read", "orders:write"},
			"granted":  []any{"orders:read", "orders:write"}, "added": []any{},
			"unknown": []any{"orders:write"},
		},
		"defaultInstance": map[string]any{
			"installationId": instance["installationId"],
			"pluginSlug":     "pay", "instanceKey": "default", "enabled": true, "config": nil,
			"configMeta":         map[string]any{"secretFields": map[string]any{}},
			"grantedPermissions": []any{"orders:read", "orders:write"},
			"unknownPermissions": []any{"orders:write"},
			"runtime":            map[string]any{"state": "unknown", "since": at},
			"createdAt":          at, "updatedAt": at,
		},
	}
}

func TestInstallAnswersThePackage(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		data, hash := payArchive(t)
		res := a.Install(t, a.Admin(t, "root").Access, "plugin", data)
		if res.Status != http.StatusCreated {
			t.Fatalf("status %d\n%s", res.Status, res.Body)
		}
		got := answered(t, res)
		var manifest map[string]any
		if err := json.Unmarshal([]byte(got["manifestJson"].(string)), &manifest); err != nil ||
			manifest["x-own"] != true {
			t.Errorf("manifestJson = %v, %v; want it with unknown fields", got["manifestJson"], err)
		}
		if diff := cmp.Diff(wantPay(got, hash), got); diff != "" {
			t.Errorf("data (-want +got):\n%s", diff)
		}
	})
}

func TestTheSameArchiveAgainIsADuplicate(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		data, hash := payArchive(t)
		want := wantPay(answered(t, a.Install(t, admin, "plugin", data)), hash)
		want["duplicate"] = true
		body, header := testkit.Form(t, data)
		for name, req := range map[string]testkit.Request{
			"bare": {
				Method: http.MethodPost, Path: extensions + "/plugin/install",
				Token: admin, Body: data, Header: http.Header{"Content-Type": {"application/zip"}},
			},
			"multipart": {
				Method: http.MethodPost, Path: extensions + "/plugin/install", Token: admin, Body: body, Header: header,
			},
		} {
			res := a.Do(t, req)
			if diff := cmp.Diff(want, answered(t, res)); diff != "" || res.Status != http.StatusOK {
				t.Errorf("%s again: status %d, data (-want +got):\n%s", name, res.Status, diff)
			}
		}
	})
}

func TestAnInstalledPackageIsShown(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		data, hash := payArchive(t)
		want := wantPay(answered(t, a.Install(t, admin, "plugin", data)), hash)
		delete(want, "defaultInstance")
		want["permissions"] = `["orders:read","orders:write"]`
		want["unknownPermissions"], want["license"] = []any{"orders:write"}, nil
		one := a.Do(t, testkit.Get(admin, extensions+"/plugin/pay")).Get(t, "data").(map[string]any)
		if diff := cmp.Diff(want, one); diff != "" {
			t.Errorf("package (-want +got):\n%s", diff)
		}
		one["settings"] = map[string]any{
			"allowCookies": false, "allowAuthorization": false, "allowCors": false, "allowSameOrigin": false,
			"isolation": "instance", "keepRunning": false, "startTimeoutMs": nil, "timeoutMs": nil,
			"memoryMb": nil, "maxConcurrency": nil, "environment": []any{},
		}
		if diff := cmp.Diff(one, a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/pay")).Get(t, "data")); diff != "" {
			t.Errorf("the same under /plugins (-extension +plugin):\n%s", diff)
		}
	})
}

func TestInstallPutsTheFilesInPlace(t *testing.T) {
	t.Parallel()

	var dir string
	a := testkit.New(t, dataDir(&dir))
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin",
		testkit.PluginArchive(t, testkit.InternalManifest("hello", "dist/index.js"), map[string]string{
			"dist/index.js": "module.exports = 1", "assets/site.css": "a{}",
		}))
	place := filepath.Join(dir, filepath.FromSlash(res.Text(t, "data.installPath")))
	for name, want := range map[string]string{"dist/index.js": "module.exports = 1", "assets/site.css": "a{}"} {
		if got, err := os.ReadFile(filepath.Join(place, name)); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, sub := range []string{"tmp", "plugins/.tmp-*"} {
		if left, _ := filepath.Glob(filepath.Join(dir, sub, "*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, user := a.Admin(t, "root").Access, a.Register(t, "ada").Access
	good := testkit.ExternalPlugin(t, "pay", nil)
	oneFile, oneHeader := testkit.Form(t, good)
	twoFiles, twoHeader := testkit.Form(t, good, good)
	noFile, noHeader := testkit.Form(t)
	zip := http.Header{"Content-Type": {"application/zip"}}
	tests := []struct {
		name   string
		kind   string
		token  string
		body   []byte
		header http.Header
		status int
		code   string
	}{
		{"a guest", "plugin", "", good, zip, http.StatusUnauthorized, "UNAUTHORIZED"},
		{"a user", "plugin", user, good, zip, http.StatusForbidden, "FORBIDDEN"},
		{"a token of nobody", "plugin", "x.y.z", good, zip, http.StatusUnauthorized, "UNAUTHORIZED"},
		{"a plugin as a theme", "theme-shop", admin, good, zip, http.StatusBadRequest, "INVALID_MANIFEST"},
		{"a plugin as an admin theme", "theme-admin", admin, good, zip, http.StatusBadRequest, "INVALID_MANIFEST"},
		{"a plugin as a bundle", "bundle", admin, good, zip, http.StatusBadRequest, "INVALID_MANIFEST"},
		{"a plugin as a theme app", "theme-app-shop", admin, good, zip, http.StatusBadRequest, "INVALID_MANIFEST"},
		{"a plugin as an admin theme app", "theme-app-admin", admin, good, zip, http.StatusBadRequest, "INVALID_MANIFEST"},
		{"an unknown kind", "widget", admin, good, zip, http.StatusNotFound, "NOT_FOUND"},
		{
			"JSON", "plugin", admin, []byte(`{}`),
			http.Header{"Content-Type": {"application/json"}},
			http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE",
		},
		{
			"no type", "plugin", admin, good,
			http.Header{"Content-Type": {""}},
			http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE",
		},
		{
			"a form without boundary", "plugin", admin, oneFile,
			http.Header{"Content-Type": {"multipart/form-data"}},
			http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE",
		},
		{"a form without file", "plugin", admin, noFile, noHeader, http.StatusBadRequest, "VALIDATION_ERROR"},
		{"a form with two files", "plugin", admin, twoFiles, twoHeader, http.StatusBadRequest, "VALIDATION_ERROR"},
		{
			"half a form", "plugin", admin, oneFile[:len(oneFile)/2],
			oneHeader, http.StatusBadRequest, "VALIDATION_ERROR",
		},
		{"nothing", "plugin", admin, nil, zip, http.StatusBadRequest, "INVALID_ARCHIVE"},
		{"no archive", "plugin", admin, []byte("hello"), zip, http.StatusBadRequest, "INVALID_ARCHIVE"},
		{"half an archive", "plugin", admin, good[:len(good)-9], zip, http.StatusBadRequest, "INVALID_ARCHIVE"},
		{
			"a bad manifest", "plugin", admin,
			testkit.ExternalPlugin(t, "pay", map[string]any{"version": "1", "name": 1}),
			zip, http.StatusBadRequest, "INVALID_MANIFEST",
		},
		{
			"a reserved slug", "plugin", admin, testkit.ExternalPlugin(t, "install", nil),
			zip, http.StatusBadRequest, "INVALID_MANIFEST",
		},
	}
	for _, tt := range tests { // not in parallel: what they leave is looked at below
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/" + tt.kind + "/install",
			Token: tt.token, Body: tt.body, Header: tt.header,
		})
		if res.Status != tt.status || res.Text(t, "error.code") != tt.code {
			t.Errorf("%s: answer = %d %s, want %d %s", tt.name, res.Status, res.Body, tt.status, tt.code)
		}
	}
	res := a.Do(t, testkit.Get(admin, extensions))
	if n := len(res.Get(t, "data.items").([]any)); n != 0 {
		t.Errorf("%d packages are installed, want none\n%s", n, res.Body)
	}
}

func TestInstallNamesTheFault(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin",
		testkit.Archive(t, testkit.Entry{Name: "manifest.json", Body: "{}"}, testkit.Entry{Name: "../evil.js"},
			testkit.Entry{Name: "LICENSE"}))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_ARCHIVE")
	issues := res.Get(t, "error.details.issues").([]any)
	if len(issues) != 2 || issues[0].(map[string]any)["entry"] != "../evil.js" ||
		issues[1].(map[string]any)["entry"] != "LICENSE" || !strings.HasPrefix(res.Text(t, "error.message"), "../evil.js: ") {
		t.Errorf("answer = %s, want both entries", res.Body)
	}

	res = a.Install(t, admin, "plugin",
		testkit.ExternalPlugin(t, "Pay", map[string]any{"version": "v1", "permissions": 1}))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_MANIFEST")
	var paths []string
	for _, is := range res.Get(t, "error.details.issues").([]any) {
		paths = append(paths, is.(map[string]any)["path"].(string))
	}
	if diff := cmp.Diff([]string{"slug", "version", "permissions"}, paths); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
}

func TestInstallLimitsTheUpload(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	testkit.WantError(t, a.Install(t, admin, "plugin", make([]byte, plugin.MaxArchive)), http.StatusBadRequest,
		"INVALID_ARCHIVE")
	testkit.WantError(t, a.Install(t, admin, "plugin", make([]byte, plugin.MaxArchive+1)),
		http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	for _, over := range []int{1, 2 << 20} { // found by the archive's limit, and by the form's
		body, header := testkit.Form(t, make([]byte, plugin.MaxArchive+over))
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/plugin/install", Token: admin, Body: body, Header: header,
		})
		testkit.WantError(t, res, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	}
}

func TestInstallOverAnother(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "pay", map[string]any{"version": "1.10.0"}))
		for _, version := range []string{"1.10.0", "1.9.0"} {
			res := a.Install(t, admin, "plugin",
				testkit.ExternalPlugin(t, "pay", map[string]any{"version": version, "name": "Other"}))
			testkit.WantError(t, res, http.StatusConflict, "VERSION_CONFLICT")
			if got := res.Text(t, "error.details.installedVersion"); got != "1.10.0" {
				t.Errorf("%s: details.installedVersion = %q", version, got)
			}
		}
		if got := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/pay")).Text(t, "data.name"); got != "Plugin pay" {
			t.Errorf("name = %q; the first package was changed", got)
		}
	})
}

// The default instance of a plugin that lacks required config is not enabled.
func TestInstallLeavesDisabledWhatLacksConfig(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	res := a.Install(t, a.Admin(t, "root").Access, "plugin", testkit.ExternalPlugin(t, "pay", map[string]any{
		"configSchema": map[string]any{
			"apiKey": map[string]any{"type": "secret", "required": true}, "note": map[string]any{"type": "string"},
		},
	}))
	if res.Status != http.StatusCreated || res.Get(t, "data.defaultInstance.enabled") != false {
		t.Errorf("status %d, enabled %v; want 201 and false", res.Status, res.Get(t, "data.defaultInstance.enabled"))
	}
	want := map[string]any{"secretFields": map[string]any{"apiKey": map[string]any{"configured": false}}}
	if diff := cmp.Diff(want, res.Get(t, "data.defaultInstance.configMeta")); diff != "" {
		t.Errorf("configMeta (-want +got):\n%s", diff)
	}
}

// One of many parallel installs of a slug wins. For the others the same archive
// is a duplicate and another one a conflict; in the end there is one package
// and one folder.
func TestInstallInParallel(t *testing.T) {
	t.Parallel()

	run := func(t *testing.T, other bool, options ...testkit.Option) {
		var dir string
		a := testkit.New(t, append(options, dataDir(&dir))...)
		admin := a.Admin(t, "root").Access
		const clients = 6
		answers := make([]testkit.Response, clients)
		var wg sync.WaitGroup
		for i := range answers {
			changes := map[string]any{}
			if other {
				changes["description"] = strings.Repeat("x", i+1)
			}
			data := testkit.ExternalPlugin(t, "race", changes)
			wg.Go(func() { answers[i] = a.Install(t, admin, "plugin", data) })
		}
		wg.Wait()
		count := map[int]int{}
		for _, res := range answers {
			count[res.Status]++
			if res.Status == http.StatusConflict && res.Text(t, "error.code") != "VERSION_CONFLICT" {
				t.Errorf("answer = %s", res.Body)
			}
		}
		want := map[int]int{http.StatusCreated: 1, http.StatusOK: clients - 1}
		if other {
			want = map[int]int{http.StatusCreated: 1, http.StatusConflict: clients - 1}
		}
		if diff := cmp.Diff(want, count); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		for pattern, want := range map[string]int{
			"plugins/race/*.zip": 1, "plugins/race/*": 2, "plugins/*": 1,
			"plugins/.*": 0, "tmp/*": 0,
		} {
			if got, _ := filepath.Glob(filepath.Join(dir, pattern)); len(got) != want {
				t.Errorf("%s: %q, want %d", pattern, got, want)
			}
		}
		res := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/race"))
		if _, err := os.Stat(filepath.Join(dir, res.Text(t, "data.installPath"), "manifest.json")); err != nil {
			t.Errorf("the package's files: %v", err)
		}
	}
	t.Run("same archive, SQLite", func(t *testing.T) { t.Parallel(); run(t, false) })
	t.Run("same archive, PostgreSQL", func(t *testing.T) { t.Parallel(); run(t, false, testkit.OnPostgres) })
	t.Run("other archives, SQLite", func(t *testing.T) { t.Parallel(); run(t, true) })
	t.Run("other archives, PostgreSQL", func(t *testing.T) { t.Parallel(); run(t, true, testkit.OnPostgres) })
}
