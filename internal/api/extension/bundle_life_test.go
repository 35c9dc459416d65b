package extension_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
	"stoa/internal/testkit"
)

func remove(token, path string) testkit.Request {
	return testkit.Request{Method: http.MethodDelete, Path: path, Token: token}
}

// instanceOf returns an instance of the plugin pay by its key.
func instanceOf(tb testing.TB, a *testkit.App, admin, key string) object {
	tb.Helper()
	for _, item := range a.Do(tb, testkit.Get(admin, testkit.PayInstances)).Get(tb, "data.items").([]any) {
		if in := item.(object); in["instanceKey"] == key {
			return in
		}
	}
	tb.Fatalf("there is no instance %s", key)
	return nil
}

func mustInstall(tb testing.TB, a *testkit.App, admin, kind string, archive []byte, want int) testkit.Response {
	tb.Helper()
	res := a.Install(tb, admin, kind, archive)
	if res.Status != want {
		tb.Fatalf("install of a %s = %d %s", kind, res.Status, res.Body)
	}
	return res
}

// installedNow are all installed extensions.
func installedNow(tb testing.TB, a *testkit.App, admin string) string {
	tb.Helper()
	var list []string
	for _, item := range a.Do(tb, testkit.Get(admin, extensions)).Get(tb, "data.items").([]any) {
		i := item.(object)
		list = append(list, fmt.Sprint(i["kind"], " ", i["slug"], " ", i["version"]))
	}
	return strings.Join(list, ", ")
}

// An upgrade of a bundle upgrades its items. What an administrator has set stays.
func TestABundleUpgradesItsItems(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		first := starterBundle(t, "1.0.0", object{"instanceKey": "default", "config": object{"apiKey": "one", "limit": 1}},
			object{"instanceKey": "eu", "enabled": false, "config": object{"apiKey": "eu"}})
		mustInstall(t, a, admin, "bundle", first, http.StatusCreated)
		before := instanceOf(t, a, admin, "default")
		change := testkit.PayInstances + "/" + before["installationId"].(string)
		if res := a.Do(t, testkit.Request{
			Method: http.MethodPatch, Path: change, Token: admin,
			Body: object{"config": object{"apiKey": "", "limit": 7}, "grantedPermissions": []string{}, "enabled": false},
		}); res.Status != http.StatusOK {
			t.Fatalf("change = %d %s", res.Status, res.Body)
		}
		second := starterBundle(t, "1.1.0",
			object{"instanceKey": "default", "enabled": true, "config": object{"apiKey": "two", "limit": 2, "region": "eu"}},
			object{"instanceKey": "us", "enabled": false})
		res := mustInstall(t, a, admin, "bundle", second, http.StatusOK)
		if got := results(t, res, "data.items"); got != "plugin pay 1.1.0 upgraded, theme-shop aurora 1.1.0 upgraded" ||
			res.Get(t, "data.previousVersion") != "1.0.0" {
			t.Errorf("upgrade = %s", res.Body)
		}
		got := instanceOf(t, a, admin, "default")
		if diff := cmp.Diff(object{"apiKey": "", "limit": 7.0, "region": "eu"}, got["config"]); diff != "" {
			t.Errorf("config (-want +got):\n%s", diff)
		}
		if got["enabled"] != false || fmt.Sprint(got["grantedPermissions"]) != "[]" ||
			got["installationId"] != before["installationId"] {
			t.Errorf("default = %v", got)
		}
		us := instanceOf(t, a, admin, "us") // with the permissions of the default instance
		if us["enabled"] != false || fmt.Sprint(us["grantedPermissions"]) != "[]" {
			t.Errorf("us = %v", us)
		}
		instanceOf(t, a, admin, "eu")
		if got := themeVersions(t, a.Do(t, testkit.Get(admin, aurora))); got != "1.1.0* 1.0.0" {
			t.Errorf("aurora = %s", got)
		}
		testkit.WantError(t, a.Install(t, admin, "bundle", first), http.StatusConflict, "VERSION_CONFLICT")
		if now := a.Do(t, testkit.Get(admin, starter)); now.Text(t, "data.version") != "1.1.0" ||
			results(t, now, "data.items") != results(t, res, "data.items") {
			t.Errorf("bundle = %s", now.Body)
		}
		// The same version, while developing.
		again := testkit.Bundle(t, testkit.BundleManifest("starter", "1.1.0", object{"kind": "plugin", "path": "pay.zip"}),
			map[string][]byte{"pay.zip": pay(t, "1.2.0")})
		testkit.WantError(t, a.Install(t, admin, "bundle", again), http.StatusConflict, "VERSION_CONFLICT")
		if res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/bundle/install?replace=true", Token: admin, Body: again,
			Header: http.Header{"Content-Type": {"application/zip"}},
		}); res.Status != http.StatusOK || results(t, res, "data.items") != "plugin pay 1.2.0 upgraded" {
			t.Errorf("replace = %d %s", res.Status, res.Body)
		}
		// It no longer has the theme, but installed both versions.
		a.Do(t, post(admin, "/api/v1/admin/themes/shop/deactivate"))
		gone := a.Do(t, remove(admin, starter+"?items=true"))
		if got := results(t, gone, "data.removed"); got != "theme-shop aurora 1.0.0 installed, "+
			"theme-shop aurora 1.1.0 upgraded, plugin pay 1.2.0 upgraded" || installedNow(t, a, admin) != "" {
			t.Errorf("removed = %s, left %s", got, installedNow(t, a, admin))
		}
	})
}

