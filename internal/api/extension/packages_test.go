package extension_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
	"stoa/internal/store"
	"stoa/internal/testkit"
)

func TestUninstall(t *testing.T) {
	t.Parallel()

	for _, path := range []string{"/api/v1/admin/plugins/pay", extensions + "/plugin/pay"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()

			testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
				admin := a.Admin(t, "root").Access
				data := testkit.ExternalPlugin(t, "pay", nil)
				id := a.Install(t, admin, "plugin", data).Text(t, "data.defaultInstance.installationId")
				if res := a.Do(t, testkit.Delete(admin, path)); res.Status != http.StatusOK {
					t.Fatalf("status %d\n%s", res.Status, res.Body)
				}
				instances := "/api/v1/admin/plugins/pay/instances"
				for _, req := range []testkit.Request{
					testkit.Delete(admin, path), testkit.Get(admin, extensions+"/plugin/pay"),
					testkit.Get(admin, "/api/v1/admin/plugins/pay"),
					testkit.Get(admin, instances), testkit.Get(admin, instances+"/"+id),
					testkit.Delete(admin, instances+"/"+id), testkit.Get(admin, "/api/v1/admin/plugins/pay/secret"),
					{Method: http.MethodPost, Path: "/api/v1/admin/plugins/pay/secret/rotate", Token: admin},
					{Method: http.MethodPost, Path: instances, Token: admin, Body: map[string]any{"instanceKey": "x"}},
					{
						Method: http.MethodPatch, Path: instances + "/" + id,
						Token: admin, Body: map[string]any{"enabled": true},
					},
				} {
					testkit.WantError(t, a.Do(t, req), http.StatusNotFound, "NOT_FOUND")
				}
				if got := a.Do(t, testkit.Get(admin, extensions)).Get(t, "data.pagination.total"); got != 0.0 {
					t.Errorf("%v packages are listed, want none", got)
				}
				testkit.WantError(t, a.Install(t, admin, "plugin", data), http.StatusConflict, "CONFLICT")
				testkit.WantError(t,
					a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "pay", map[string]any{"version": "2.0.0"})),
					http.StatusConflict, "CONFLICT")
			})
		})
	}
}

func TestUninstallKeepsBuiltinPlugins(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	m, err := plugin.DecodeManifest([]byte(`{"schemaVersion":1,"slug":"core","name":"Core","version":"1.0.0",
		"runtimeType":"external-http","externalBaseUrl":"https://x.example"}`))
	if err != nil {
		t.Fatal(err)
	}
	p := plugin.Package{
		ID: "a23456789012345678901234", Source: plugin.SourceBuiltin,
		Manifest: m, InstalledAt: testkit.T0, UpdatedAt: testkit.T0,
	}
	if err := store.NewPlugin(a.DB).CreatePackage(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/admin/plugins/core", extensions + "/plugin/core"} {
		res := a.Do(t, testkit.Delete(admin, path))
		testkit.WantError(t, res, http.StatusConflict, "BUILTIN_PLUGIN")
		if got := res.Text(t, "error.message"); got != "Cannot uninstall built-in plugins" {
			t.Errorf("message = %q", got)
		}
	}
	if res := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/core")); res.Status != http.StatusOK {
		t.Errorf("it is gone: %d", res.Status)
	}
}

func TestExtensionLists(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	for _, slug := range []string{"cc", "aa", "bb"} {
		a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, slug, nil))
	}
	for _, path := range []string{extensions, extensions + "/plugin"} {
		res := a.Do(t, testkit.Get(admin, path+"?limit=2&page=2"))
		want := map[string]any{"page": 2.0, "limit": 2.0, "total": 3.0, "totalPages": 2.0}
		if diff := cmp.Diff(want, res.Get(t, "data.pagination")); diff != "" {
			t.Errorf("%s: pagination (-want +got):\n%s", path, diff)
		}
		items := res.Get(t, "data.items").([]any)
		if len(items) != 1 || items[0].(map[string]any)["slug"] != "cc" {
			t.Errorf("%s: items = %v, want cc", path, items)
		}
		res = a.Do(t, testkit.Get(admin, path+"?limit=101&page=0"))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if n := len(res.Get(t, "error.details.issues").([]any)); n != 2 {
			t.Errorf("%s: %d issues, want both", path, n)
		}
	}
	if res := a.Do(t, testkit.Get(admin, extensions+"/theme-app-shop")); res.Get(t, "data.pagination.total") != 0.0 {
		t.Errorf("theme apps: %d %s", res.Status, res.Body)
	}
	testkit.WantError(t, a.Do(t, testkit.Get(admin, extensions+"/widget")), http.StatusNotFound, "NOT_FOUND")
	testkit.WantError(t, a.Do(t, testkit.Get(admin, extensions+"/theme-app-shop/aa")), http.StatusNotFound, "NOT_FOUND")
	testkit.WantError(t, a.Do(t, testkit.Get(admin, extensions+"/plugin/nope")), http.StatusNotFound, "NOT_FOUND")
	testkit.WantError(t, a.Do(t, testkit.Get(admin, extensions+"/plugin/%00")), http.StatusNotFound, "NOT_FOUND")
	testkit.WantError(t, a.Fetch(t, extensions), http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, a.Do(t, testkit.Get(a.Register(t, "ada").Access, extensions)), http.StatusForbidden,
		"FORBIDDEN")
}
