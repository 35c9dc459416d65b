package extension_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// Every management operation on extensions is in the audit log, without values
// of configs or secrets.
func TestExtensionsAreAudited(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root")
		do := func(method, path, body string, want int) testkit.Response {
			t.Helper()
			res := a.Do(t, testkit.Request{
				Method: method, Path: "/api/v1/admin" + path, Token: root.Access, Body: body,
			})
			if res.Status != want {
				t.Fatalf("%s %s = %d, want %d\n%s", method, path, res.Status, want, res.Body)
			}
			return res
		}
		zip := testkit.ExternalPlugin(t, "pay", map[string]any{
			"permissions":  []string{"a:b"},
			"configSchema": map[string]any{"key": map[string]any{"type": "secret", "label": "Key", "secret": true}},
		})
		for _, want := range []int{http.StatusCreated, http.StatusOK} { // the second changes nothing
			if res := a.Install(t, root.Access, "plugin", zip); res.Status != want {
				t.Fatalf("install = %d, want %d\n%s", res.Status, want, res.Body)
			}
		}
		id := do(http.MethodPost, "/plugins/pay/instances", `{"instanceKey":"two","config":{"key":"hush-hush"}}`,
			http.StatusCreated).Text(t, "data.installationId")
		for _, body := range []string{
			`{"enabled":false}`, `{"enabled":false}`, `{"config":{"key":"hush-hush 2"}}`, `{"grantedPermissions":[]}`,
		} {
			do(http.MethodPatch, "/plugins/pay/instances/"+id, body, http.StatusOK)
		}
		do(http.MethodPatch, "/plugins/pay/instances/"+id, `{"enabled":1}`, http.StatusBadRequest) // not recorded
		do(http.MethodDelete, "/plugins/pay/instances/"+id, "", http.StatusOK)
		secret := do(http.MethodGet, "/plugins/pay/secret", "", http.StatusOK).Text(t, "data.secret")
		do(http.MethodPost, "/plugins/pay/secret/rotate", "", http.StatusOK)
		do(http.MethodDelete, "/plugins/pay", "", http.StatusOK)

		res := do(http.MethodGet, "/audit?actor=root@example.com", "", http.StatusOK)
		var got []string
		items, _ := res.Get(t, "data.items").([]any)
		for _, it := range slices.Backward(items) {
			e := it.(map[string]any)
			got = append(got,
				e["action"].(string)+" "+strings.ReplaceAll(e["target"].(map[string]any)["id"].(string), id, "ID"))
		}
		want := []string{
			"plugin.install pay", "instance.create ID", "instance.update ID",
			"instance.update ID", "instance.update ID", "instance.delete ID",
			"plugin.secret_read pay", "plugin.secret_rotate pay", "plugin.uninstall pay",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
		for _, never := range []string{"hush-hush", secret} {
			if strings.Contains(string(res.Body), never) {
				t.Errorf("the audit log contains %q", never)
			}
		}
	})
}