func TestAnUninstalledBundleLeavesItsItems(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	data := starterBundle(t, "1.0.0")
	mustInstall(t, a, admin, "bundle", data, http.StatusCreated)
	gone := a.Do(t, remove(admin, starter))
	if gone.Status != http.StatusOK || results(t, gone, "data.removed")+results(t, gone, "data.kept") != "" {
		t.Errorf("uninstall = %d %s", gone.Status, gone.Body)
	}
	if got := installedNow(t, a, admin); got != "plugin pay 1.0.0, theme-shop aurora 1.0.0" {
		t.Errorf("left = %s", got)
	}
	testkit.WantError(t, a.Do(t, remove(admin, starter)), http.StatusNotFound, "NOT_FOUND")
	testkit.WantError(t, a.Do(t, testkit.Get(admin, starter)), http.StatusNotFound, "NOT_FOUND")
	again := mustInstall(t, a, admin, "bundle", data, http.StatusCreated)
	if got := results(t, again, "data.items"); got != "plugin pay 1.0.0 duplicate, theme-shop aurora 1.0.0 duplicate" {
		t.Errorf("again = %s", got)
	}
	// They were there before it.
	if gone := a.Do(t, remove(admin, starter+"?items=true")); results(t, gone, "data.removed") != "" {
		t.Errorf("uninstall = %s", gone.Body)
	}
	testkit.WantError(t, a.Do(t, remove(admin, starter+"?items=maybe")), http.StatusBadRequest, "VALIDATION_ERROR")
}

func TestABundleTakesWhatItInstalledAlong(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	mail, chat := testkit.ExternalPlugin(t, "mail", nil), testkit.ExternalPlugin(t, "chat", nil)
	mustInstall(t, a, admin, "plugin", mail, http.StatusCreated)
	data := testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0", payItem(), auroraItem(),
		object{"kind": "plugin", "path": "mail.zip"}, object{"kind": "plugin", "path": "chat.zip"}),
		map[string][]byte{
			"items/pay.zip": pay(t, "1.0.0"), "items/aurora.zip": theme(t, "1.0.0", nil), "mail.zip": mail, "chat.zip": chat,
		})
	res := mustInstall(t, a, admin, "bundle", data, http.StatusCreated)
	if got := results(t, res, "data.items"); !strings.Contains(got, "plugin mail 1.0.0 duplicate") {
		t.Errorf("items = %s", got)
	}
	other := testkit.Bundle(t, testkit.BundleManifest("other", "1.0.0", object{"kind": "plugin", "path": "chat.zip"}),
		map[string][]byte{"chat.zip": chat})
	mustInstall(t, a, admin, "bundle", other, http.StatusCreated)
	// A version of the theme that an administrator installed.
	mustInstall(t, a, admin, "theme-shop", theme(t, "2.0.0", nil), http.StatusOK)

	all := installedNow(t, a, admin)
	testkit.WantError(t, a.Do(t, remove(admin, starter+"?items=true")), http.StatusConflict, "THEME_ACTIVE")
	if got := installedNow(t, a, admin); got != all {
		t.Errorf("refused, but left %s", got)
	}
	a.Do(t, post(admin, "/api/v1/admin/themes/shop/deactivate"))
	gone := a.Do(t, remove(admin, starter+"?items=true&purge=true"))
	if got, kept := results(t, gone, "data.removed"), results(t, gone, "data.kept"); gone.Status != http.StatusOK ||
		got != "theme-shop aurora 1.0.0 installed, plugin pay 1.0.0 installed" || kept != "plugin chat 1.0.0 installed" {
		t.Errorf("uninstall = %d %s", gone.Status, gone.Body)
	}
	want := "plugin chat 1.0.0, plugin mail 1.0.0, theme-shop aurora 2.0.0, bundle other 1.0.0"
	if got := installedNow(t, a, admin); got != want {
		t.Errorf("left = %s", got)
	}
	for _, name := range leftovers(t, a.DataDir) {
		if strings.Contains(name, "/pay/") || strings.Contains(name, "/aurora/1.0.0") {
			t.Errorf("%s is left", name)
		}
	}
	// The plugin chat is the other bundle's now.
	if gone := a.Do(t, remove(admin, extensions+"/bundle/other?items=true")); results(t, gone, "data.removed") !=
		"plugin chat 1.0.0 duplicate" {
		t.Errorf("uninstall = %s", gone.Body)
	}
}

