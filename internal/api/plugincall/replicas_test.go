package plugincall_test

import (
	"net/http"
	"syscall"
	"testing"

	"stoa/internal/app"
	"stoa/internal/run/node"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// A change on one replica ends the processes on the others too: plugins have
// timers, which run without any call.
func TestChangesOnOneReplicaEndProcessesOnTheOthers(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]testkit.Option{"SQLite": nil, "PostgreSQL": {testkit.OnPostgres}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shared app.Config
			one := testkit.New(t, append(options, func(_ testing.TB, cfg *app.Config) { shared = *cfg })...)
			two := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
				cfg.DatabaseURL, cfg.DataDir = shared.DatabaseURL, shared.DataDir
			})
			testReplicas(t, one, two)
		})
	}
}

func testReplicas(t *testing.T, one, two *testkit.App) {
	token := one.Admin(t, "root").Access
	do := func(method, path string, body any, status int) testkit.Response {
		t.Helper()
		res := one.Do(t, testkit.Request{
			Method: method, Path: "/api/v1/admin/plugins/" + path, Token: token, Body: body,
		})
		if res.Status != status {
			t.Fatalf("%s %s: %d %s", method, path, res.Status, res.Body)
		}
		return res
	}
	call := func(a *testkit.App, slug, installation string) testkit.Response {
		t.Helper()
		return a.Fetch(t, "/api/v1/shop/plugins/"+slug+"/api/x?installation="+installation)
	}
	// start returns the process that runs a plugin on replica two.
	start := func(slug, installation string) int {
		t.Helper()
		res := call(two, slug, installation)
		if res.Status != http.StatusOK {
			t.Fatalf("%s of %s: %d %s", installation, slug, res.Status, res.Body)
		}
		list := do("GET", slug+"/instances", nil, http.StatusOK)
		for _, in := range list.Get(t, "data.items").([]any) {
			if in := in.(map[string]any); in["instanceKey"] == installation {
				// Not process.pid: inside its namespace every plugin is process 1.
				return two.Plugins.Processes.(*node.Runtime).Status(in["installationId"].(string)).PID
			}
		}
		t.Fatalf("%s has no instance %s", slug, installation)
		return 0
	}
	for _, slug := range []string{"busy", "leaving"} {
		archive := testkit.PluginArchive(t, testkit.InternalManifest(slug, "index.js"), map[string]string{"index.js": `
			module.exports = async (app, config) => {
				setInterval(() => {}, 10)
				app.get('/api/x', async () => ({ n: config.n ?? 0 }))
			}`})
		if res := one.Install(t, token, "plugin", archive); res.Status != http.StatusCreated {
			t.Fatalf("install: %d %s", res.Status, res.Body)
		}
	}
	ids := map[string]string{}
	for _, key := range []string{"disabled", "deleted", "changed"} {
		res := do("POST", "busy/instances", map[string]any{"instanceKey": key}, http.StatusCreated)
		ids[key] = res.Text(t, "data.installationId")
	}
	stays := start("busy", "default")
	pids := map[string]int{"uninstalled": start("leaving", "default")}
	for key := range ids {
		pids[key] = start("busy", key)
	}

	do("PATCH", "busy/instances/"+ids["disabled"], map[string]any{"enabled": false}, http.StatusOK)
	do("PATCH", "busy/instances/"+ids["changed"], map[string]any{"config": map[string]any{"n": 2}}, http.StatusOK)
	do("DELETE", "busy/instances/"+ids["deleted"], nil, http.StatusOK)
	do("DELETE", "leaving", nil, http.StatusOK)
	for what, pid := range pids {
		waittest.True(t, "the end of the process: "+what, func() bool { return syscall.Kill(pid, 0) != nil })
	}
	if pid := start("busy", "default"); pid != stays {
		t.Error("a process without a change was restarted")
	}
	// A process may end before calls to the replica know of the change.
	waittest.True(t, "the changed instance answers with its new config", func() bool {
		res := call(two, "busy", "changed")
		return res.Status == http.StatusOK && res.Get(t, "n") == 2.0
	})
	for _, key := range []string{"disabled", "deleted"} {
		waittest.True(t, "the "+key+" instance is not found", func() bool {
			return call(two, "busy", key).Status == http.StatusNotFound
		})
	}
}
