package extension_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

type object = map[string]any

const starter = extensions + "/bundle/starter"

// pay is the archive of a plugin with a secret and a required field.
func pay(tb testing.TB, version string) []byte {
	tb.Helper()
	return testkit.ExternalPlugin(tb, "pay", object{
		"version": version, "permissions": []string{"orders:read", "orders:write"},
		"configSchema": object{
			"apiKey": object{"type": "secret", "required": true},
			"region": object{"type": "string"},
			"limit":  object{"type": "number"},
		},
	})
}

func payItem(instances ...object) object {
	return object{"kind": "plugin", "path": "items/pay.zip", "instances": instances}
}

func auroraItem() object {
	return object{"kind": "theme-shop", "path": "items/aurora.zip", "activate": true}
}

// starterBundle is a bundle with the plugin pay and the theme aurora.
func starterBundle(tb testing.TB, version string, instances ...object) []byte {
	tb.Helper()
	return testkit.Bundle(tb, testkit.BundleManifest("starter", version, payItem(instances...), auroraItem()),
		map[string][]byte{"items/pay.zip": pay(tb, version), "items/aurora.zip": theme(tb, version, nil)})
}

func results(tb testing.TB, res testkit.Response, at string) string {
	tb.Helper()
	var list []string
	for _, item := range res.Get(tb, at).([]any) {
		i := item.(object)
		line := fmt.Sprint(i["kind"], " ", i["slug"], " ", i["version"], " ", i["result"])
		list = append(list, line)
	}
	return strings.Join(list, ", ")
}

// leftovers are the files of packages below the data folder, without their names' hashes.
func leftovers(tb testing.TB, dir string) []string {
	tb.Helper()
	var list []string
	for _, folder := range []string{"plugins", "theme-shop", "theme-admin", "theme-app-shop", "bundles", "tmp"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				list = append(list, name)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			tb.Fatal(err)
		}
	}
	return list
}

func TestABundleInstallsAndSetsUpItsItems(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		data := starterBundle(t, "1.0.0",
			object{"instanceKey": "default", "config": object{"apiKey": "s3cret-1", "limit": 5}},
			object{"instanceKey": "eu", "config": object{"apiKey": "s3cret-2"}, "grantedPermissions": []string{"orders:read"}},
			object{"instanceKey": "draft"},
			object{"instanceKey": "off", "enabled": false, "config": object{"apiKey": "s3cret-3"}},
		)
		res := a.Install(t, admin, "bundle", data)
		if res.Status != http.StatusCreated {
			t.Fatalf("install = %d %s", res.Status, res.Body)
		}
		want := "plugin pay 1.0.0 installed, theme-shop aurora 1.0.0 installed"
		if got := results(t, res, "data.items"); got != want {
			t.Errorf("items = %s", got)
		}
		if strings.Contains(string(res.Body), "s3cret") {
			t.Errorf("the answer has secrets: %s", res.Body)
		}
		var kept object
		if err := json.Unmarshal([]byte(res.Text(t, "data.manifestJson")), &kept); err != nil || kept["slug"] != "starter" {
			t.Errorf("manifest = %v, %v", kept, err)
		}
		instances := a.Do(t, testkit.Get(admin, testkit.PayInstances))
		var got []string
		for _, item := range instances.Get(t, "data.items").([]any) {
			in := item.(object)
			config, _ := json.Marshal(in["config"])
			secrets, _ := json.Marshal(in["configMeta"])
			got = append(got, fmt.Sprintf("%v %v %s %s %v", in["instanceKey"], in["enabled"], config, secrets,
				in["grantedPermissions"]))
		}
		slices.Sort(got)
		configured := `{"secretFields":{"apiKey":{"configured":%t}}}`
		if diff := cmp.Diff([]string{
			`default true {"apiKey":"","limit":5} ` + fmt.Sprintf(configured, true) + ` [orders:read orders:write]`,
			`draft false null ` + fmt.Sprintf(configured, false) + ` [orders:read orders:write]`,
			`eu true {"apiKey":""} ` + fmt.Sprintf(configured, true) + ` [orders:read]`,
			`off false {"apiKey":""} ` + fmt.Sprintf(configured, true) + ` [orders:read orders:write]`,
		}, got); diff != "" {
			t.Errorf("instances (-want +got):\n%s", diff)
		}
		if got := themeVersions(t, a.Do(t, testkit.Get(admin, aurora))); got != "1.0.0*" {
			t.Errorf("aurora = %s; want it active", got)
		}
		again := a.Install(t, admin, "bundle", data)
		if again.Status != http.StatusOK || again.Get(t, "data.duplicate") != true || results(t, again, "data.items") != want {
			t.Errorf("again = %d %s", again.Status, again.Body)
		}
		one := a.Do(t, testkit.Get(admin, starter))
		fields := res.Get(t, "data").(object)
		shown := one.Get(t, "data").(object)
		if license, ok := shown["license"]; !ok || license != nil {
			t.Errorf("license = %v", license)
		}
		delete(shown, "license")
		if diff := cmp.Diff(fields, shown); diff != "" {
			t.Errorf("one (-installed +got):\n%s", diff)
		}
		list := a.Do(t, testkit.Get(admin, extensions+"/bundle"))
		if diff := cmp.Diff([]any{fields}, list.Get(t, "data.items").([]any)); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}
		all := a.Do(t, testkit.Get(admin, extensions+"?limit=1&page=3"))
		if diff := cmp.Diff([]any{fields}, all.Get(t, "data.items").([]any)); diff != "" {
			t.Errorf("the third extension (-want +got):\n%s", diff)
		}
		testkit.WantError(t, a.Do(t, testkit.Get(admin, starter+"/archive")), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, a.Do(t, testkit.Get(admin, starter+"/files")), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, a.Do(t, testkit.Get(admin, extensions+"/bundle/other")), http.StatusNotFound, "NOT_FOUND")
	})
}

