package extension_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

const corePath = "/api/v1/admin/plugins/core"

// core is the archive of a plugin that is never started, because its config is incomplete.
func core(tb testing.TB, version string) []byte {
	tb.Helper()
	return testkit.ExternalPlugin(tb, "core", object{
		"version": version, "configSchema": object{"key": object{"type": "string", "required": true}},
	})
}

// shipped starts stoas one after the other on one database, each with other built-in plugins.
type shipped struct {
	folder string
	option testkit.Option
}

func (s *shipped) start(t *testing.T, archives map[string][]byte) (a *testkit.App, admin string) {
	t.Helper()
	old, _ := filepath.Glob(filepath.Join(s.folder, "*"))
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range archives {
		if err := os.WriteFile(filepath.Join(s.folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := s.option == nil
	if first {
		dir := t.TempDir()
		s.option = func(_ testing.TB, cfg *app.Config) {
			cfg.DataDir, cfg.DatabaseURL, cfg.BuiltinDir = dir, filepath.Join(dir, "stoa.db"), s.folder
		}
	}
	a = testkit.New(t, s.option)
	if first {
		return a, a.Admin(t, "root").Access
	}
	return a, a.Login(t, "root").Access
}

// versionsOf are the present version of the plugin core with its source, and the version that
// a rollback returns to.
func versionsOf(t *testing.T, a *testkit.App, admin string) string {
	t.Helper()
	now := a.Do(t, testkit.Get(admin, corePath))
	if now.Status != http.StatusOK {
		return fmt.Sprint(now.Status)
	}
	text := now.Text(t, "data.version") + " " + now.Text(t, "data.source")
	back, ok, err := a.Plugins.Previous(t.Context(), "core")
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		text += ", before " + back.Manifest.Version + " " + string(back.Source)
	}
	return text
}

func wantVersions(t *testing.T, a *testkit.App, admin, want string) {
	t.Helper()
	if got := versionsOf(t, a, admin); got != want {
		t.Errorf("core = %s, want %s", got, want)
	}
}

func TestABuiltInPluginIsTheFloorOfItsUpgrades(t *testing.T) {
	t.Parallel()

	s := &shipped{folder: t.TempDir()}
	a, admin := s.start(t, map[string][]byte{"core.zip": core(t, "1.0.0"), "notes.txt": nil})
	wantVersions(t, a, admin, "1.0.0 builtin")
	refused := func() {
		t.Helper()
		for _, path := range []string{corePath, extensions + "/plugin/core", corePath + "?purge=true"} {
			testkit.WantError(t, a.Do(t, remove(admin, path)), http.StatusConflict, "BUILTIN_PLUGIN")
		}
	}
	refused()
	for _, version := range []string{"1.1.0", "1.2.0"} { // and not from 1.1.0 to 1.2.0 for a rollback
		mustInstall(t, a, admin, "plugin", core(t, version), http.StatusOK)
		wantVersions(t, a, admin, version+" local-zip, before 1.0.0 builtin")
		refused()
	}
	testkit.WantError(t, a.Install(t, admin, "plugin", core(t, "1.0.0")), http.StatusConflict, "VERSION_CONFLICT")
	if back := a.Do(t, post(admin, corePath+"/rollback")); back.Status != http.StatusOK {
		t.Errorf("rollback = %d %s", back.Status, back.Body)
	}
	wantVersions(t, a, admin, "1.0.0 builtin, before 1.2.0 local-zip")
	refused()

	t.Log("a start with the same plugins changes nothing")
	a, admin = s.start(t, map[string][]byte{"core.zip": core(t, "1.0.0")})
	wantVersions(t, a, admin, "1.0.0 builtin, before 1.2.0 local-zip")
	mustInstall(t, a, admin, "plugin", core(t, "3.0.0"), http.StatusOK)

	t.Log("a newer built-in version below what was uploaded is the one to return to")
	for range 2 {
		a, admin = s.start(t, map[string][]byte{"core.zip": core(t, "2.0.0")})
		wantVersions(t, a, admin, "3.0.0 local-zip, before 2.0.0 builtin")
	}
	refused()
	a.Do(t, post(admin, corePath+"/rollback"))
	wantVersions(t, a, admin, "2.0.0 builtin, before 3.0.0 local-zip")
	files := a.Do(t, testkit.Get(admin, extensions+"/plugin/core/files"))
	if files.Status != http.StatusOK || strings.Contains(string(files.Body), `"intact":false`) {
		t.Errorf("files = %s", files.Body)
	}

	t.Log("a newer built-in version upgrades")
	a, admin = s.start(t, map[string][]byte{"core.zip": core(t, "4.0.0")})
	wantVersions(t, a, admin, "4.0.0 builtin, before 2.0.0 builtin")

	t.Log("an older one, other contents of the same one, and an archive that cannot be read change nothing")
	a, admin = s.start(t, map[string][]byte{"core.zip": core(t, "3.5.0")})
	wantVersions(t, a, admin, "4.0.0 builtin, before 2.0.0 builtin")
	other := testkit.ExternalPlugin(t, "core", object{"version": "4.0.0", "name": "Other"})
	a, admin = s.start(t, map[string][]byte{"core.zip": other})
	wantVersions(t, a, admin, "4.0.0 builtin, before 2.0.0 builtin")
	a, admin = s.start(t, map[string][]byte{"core.zip": []byte("broken")})
	wantVersions(t, a, admin, "4.0.0 builtin, before 2.0.0 builtin")
	refused()

	t.Log("a plugin that is not shipped any more is an ordinary one")
	a, admin = s.start(t, nil)
	wantVersions(t, a, admin, "4.0.0 local-zip, before 2.0.0 local-zip")
	if gone := a.Do(t, remove(admin, corePath)); gone.Status != http.StatusOK {
		t.Errorf("uninstall = %d %s", gone.Status, gone.Body)
	}

	t.Log("one that was uninstalled is not brought back by force")
	a, admin = s.start(t, map[string][]byte{"core.zip": core(t, "5.0.0")})
	wantVersions(t, a, admin, "404")
}

// A plugin that was uploaded before it came with the platform becomes a built-in one.
func TestAnUploadedPluginBecomesBuiltIn(t *testing.T) {
	t.Parallel()

	s := &shipped{folder: t.TempDir()}
	a, admin := s.start(t, nil)
	id := mustInstall(t, a, admin, "plugin", core(t, "1.0.0"), http.StatusCreated).
		Text(t, "data.defaultInstance.installationId")
	wantVersions(t, a, admin, "1.0.0 local-zip")
	a, admin = s.start(t, map[string][]byte{"core.zip": core(t, "1.0.0")})
	wantVersions(t, a, admin, "1.0.0 builtin")
	testkit.WantError(t, a.Do(t, remove(admin, corePath)), http.StatusConflict, "BUILTIN_PLUGIN")
	if got := a.Do(t, testkit.Get(admin, corePath+"/instances/"+id)); got.Status != http.StatusOK {
		t.Errorf("its instance = %d", got.Status)
	}
	log := string(a.Do(t, testkit.Get(admin, "/api/v1/admin/audit?action=plugin.builtin")).Body)
	if !strings.Contains(log, "plugin.builtin") || !strings.Contains(log, `"kind":"system"`) {
		t.Errorf("audit log = %s", log)
	}
}
