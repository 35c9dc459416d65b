package extension_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stoa/internal/testkit"
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
	eventually(t, "the files are removed", func() bool {
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
