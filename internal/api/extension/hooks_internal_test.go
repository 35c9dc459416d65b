package extension_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// Hooks of an internal plugin are called in its process, and after a purge in one of
// their own, from files that are removed only then.
func TestHooksOfInternalPlugins(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	k := &hookKit{App: a, admin: a.Admin(t, "root").Access}
	m := testkit.InternalManifest("inner", "index.js")
	m["lifecycle"] = map[string]any{"onInstall": true, "onEnable": true, "onDisable": true, "onUninstall": true}
	res := a.Install(t, k.admin, "plugin", testkit.PluginArchive(t, m, map[string]string{"index.js": `
		const seen = []
		exports.default = async (app) => { app.get('/api/seen', async () => seen) }
		exports.lifecycle = { onInstall: () => seen.push('onInstall'), onEnable: () => seen.push('onEnable') }
		exports.__lifecycle_onDisable = async () => {}
		exports.__lifecycle_onUninstall = async (body) => { if (body.pluginSlug !== 'inner') throw new Error('whose?') }`}))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	k.quiet(t)
	if got := a.Do(t, testkit.Get("", "/api/v1/shop/plugins/inner/api/seen")); string(got.Body) != `["onInstall","onEnable"]` {
		t.Errorf("the process has seen %s", got.Body)
	}
	k.do(t, testkit.Delete(k.admin, pluginsPath+"inner?purge=true"))
	k.quiet(t)
	var names []string
	for _, d := range items(t, k.do(t, testkit.Get(k.admin, pluginsPath+"inner/hooks?state=delivered"))) {
		names = append(names, d["name"].(string))
	}
	if want := []string{"onUninstall", "onDisable", "onEnable", "onInstall"}; !slices.Equal(names, want) {
		t.Errorf("delivered %v, want %v: %s", names, want,
			k.do(t, testkit.Get(k.admin, pluginsPath+"inner/hooks")).Body)
	}
	waittest.True(t, "the files are removed", func() bool {
		left := 0
		_ = filepath.WalkDir(filepath.Join(a.DataDir, "plugins", "inner"), func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				left++
			}
			return nil
		})
		_, err := os.Stat(a.DataDir)
		return err == nil && left == 0
	})
}

// The hook of an internal plugin has what a call has, in the process that serves as in the one of a
// disabled instance.
func TestHooksOfInternalPluginsReachThePlatform(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	k := &hookKit{App: a, admin: a.Admin(t, "root").Access}
	m := testkit.InternalManifest("inner", "index.js")
	m["lifecycle"] = map[string]any{"onEnable": true, "onDisable": true, "onUninstall": true}
	m["permissions"] = []string{"storage:write"}
	m["configSchema"] = map[string]any{"long": map[string]any{"type": "string"}}
	res := a.Install(t, k.admin, "plugin", testkit.PluginArchive(t, m, map[string]string{"index.js": `
		exports.default = async () => {}
		const hook = async (hook, context) => {
			if (hook.id !== context.id || hook.attempt !== 1 || hook.installationId !== context.installationId)
				throw new Error('whose?')
			if (!context.can('storage:write') || context.config.long !== hook.config.long) throw new Error('what?')
			const config = await context.platform.config()
			await context.platform.storage.put(hook.name, String(config.long?.length ?? 0))
		}
		exports.lifecycle = { onEnable: hook, onDisable: hook, onUninstall: hook }`}))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	k.quiet(t)
	path := pluginsPath + "inner/instances/" + res.Text(t, "data.defaultInstance.installationId")
	k.do(t, testkit.Patch(k.admin, path, map[string]any{"config": map[string]any{"long": strings.Repeat("x", 20000)}}))
	k.do(t, testkit.Patch(k.admin, path, map[string]any{"enabled": false}))
	k.do(t, testkit.Delete(k.admin, pluginsPath+"inner"))
	k.quiet(t)
	got, err := database.Texts(t.Context(), a.DB.Conn().Read, `SELECT CAST(key AS TEXT) || CAST(value AS TEXT) FROM plugin_storage ORDER BY key`)
	if want := []string{"onDisable20000", "onEnable0", "onUninstall20000"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("stored %q, %v; want %q: %s", got, err, want, k.do(t, testkit.Get(k.admin, pluginsPath+"inner/hooks")).Body)
	}
}
