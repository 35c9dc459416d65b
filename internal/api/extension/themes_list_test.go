package extension_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestThemesOfBothTargetsAreListedSearchedAndPaged(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		for _, slug := range []string{"aurora", "blue-hour", "coast"} {
			a.Install(t, admin, "theme-shop", testkit.ThemePack(t, slug, "1.0.0", nil, nil))
		}
		a.Install(t, admin, "theme-shop", testkit.ThemePack(t, "coast", "1.1.0", nil, nil))
		a.Install(t, admin, "theme-admin", testkit.ThemePack(t, "coast", "1.0.0", map[string]any{"target": "admin"}, nil))
		a.Install(t, admin, "theme-app-shop", testkit.ThemeApp(t, "corner", "1.0.0", map[string]any{"target": "shop"},
			map[string]string{"server.js": "// never started"}))
		activate := testkit.Post(admin, "/api/v1/admin/themes/shop/activate", map[string]any{"slug": "coast", "version": "1.0.0"})
		if res := a.Do(t, activate); res.Status != http.StatusOK {
			t.Fatal(res.Status, string(res.Body))
		}
		const (
			console = "theme-admin/coast 1.0.0"
			app     = "theme-app-shop/corner 1.0.0"
			first   = "theme-shop/aurora 1.0.0, theme-shop/blue-hour 1.0.0"
			coast   = "theme-shop/coast 1.1.0 1.0.0*"
		)
		for _, tt := range []struct{ name, query, want string }{
			{"all, by kind and slug", "", strings.Join([]string{console, app, first, coast}, ", ") + " of 5"},
			{"a page", "?limit=2&page=2", first + " of 5"},
			{"past the end", "?limit=2&page=4", " of 5"},
			{"for a target", "?target=admin", console + " of 1"},
			{"apps", "?app=true", app + " of 1"},
			{"packs", "?app=false&target=shop", first + ", " + coast + " of 3"},
			{"part of a slug", "?q=OAS", console + ", " + coast + " of 2"},
			{"part of a name", "?q=Blue+Hour", "theme-shop/blue-hour 1.0.0 of 1"},
			{"every filter", "?q=co&app=true&target=admin", " of 0"},
		} {
			if got := listedThemes(t, a, admin, tt.query); got != tt.want {
				t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
			}
		}
		for _, query := range []string{
			"?target=site", "?app=perhaps", "?kind=theme-shop", "?limit=101", "?q=" + strings.Repeat("a", 201),
		} {
			res := a.Do(t, testkit.Get(admin, "/api/v1/admin/themes"+query))
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		}
	})
}

// listedThemes are the themes of a list with their versions, and how many there are.
func listedThemes(tb testing.TB, a *testkit.App, admin, query string) string {
	tb.Helper()
	res := a.Do(tb, testkit.Get(admin, "/api/v1/admin/themes"+query))
	items, _ := res.Get(tb, "data.items").([]any)
	list := make([]string, len(items))
	for i, item := range items {
		m, _ := item.(map[string]any)
		list[i] = fmt.Sprint(m["kind"], "/", m["slug"])
		versions, _ := m["versions"].([]any)
		for _, v := range versions {
			version, _ := v.(map[string]any)
			list[i] += fmt.Sprint(" ", version["version"])
			if version["active"] == true {
				list[i] += "*"
			}
		}
	}
	return fmt.Sprint(strings.Join(list, ", "), " of ", res.Get(tb, "data.pagination.total"))
}
