package themes_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// A value that was secret is not public because another version of the theme does not call it so.
func TestASecretOfAThemeIsNotReadableInAnotherVersion(t *testing.T) {
	t.Parallel()

	type object = map[string]any
	secret := object{"configSchema": object{"key": object{"type": "secret"}, "accent": object{"type": "text"}}}
	open := object{"configSchema": object{"key": object{"type": "string"}}}
	pack := func(tb testing.TB, version string, changes object) []byte {
		tb.Helper()
		return testkit.ThemePack(tb, "aurora", version, changes, nil)
	}
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		post := func(path string, body any) {
			t.Helper()
			a.Do(t, testkit.Post(admin, path, body))
		}
		show := func(bundle string, archive []byte) {
			t.Helper()
			res := a.Install(t, admin, "bundle", testkit.Bundle(t, testkit.BundleManifest(bundle, "1.0.0",
				object{"kind": "theme-shop", "path": "aurora.zip", "activate": true}), map[string][]byte{"aurora.zip": archive}))
			if res.Status != http.StatusCreated {
				t.Fatalf("bundle = %d %s", res.Status, res.Body)
			}
		}
		replace := func(archive []byte) {
			t.Helper()
			res := a.Do(t, testkit.Request{
				Method: http.MethodPost, Path: "/api/v1/admin/extensions/theme-shop/install?replace=true", Token: admin,
				Body: archive, Header: http.Header{"Content-Type": {"application/zip"}},
			})
			if res.Status != http.StatusOK {
				t.Fatalf("replace = %d %s", res.Status, res.Body)
			}
		}
		want := func(what, want string) {
			t.Helper()
			if got := state(t, a.Do(t, testkit.Get(admin, themes+"/shop"))); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		const masked, gone = `{"accent":"a","key":""}`, `{"accent":"a"}`
		install(t, a, admin, "aurora", "1.0.0", secret)
		post(themes+"/shop/activate", object{"slug": "aurora", "config": object{"key": "hunter2", "accent": "a"}})

		show("first", pack(t, "1.1.0", secret))
		want("where it is secret still", `aurora 1.1.0 `+masked+` | aurora 1.0.0 `+masked)
		show("second", pack(t, "1.2.0", open))
		want("where it is open", `aurora 1.2.0 `+gone+` | aurora 1.1.0 `+masked)
		if public := a.Do(t, testkit.Get("", active)); name(t, public.Get(t, "data")) != `aurora 1.2.0 `+gone {
			t.Errorf("everybody sees %s", public.Body)
		}
		post(themes+"/shop/rollback", nil)
		want("after a rollback", `aurora 1.1.0 `+masked+` | aurora 1.2.0 `+gone)
		show("third", pack(t, "1.3.0", nil))
		want("where there is no such field", `aurora 1.3.0 `+gone+` | aurora 1.1.0 `+masked)

		replace(pack(t, "1.1.0", open))
		want("when the previous version is replaced", `aurora 1.3.0 `+gone+` | aurora 1.1.0 `+gone)
		install(t, a, admin, "aurora", "1.4.0", secret)
		post(themes+"/shop/activate", object{"slug": "aurora", "config": object{"key": "hunter2", "accent": "a"}})
		replace(pack(t, "1.4.0", nil))
		want("when the active version is replaced", `aurora 1.4.0 `+gone+` | aurora 1.3.0 `+gone)
	})
}