// Bundles have events of their own, besides those of their items.
func TestEventsOfBundles(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	events := func() string {
		list, err := database.Texts(t.Context(), a.DB.Conn().Read,
			`SELECT type FROM events WHERE type LIKE 'extension.%' ORDER BY seq`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.DB.Conn().Write.ExecContext(t.Context(), `DELETE FROM events`); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(strings.Join(list, " "), "extension.", "")
	}
	steps := []struct {
		do   func()
		want string
	}{
		{
			func() { mustInstall(t, a, admin, "bundle", starterBundle(t, "1.0.0"), http.StatusCreated) },
			"installed installed installed",
		}, // plugin, theme, bundle
		{func() { mustInstall(t, a, admin, "bundle", starterBundle(t, "1.0.0"), http.StatusOK) }, ""},
		{
			func() { mustInstall(t, a, admin, "bundle", starterBundle(t, "1.1.0"), http.StatusOK) },
			"upgraded installed upgraded",
		}, // the theme's version stands beside the other
		{func() { a.Do(t, post(admin, "/api/v1/admin/themes/shop/deactivate")) }, ""},
		{
			func() { a.Do(t, remove(admin, starter+"?items=true&purge=true")) },
			"uninstalled uninstalled uninstalled",
		}, // the theme once, with its last version
	}
	for i, step := range steps {
		if step.do(); events() != step.want {
			t.Errorf("step %d: the events are not %q", i, step.want)
		}
	}
}

// A bundle brings back what was uninstalled with it, with its config.
func TestABundleRestoresItsItems(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		data := testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0", payItem(
			object{"instanceKey": "default", "config": object{"apiKey": "one", "limit": 1}})),
			map[string][]byte{"items/pay.zip": pay(t, "1.0.0")})
		mustInstall(t, a, admin, "bundle", data, http.StatusCreated)
		id := instanceOf(t, a, admin, "default")["installationId"]
		if gone := a.Do(t, remove(admin, starter+"?items=true")); results(t, gone, "data.removed") == "" {
			t.Fatalf("uninstall = %s", gone.Body)
		}
		res := mustInstall(t, a, admin, "bundle", data, http.StatusCreated)
		if in := instanceOf(t, a, admin, "default"); results(t, res, "data.items") != "plugin pay 1.0.0 installed" ||
			in["installationId"] != id || in["enabled"] != true {
			t.Errorf("again = %s, default = %v", res.Body, in)
		}
		// Removed by hand and installed by hand: not the bundle's any more.
		a.Do(t, remove(admin, extensions+"/plugin/pay?purge=true"))
		mustInstall(t, a, admin, "plugin", pay(t, "1.0.0"), http.StatusCreated)
		if gone := a.Do(t, remove(admin, starter+"?items=true")); results(t, gone, "data.removed") != "" {
			t.Errorf("uninstall = %s", gone.Body)
		}
		if got := installedNow(t, a, admin); got != "plugin pay 1.0.0" {
			t.Errorf("left = %s", got)
		}
	})
}

