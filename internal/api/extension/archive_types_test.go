package extension_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/testkit"
)

const settingsPath = "/api/v1/admin/settings"

// An administrator widens the file types of a kind, and the next install has it, on every replica
// (contract 4.2). What was installed stays readable when they are narrowed again.
func TestAdministratorsWidenTheFileTypesOfAKind(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		var shared app.Config
		a := testkit.New(t, append(options, func(_ testing.TB, cfg *app.Config) { shared = *cfg })...)
		replica := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
			cfg.DatabaseURL, cfg.DataDir, cfg.MasterKey = shared.DatabaseURL, shared.DataDir, shared.MasterKey
		})
		admin := a.Admin(t, "root").Access
		zip := testkit.PluginArchive(t, testkit.ExternalManifest("far", "https://plugin.example"),
			map[string]string{"README.md": "x", "docs/b.MD": "x", "LICENSE": "x"})
		refused := a.Install(t, admin, "plugin", zip)
		testkit.WantError(t, refused, http.StatusBadRequest, "INVALID_ARCHIVE")
		want := map[string]any{"plugin": []any{".md", "license"}}
		if diff := cmp.Diff(want, refused.Get(t, "error.details.archiveTypes")); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(string(refused.Body), "in the kind plugin") ||
			!strings.Contains(string(refused.Body), "the setting archiveTypes") {
			t.Errorf("refused: %s", refused.Body)
		}
		around := testkit.Archive(t, testkit.Entry{Name: "bundle.json", Body: `{"schemaVersion":1,"slug":"all","name":"All",
			"version":"1.0.0","items":[{"kind":"plugin","path":"far.zip"}]}`}, testkit.Entry{Name: "far.zip", Body: string(zip)})
		if diff := cmp.Diff(want, a.Install(t, admin, "bundle", around).Get(t, "error.details.archiveTypes")); diff != "" {
			t.Errorf("in a bundle: %s", diff)
		}

		changed := a.Do(t, testkit.Patch(admin, settingsPath, map[string]any{"archiveTypes": want}))
		if diff := cmp.Diff(want, changed.Get(t, "data.archiveTypes")); diff != "" ||
			changed.Text(t, "data.archiveTypesSource") != "setting" {
			t.Errorf("%s\n%s", diff, changed.Body)
		}
		if res := a.Install(t, admin, "theme-shop", zip); !strings.Contains(string(res.Body), "in the kind theme-shop") {
			t.Errorf("another kind: %s", res.Body)
		}
		if res := replica.Install(t, admin, "plugin", zip); res.Status != http.StatusCreated {
			t.Fatalf("on another replica: %d %s", res.Status, res.Body)
		}

		narrowed := a.Do(t, testkit.Patch(admin, settingsPath, `{"archiveTypes":{"plugin":null}}`))
		if diff := cmp.Diff(map[string]any{}, narrowed.Get(t, "data.archiveTypes")); diff != "" {
			t.Error(diff)
		}
		files := a.Do(t, testkit.Get(admin, "/api/v1/admin/extensions/plugin/far/files"))
		if files.Status != http.StatusOK || strings.Count(string(files.Body), `"state":"intact"`) != 4 {
			t.Errorf("files: %d %s", files.Status, files.Body)
		}
	})
}

// STOA_ARCHIVE_TYPES wins, is shown as the source, and is what a refusal names.
func TestTheVariableForFileTypesWins(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.ArchiveTypes = extension.Types{extension.Plugin: {".txt"}}
	})
	admin := a.Admin(t, "root").Access
	shown := a.Do(t, testkit.Get(admin, settingsPath))
	if diff := cmp.Diff(map[string]any{"plugin": []any{".txt"}}, shown.Get(t, "data.archiveTypes")); diff != "" ||
		shown.Text(t, "data.archiveTypesSource") != "STOA_ARCHIVE_TYPES" {
		t.Errorf("%s\n%s", diff, shown.Body)
	}
	refused := a.Do(t, testkit.Patch(admin, settingsPath, `{"shopName":"x","archiveTypes":{"plugin":[".md"]}}`))
	if got := testkit.IssuePaths(t, refused); refused.Status != http.StatusBadRequest || got != "archiveTypes" {
		t.Errorf("changed: %d %s", refused.Status, refused.Body)
	}
	zip := testkit.PluginArchive(t, testkit.ExternalManifest("far", "https://plugin.example"),
		map[string]string{"README.md": "x", "a.txt": "x"})
	res := a.Install(t, admin, "plugin", zip)
	if res.Get(t, "error.details.archiveTypes") != nil || !strings.Contains(string(res.Body), "STOA_ARCHIVE_TYPES (plugin=…)") ||
		strings.Contains(string(res.Body), "a.txt") {
		t.Errorf("install: %d %s", res.Status, res.Body)
	}
}