func TestSecretsOfABundleAreNowhereInTheClear(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	// A config that is part of another one, and the same one twice.
	inner := object{"apiKey": "s3cret-inner"}
	text, err := json.Marshal(testkit.BundleManifest("starter", "1.0.0", payItem( // without spaces: each is a part
		object{"instanceKey": "default", "config": inner},
		object{"instanceKey": "eu", "config": object{"apiKey": "s3cret-outer", "more": inner}},
		object{"instanceKey": "us", "config": inner},
	)))
	if err != nil {
		t.Fatal(err)
	}
	data := testkit.Archive(t, testkit.Entry{Name: "bundle.json", Body: string(text)},
		testkit.Entry{Name: "items/pay.zip", Body: string(pay(t, "1.0.0"))})
	res := a.Install(t, admin, "bundle", data)
	if res.Status != http.StatusCreated || strings.Contains(res.Text(t, "data.manifestJson"), "s3cret-outer") {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	var kept struct {
		Items []struct{ Instances []struct{ Config object } }
	}
	if err := json.Unmarshal([]byte(res.Text(t, "data.manifestJson")), &kept); err != nil {
		t.Fatal(err)
	}
	for i, in := range kept.Items[0].Instances {
		if in.Config["apiKey"] != "" {
			t.Errorf("instances[%d] = %v", i, in.Config)
		}
	}
	err = filepath.WalkDir(a.DataDir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(name)
		if strings.Contains(string(raw), "s3cret-outer") {
			t.Errorf("%s has a secret", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if log := a.Do(t, testkit.Get(admin, "/api/v1/admin/audit?limit=100")); strings.Contains(string(log.Body), "s3cret") {
		t.Error("the audit log has a secret")
	}
}

// Every fault of every item is reported at once, and nothing is left behind.
func TestAnInvalidBundleTellsEverythingAndLeavesNoTrace(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		if res := a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "mail", nil)); res.Status != http.StatusCreated {
			t.Fatalf("install = %d %s", res.Status, res.Body)
		}
		before := leftovers(t, a.DataDir)
		entry := testkit.Entry{Name: "manifest.json", Body: `{"schemaVersion":1,"slug":"X","name":"B","version":"1.0.0",` +
			`"runtimeType":"external-http","externalBaseUrl":"https://b.example"}`}
		data := testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0",
			object{"kind": "plugin", "path": "good.zip"},
			object{"kind": "plugin", "path": "pay.zip", "activate": true, "instances": []object{
				{"instanceKey": "eu", "config": object{"limit": "many"}, "grantedPermissions": []string{"users:read"}},
				{"instanceKey": "eu", "enabled": true},
				{"instanceKey": "No"},
				{"enabled": 1},
			}},
			object{"kind": "plugin", "path": "virus.zip"},
			object{"kind": "plugin", "path": "manifest.zip"},
			object{"kind": "plugin", "path": "mail.zip"},
			object{"kind": "theme-shop", "path": "aurora.zip", "instances": []object{{"instanceKey": "a"}}},
			object{"kind": "bundle", "path": "nested.zip"},
			object{"kind": "thing", "path": "../x.zip"},
			object{"kind": "theme-app-shop", "path": "app.zip"},
			object{"kind": "plugin", "path": "missing.zip"},
			object{"kind": "plugin", "path": "same.zip"},
		), map[string][]byte{
			"good.zip": testkit.ExternalPlugin(t, "good", nil),
			"same.zip": testkit.ExternalPlugin(t, "good", object{"version": "2.0.0"}),
			"pay.zip":  pay(t, "1.0.0"), "mail.zip": testkit.ExternalPlugin(t, "mail", object{"name": "Other"}),
			"virus.zip":    testkit.Archive(t, entry, testkit.Entry{Name: "a.exe"}, testkit.Entry{Name: "../b.js"}),
			"manifest.zip": testkit.Archive(t, entry),
			"aurora.zip":   testkit.ThemePack(t, "aurora", "1.0.0", object{"configSchema": object{"a": object{"type": "number"}}}, nil),
			"nested.zip":   starterBundle(t, "1.0.0"), "app.zip": pay(t, "1.0.0"),
		})
		res := a.Install(t, admin, "bundle", data)
		testkit.WantError(t, res, http.StatusBadRequest, "INVALID_BUNDLE")
		var got []string
		for _, is := range res.Get(t, "error.details.issues").([]any) {
			issue := is.(object)
			got = append(got, fmt.Sprint(issue["path"], " ", issue["code"]))
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{
			"items[10].path duplicate",
			"items[1].activate unsupported",
			"items[1].instances[0].config.limit wrong_type",
			"items[1].instances[0].grantedPermissions unknown_value",
			"items[1].instances[1].config.apiKey required",
			"items[1].instances[1].instanceKey duplicate",
			"items[1].instances[2].instanceKey invalid",
			"items[1].instances[3].config.apiKey required",
			"items[1].instances[3].enabled wrong_type",
			"items[1].instances[3].instanceKey required",
			"items[2].path invalid",
			"items[2].path unknown_value",
			"items[3].manifest.slug out_of_range",
			"items[4].path conflict",
			"items[5].instances unsupported",
			"items[6].kind unsupported",
			"items[7].kind unknown_value",
			"items[7].path invalid",
			"items[8].manifest.healthCheck.path required", "items[8].manifest.runtime.entry required",
			"items[9].path invalid",
		}, got); diff != "" {
			t.Errorf("issues (-want +got):\n%s", diff)
		}
		if list := a.Do(t, testkit.Get(admin, extensions)); list.Get(t, "data.pagination.total") != 1.0 {
			t.Errorf("installed = %s", list.Body)
		}
		if diff := cmp.Diff(before, leftovers(t, a.DataDir)); diff != "" {
			t.Errorf("files (-before +after):\n%s", diff)
		}
	})
}

func TestFaultsOfTheBundleItself(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	item := object{"kind": "plugin", "path": "pay.zip"}
	for name, row := range map[string]struct {
		changes object
		code    string
	}{
		"the bundle":   {object{"slug": "S"}, "INVALID_MANIFEST"},
		"one item":     {object{"items": []any{"pay.zip"}}, "INVALID_BUNDLE"},
		"both of them": {object{"slug": "S", "items": []any{"pay.zip"}}, "INVALID_BUNDLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := testkit.BundleManifest("starter", "1.0.0", item)
			maps.Copy(m, row.changes)
			data := testkit.Bundle(t, m, map[string][]byte{"pay.zip": pay(t, "1.0.0")})
			testkit.WantError(t, a.Install(t, admin, "bundle", data), http.StatusBadRequest, row.code)
		})
	}
	virus := testkit.Archive(t, testkit.Entry{Name: "bundle.json", Body: "{}"}, testkit.Entry{Name: "run.sh"})
	testkit.WantError(t, a.Install(t, admin, "bundle", virus), http.StatusBadRequest, "INVALID_ARCHIVE")
}
