package extension_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestPluginsAreSearchedFilteredSortedAndPaged(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		long := strings.Repeat("ü", 200)
		for slug, name := range map[string]string{
			"mail-courier": "Courier", "rates": "Zone_Rates 100%", "points": "Übertreue", "long": long,
		} {
			a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, slug, map[string]any{"name": name}))
		}
		for _, tt := range []struct{ name, query, want string }{
			{"all, by slug", "", "long, mail-courier, points, rates of 4"},
			{"a page", "?limit=2&page=2", "points, rates of 4"},
			{"part of a slug", "?q=L-COU", "mail-courier of 1"},
			{"part of a name, in another case", "?q=%C3%BCBERT", "points of 1"},
			{"a page of what was found", "?q=r&limit=2&page=2", "rates of 3"},
			{"past the end of it", "?q=r&limit=2&page=9223372036854775807", " of 3"},
			{"a percent sign stands for itself", "?q=%25", "rates of 1"},
			{"an underscore stands for itself", "?q=_", "rates of 1"},
			{"the longest search", "?q=" + url.QueryEscape(long), "long of 1"},
			{"by name, backwards", "?sort=-name&q=r", "points, rates, mail-courier of 3"},
			{"by slug, backwards", "?sort=-slug&limit=1", "rates of 4"},
			{"what runs as a service", "?runtimeType=external-http&q=mail", "mail-courier of 1"},
			{"what runs inside", "?runtimeType=internal-fastify", " of 0"},
		} {
			if got := listedPlugins(t, a, admin, tt.query); got != tt.want {
				t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
			}
		}
		for _, path := range []string{
			"/plugin?q=" + url.QueryEscape(long+"u"), "/plugin?q=%00", "/plugin?sort=version", "/plugin?runtimeType=internal",
			"/plugin?state=broken", "/bundle?q=a", "/theme-shop?q=a", "?q=a",
		} {
			res := a.Do(t, testkit.Get(admin, extensions+path))
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		}
	})
}

// listedPlugins are the slugs of a list of plugins, and how many there are on all pages.
func listedPlugins(tb testing.TB, a *testkit.App, admin, query string) string {
	tb.Helper()
	res := a.Do(tb, testkit.Get(admin, extensions+"/plugin"+query))
	items, _ := res.Get(tb, "data.items").([]any)
	slugs := make([]string, len(items))
	for i, item := range items {
		m, _ := item.(map[string]any)
		slugs[i] = fmt.Sprint(m["slug"])
	}
	return fmt.Sprint(strings.Join(slugs, ", "), " of ", res.Get(tb, "data.pagination.total"))
}
