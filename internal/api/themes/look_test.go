package themes_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// The pages' last style sheet follows the shop's settings and its theme at once.
func TestTheLookFollowsSettingsAndTheme(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	look := func(target string) string {
		t.Helper()
		res := a.Do(t, testkit.Get("", "/look/"+target+".css"))
		if res.Status != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/css") {
			t.Fatalf("look = %d %s", res.Status, res.Body)
		}
		again := testkit.Get("", "/look/"+target+".css")
		again.Header = http.Header{"If-None-Match": {res.Header.Get("ETag")}}
		if got := a.Do(t, again); got.Status != http.StatusNotModified {
			t.Errorf("the sheet again = %d", got.Status)
		}
		return string(res.Body)
	}
	if got := look("shop"); got != "" {
		t.Errorf("a new shop looks like %s", got)
	}
	a.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: "/api/v1/admin/settings", Token: admin, Body: `{"accent":"#0f6b66"}`,
	})
	// In the console it is darker: text in it has the contrast of AAA there.
	for target, want := range map[string]string{"shop": "#0f6b66", "admin": "#0b514e"} {
		if got := look(target); !strings.Contains(got, "--shop-accent: light-dark("+want) {
			t.Errorf("the accent of %s: %s", target, got)
		}
	}
	install(t, a, admin, "aurora", "1.0.0", map[string]any{"defaultConfig": map[string]any{"accent": "red"}})
	a.Do(t, testkit.Post(admin, themes+"/shop/activate", map[string]any{"slug": "aurora"}))
	if got := look("shop"); !strings.HasPrefix(got, `@import url("/themes/shop/aurora/1.0.0/`) || !strings.Contains(got, "--theme-accent: red;") {
		t.Errorf("with a theme: %s", got)
	}
	if got := look("admin"); strings.Contains(got, "@import") {
		t.Errorf("the administration has the shop's theme: %s", got)
	}
	a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil))
	if got := look("shop"); strings.Contains(got, "aurora") {
		t.Errorf("without the theme: %s", got)
	}
	for _, file := range []string{"shop", "other.css", ".css"} {
		testkit.WantError(t, a.Do(t, testkit.Get("", "/look/"+file)), http.StatusNotFound, "NOT_FOUND")
	}
}