// The same bundle sent to two replicas at once is installed once, and different versions of
// it come one after the other.
func TestBundlesInParallel(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		admin := a.Admin(t, "root").Access
		data := starterBundle(t, "1.0.0", object{"instanceKey": "eu"})
		statuses := make([]int, 6)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() {
				at := []*testkit.App{a, b}[i%2]
				res := at.Install(t, admin, "bundle", data)
				if statuses[i] = res.Status; res.Status > http.StatusCreated {
					t.Logf("install = %d %s", res.Status, res.Body)
				}
			})
		}
		all.Wait()
		created := slices.DeleteFunc(slices.Clone(statuses), func(s int) bool { return s != http.StatusCreated })
		if len(created) != 1 || slices.Max(statuses) > http.StatusCreated {
			t.Errorf("statuses = %v", statuses)
		}
		if got := installedNow(t, b, admin); got != "plugin pay 1.0.0, theme-shop aurora 1.0.0, bundle starter 1.0.0" {
			t.Errorf("installed = %s", got)
		}
		var instances, entries int
		if err := db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM plugin_instances),
			(SELECT count(*) FROM audit_log WHERE action = 'bundle.install')`).Scan(&instances, &entries); err != nil {
			t.Fatal(err)
		}
		if instances != 2 || entries != 1 {
			t.Errorf("%d instances, %d entries in the audit log", instances, entries)
		}
	})
}

func TestABundleHonorsIdempotencyKeys(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	send := func(data []byte) testkit.Response {
		return a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/bundle/install", Token: admin, Body: data,
			Header: http.Header{"Content-Type": {"application/zip"}, "Idempotency-Key": {"one"}},
		})
	}
	data := starterBundle(t, "1.0.0")
	first, second := send(data), send(data)
	if first.Status != http.StatusCreated || second.Status != http.StatusCreated ||
		second.Header.Get("Idempotency-Replayed") != "true" || string(first.Body) != string(second.Body) {
		t.Errorf("first = %d %s, second = %d %s", first.Status, first.Body, second.Status, second.Body)
	}
	testkit.WantError(t, send(starterBundle(t, "2.0.0")), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
}

// A plugin that cannot be loaded is installed and disabled, as it would be by itself. A
// bundle that wants it enabled is refused.
func TestAPluginOfABundleThatCannotBeLoaded(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin := a.Admin(t, "root").Access
	broken := versionWith(t, "1.0.0", nil, "module.exports = async () => {\n  throw new Error('no way')\n}\n")
	bundle := func(instances ...object) []byte {
		return testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0", auroraItem(),
			object{"kind": "plugin", "path": "worker.zip", "instances": instances}),
			map[string][]byte{"worker.zip": broken, "items/aurora.zip": theme(t, "1.0.0", nil)})
	}
	res := a.Install(t, admin, "bundle", bundle(object{"instanceKey": "default", "enabled": true}))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_BUNDLE")
	issue := res.Get(t, "error.details.issues").([]any)[0].(object)
	if issue["path"] != "items[1].instances[0].enabled" || issue["code"] != "unhealthy" ||
		!strings.Contains(issue["message"].(string), "no way (index.js:2)") {
		t.Errorf("issue = %v", issue)
	}
	if got := installedNow(t, a, admin) + strings.Join(leftovers(t, a.DataDir), " "); got != "" {
		t.Errorf("left = %s", got)
	}
	mustInstall(t, a, admin, "bundle", bundle(object{"instanceKey": "eu"}), http.StatusCreated)
	for _, item := range a.Do(t, testkit.Get(admin, worker+"/instances")).Get(t, "data.items").([]any) {
		if in := item.(object); in["enabled"] != false {
			t.Errorf("instance = %v", in)
		}
	}
	// So it is when the bundle brings it back.
	a.Do(t, post(admin, "/api/v1/admin/themes/shop/deactivate"))
	a.Do(t, remove(admin, starter+"?items=true"))
	res = a.Install(t, admin, "bundle", bundle(object{"instanceKey": "us", "enabled": true}))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_BUNDLE")
	if got := testkit.IssuePaths(t, res); got != "items[1].instances[0].enabled" {
		t.Errorf("issues = %s", got)
	}
	mustInstall(t, a, admin, "bundle", bundle(object{"instanceKey": "us"}), http.StatusCreated)
	for _, item := range a.Do(t, testkit.Get(admin, worker+"/instances")).Get(t, "data.items").([]any) {
		if in := item.(object); in["enabled"] != false {
			t.Errorf("restored: instance = %v", in)
		}
	}
	// An upgrade that does not become healthy is a fault.
	mustInstall(t, a, admin, "plugin", version(t, "1.1.0", nil), http.StatusOK)
	id := a.Do(t, testkit.Get(admin, worker+"/instances")).Get(t, "data.items").([]any)[0].(object)["installationId"]
	a.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: worker + "/instances/" + id.(string), Token: admin, Body: object{"enabled": true},
	})
	sick := testkit.Bundle(t, testkit.BundleManifest("sick", "1.0.0", object{"kind": "plugin", "path": "worker.zip"}),
		map[string][]byte{"worker.zip": versionWith(t, "1.2.0", nil, "throw new Error('no way')\n")})
	res = a.Install(t, admin, "bundle", sick)
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_BUNDLE")
	if text := string(res.Body); !strings.Contains(text, "items[0].path") || !strings.Contains(text, "no way") {
		t.Errorf("answer = %s", text)
	}
	wantVersion(t, a, "1.1.0")
}
