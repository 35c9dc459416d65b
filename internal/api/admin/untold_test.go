package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// A plugin that reads users keeps what it read. Administrators see which ones are not told when a user is deleted.
func TestPluginsThatReadUsersAndAreNotToldOfDeletionsWantAttention(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		for slug, changes := range map[string]map[string]any{
			"reads":    {"permissions": []string{"users:read"}},
			"refused":  {"permissions": []string{"orders:read"}},
			"told":     {"permissions": []string{"users:read", "events:subscribe"}, "events": map[string]any{"subscribe": []string{"user.*"}, "path": "/events"}},
			"told-not": {"permissions": []string{"users:read", "events:subscribe"}, "events": map[string]any{"subscribe": []string{"order.paid"}, "path": "/events"}},
		} {
			if res := a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, slug, changes)); res.Status != http.StatusCreated {
				t.Fatalf("%s: %d %s", slug, res.Status, res.Body)
			}
		}
		found := func() string {
			t.Helper()
			list, _ := a.Do(t, testkit.Get(admin, "/api/v1/admin/overview")).Get(t, "data.attention").([]any)
			var slugs []string
			for _, one := range list {
				if c := one.(map[string]any); c["kind"] == "plugin.not_told" {
					slugs = append(slugs, c["slug"].(string))
				}
			}
			return strings.Join(slugs, " ")
		}
		if got := found(); got != "reads told-not" && got != "told-not reads" {
			t.Errorf("not told: %q", got)
		}
		list, _ := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/reads/instances")).Get(t, "data.items").([]any)
		id := list[0].(map[string]any)["installationId"].(string)
		res := a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/reads/instances/"+id, `{"grantedPermissions":[]}`))
		if res.Status != http.StatusOK || found() != "told-not" {
			t.Errorf("withdrawn = %d %s, not told: %q", res.Status, res.Body, found())
		}
	})
}
