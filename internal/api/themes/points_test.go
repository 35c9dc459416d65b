package themes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

const points = "/api/v1/shop/theme-extensions"

// listed are the extension points of a page: "slug key id", and how many there are.
func listed(tb testing.TB, a *testkit.App, path string) (list []string, total any) {
	tb.Helper()
	res := a.Do(tb, testkit.Get("", points+path))
	items, _ := res.Get(tb, "data.items").([]any)
	for _, item := range items {
		m, _ := item.(map[string]any)
		list = append(list, fmt.Sprint(m["pluginSlug"], " ", m["instanceKey"], " ", m["extensionId"]))
	}
	return list, res.Get(tb, "data.pagination.total")
}

// withPoints installs the plugins reviews, which has two blocks and an embed, about, which has
// a block, and plain, which has none. It returns a token of an administrator and the id of the default
// instance of reviews.
func withPoints(t *testing.T, a *testkit.App) (admin, id string) {
	t.Helper()
	admin = a.Admin(t, "root").Access
	if list, total := listed(t, a, "/blocks"); len(list) != 0 || total != 0.0 {
		t.Errorf("at first: %v, %v", list, total)
	}
	manifest := map[string]any{"themeExtensions": map[string]any{
		"blocks": []any{
			map[string]any{
				"extensionId": "stars", "name": "Stars", "schema": map[string]any{"size": "number"},
				"dataEndpoint": "/api/stars?sort=new", "custom": 1,
			},
			map[string]any{"extensionId": "form", "name": "Form"},
		},
		"embeds": []any{map[string]any{
			"extensionId": "badge", "name": "Badge", "targetPosition": "body-end", "dataEndpoint": "/api/badge",
		}},
	}}
	res := a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "reviews", manifest))
	a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "plain", nil))
	a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "about", map[string]any{"themeExtensions": map[string]any{
		"blocks": []any{map[string]any{"extensionId": "us", "name": "Us"}},
	}}))
	return admin, res.Text(t, "data.defaultInstance.installationId")
}

// withInstances adds two instances of reviews: eu is enabled, off is not.
func withInstances(t *testing.T, a *testkit.App, admin string) {
	t.Helper()
	for i, body := range []map[string]any{{"instanceKey": "eu"}, {"instanceKey": "off", "enabled": false}} {
		a.Clock.Advance(1e9)
		res := a.Do(t, testkit.Post(admin, "/api/v1/admin/plugins/reviews/instances", body))
		if res.Status != http.StatusCreated {
			t.Fatalf("%d. %d %s", i, res.Status, res.Body)
		}
	}
}

func TestAThemeExtensionIsListedWithTheAddressOfItsData(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		_, id := withPoints(t, a)
		got := a.Do(t, testkit.Get("", points+"/blocks")).Get(t, "data.items").([]any)[1]
		want := map[string]any{
			"pluginSlug": "reviews", "installationId": id, "instanceKey": "default", "extensionId": "stars", "name": "Stars",
			"schema":  map[string]any{"size": "number"},
			"dataUrl": "/api/v1/shop/plugins/reviews/api/stars?sort=new&installationId=" + id,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("block (-want +got):\n%s", diff)
		}
		got = a.Do(t, testkit.Get("", points+"/embeds")).Get(t, "data.items").([]any)[0]
		want = map[string]any{
			"pluginSlug": "reviews", "installationId": id, "instanceKey": "default", "extensionId": "badge", "name": "Badge",
			"dataUrl":        "/api/v1/shop/plugins/reviews/api/badge?installationId=" + id,
			"targetPosition": "body-end",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("embed (-want +got):\n%s", diff)
		}
	})
}

func TestPagesOfThemeExtensionsMakeTheWholeList(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, _ := withPoints(t, a)
		withInstances(t, a, admin)
		all := []string{
			"about default us", "reviews default stars", "reviews default form", "reviews eu stars", "reviews eu form",
		}
		for limit := 1; limit <= 6; limit++ {
			var pages []string
			for page := 1; page <= 6; page++ {
				list, total := listed(t, a, fmt.Sprintf("/blocks?limit=%d&page=%d", limit, page))
				if total != 5.0 || len(list) > limit {
					t.Errorf("page %d of %d: %v, %v", page, limit, list, total)
				}
				pages = append(pages, list...)
			}
			if diff := cmp.Diff(all, pages); diff != "" {
				t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
			}
		}
		if list, total := listed(t, a, "/blocks?page=999999999999999999"); len(list) != 0 || total != 5.0 {
			t.Errorf("beyond the end: %v, %v", list, total)
		}
		wantError(t, a.Do(t, testkit.Get("", points+"/embeds?limit=0")), http.StatusBadRequest, "VALIDATION_ERROR")
	})
}

func TestThemeExtensionsOfEnabledInstancesAreListed(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, id := withPoints(t, a)
		withInstances(t, a, admin)
		a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/reviews/instances/"+id, map[string]any{"enabled": false}))
		if list, _ := listed(t, a, "/embeds"); strings.Join(list, ",") != "reviews eu badge" {
			t.Errorf("with default disabled: %v", list)
		}
		a.Do(t, testkit.Delete(admin, "/api/v1/admin/plugins/reviews"))
		if list, total := listed(t, a, "/embeds"); len(list) != 0 || total != 0.0 {
			t.Errorf("uninstalled: %v, %v", list, total)
		}
	})
}
