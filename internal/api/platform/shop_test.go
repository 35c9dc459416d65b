package platform_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/api/limit"
	"stoa/internal/testkit"
)

// routes are those that need a permission, and which.
var routes = map[string]string{
	"GET products": "products:read", "GET products/mail-pack": "products:read",
	"GET orders": "orders:read", "GET orders/x": "orders:read",
	"GET licenses": "licenses:read", "GET licenses/x": "licenses:read",
	"GET users": "users:read", "GET users/x": "users:read",
	"GET storage": "storage:read", "GET storage/k": "storage:read",
	"PUT storage/k": "storage:write", "DELETE storage/k": "storage:write",
	"POST events": "events:publish",
}

func TestEachRouteNeedsItsPermissionAtTheCall(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		all := []string{
			"products:read", "orders:read", "licenses:read", "users:read", "users:email", "storage:read", "storage:write",
			"events:publish",
		}
		h := grantedTo(t, a, all...)
		for route, permission := range routes {
			method, path, _ := strings.Cut(route, " ")
			ask := func() testkit.Response {
				return h.DoUnchecked(t, testkit.Request{Method: method, Path: "/api/v1/platform/" + path, Token: h.token})
			}
			if res := ask(); res.Status == http.StatusForbidden || res.Status == http.StatusUnauthorized {
				t.Errorf("%s with all permissions = %d", route, res.Status)
			}
			var rest []string
			for _, p := range all {
				if p != permission {
					rest = append(rest, p)
				}
			}
			change(t, h.Echo, h.ID, map[string]any{"grantedPermissions": rest})
			res := ask()
			testkit.WantError(t, res, http.StatusForbidden, "PERMISSION_NOT_GRANTED")
			if got := res.Text(t, "error.details.permission"); got != permission {
				t.Errorf("%s names the permission %q, want %q", route, got, permission)
			}
			change(t, h.Echo, h.ID, map[string]any{"grantedPermissions": all})
		}
	})
}

// A permission that stoa does not know may be declared and granted. It grants nothing, however close its
// name is to one that does, and administrators see that.
func TestUnknownPermissionsGrantNothing(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	unknown := []string{
		"*", "orders:*", "orders", "orders:write", "Orders:Read", "orders:read:all", "storage:read+write", "events:*", "admin",
	}
	known := []string{"network:api.example.com", "events:subscribe", "reports:see", "products:read"}
	e := a.InstallEcho(t, map[string]any{
		"permissions":      append(slices.Clone(unknown), known...),
		"routePermissions": []map[string]any{{"method": "GET", "path": "/api/reports", "permission": "reports:see"}},
	})
	const path = "/api/v1/admin/plugins/echo"
	wantUnknown := func(what string, res testkit.Response, field string, want []string) {
		t.Helper()
		if diff := cmp.Diff(res.Get(t, field), anys(want)); diff != "" {
			t.Errorf("%s: %s (-got +want):\n%s", what, field, diff)
		}
	}
	wantUnknown("package", a.Do(t, testkit.Get(e.Admin.Access, path)), "data.unknownPermissions", unknown)
	wantUnknown("extension", a.Do(t, testkit.Get(e.Admin.Access, "/api/v1/admin/extensions/plugin/echo")),
		"data.unknownPermissions", unknown)
	wantUnknown("instance", a.Do(t, testkit.Get(e.Admin.Access, path+"/instances/"+e.ID)), "data.unknownPermissions", unknown)

	h := holder{e, tokenOf(t, e, e.ID)}
	change(t, e, e.ID, map[string]any{"grantedPermissions": unknown})
	for route := range routes {
		method, path, _ := strings.Cut(route, " ")
		res := h.Do(t, testkit.Request{Method: method, Path: "/api/v1/platform/" + path, Token: h.token})
		testkit.WantError(t, res, http.StatusForbidden, "PERMISSION_NOT_GRANTED")
	}
	change(t, e, e.ID, map[string]any{"grantedPermissions": append([]string{"admin"}, known...)})
	wantUnknown("instance with one", a.Do(t, testkit.Get(e.Admin.Access, path+"/instances/"+e.ID)),
		"data.unknownPermissions", []string{"admin"})
	change(t, e, e.ID, map[string]any{"grantedPermissions": known})
	if res := a.Do(t, testkit.Get(e.Admin.Access, path+"/instances/"+e.ID)); strings.Contains(string(res.Body), "unknownPermissions") {
		t.Errorf("an instance without any = %s", res.Body)
	}
}

func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

func TestADisabledOrUninstalledInstancesTokenIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		h := grantedTo(t, a, "storage:read")
		want := func(status int) {
			t.Helper()
			for _, path := range []string{"config", "storage"} {
				if res := h.get(t, path); res.Status != status {
					t.Errorf("%s = %d, want %d\n%s", path, res.Status, status, res.Body)
				}
			}
		}
		want(http.StatusOK)
		change(t, h.Echo, h.ID, map[string]any{"enabled": false})
		want(http.StatusUnauthorized)
		change(t, h.Echo, h.ID, map[string]any{"enabled": true})
		want(http.StatusUnauthorized)
		h.token = tokenOf(t, h.Echo, h.ID)
		want(http.StatusOK)
		h.Do(t, testkit.Request{Method: http.MethodDelete, Path: "/api/v1/admin/plugins/echo", Token: h.Admin.Access})
		want(http.StatusUnauthorized)
	})
}

func TestOnlyPluginTokensOpenThePlatformAPI(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	h := grantedTo(t, a, "users:read")
	for name, token := range map[string]string{"nobody": "", "an administrator": h.Admin.Access, "nonsense": "a.b.c"} {
		if res := a.Do(t, testkit.Get(token, "/api/v1/platform/users")); res.Status != http.StatusUnauthorized {
			t.Errorf("%s = %d", name, res.Status)
		}
	}
	if res := a.Do(t, testkit.Get(h.token, "/api/v1/admin/users")); res.Status != http.StatusUnauthorized {
		t.Errorf("a plugin's token at the administrators' API = %d", res.Status)
	}
}

func TestPluginsSeeTheShop(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		h := grantedTo(t, a, "products:read", "orders:read", "licenses:read", "users:read", "users:email")
		a.ImportCatalog(t)
		buyer := a.Register(t, "ada")
		bought := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: testkit.Products + "/mail-pack/purchase", Token: buyer.Access,
			Body: map[string]any{"tierId": "once", "paymentMethod": "card", "billingInfo": map[string]string{"email": "ada@example.com"}},
		})
		key := bought.Text(t, "licenseKey")
		orderID := bought.Text(t, "orderId")
		licenseID := h.get(t, "orders/"+orderID).Text(t, "data.licenseId")

		slug := h.get(t, "products?limit=1").Text(t, "data.items.0.slug")
		if got := h.get(t, "products/"+slug).Text(t, "data.slug"); got != slug {
			t.Errorf("product %q, want %q", got, slug)
		}
		for _, path := range []string{"orders?status=paid", "orders/" + orderID} {
			res := h.get(t, path)
			if got := string(res.Body); res.Status != 200 || !strings.Contains(got, orderID) ||
				!strings.Contains(got, `"billingInfo"`) {
				t.Errorf("%s = %d %s", path, res.Status, got)
			}
		}
		for _, path := range []string{"licenses?user=" + buyer.UserID, "licenses/" + licenseID} {
			res := h.get(t, path)
			if got := string(res.Body); res.Status != 200 || !strings.Contains(got, licenseID) || strings.Contains(got, key) ||
				strings.Contains(got, "licenseKey") {
				t.Errorf("%s = %d %s", path, res.Status, got)
			}
		}
		for _, path := range []string{"users", "users/" + buyer.UserID} {
			if got := string(h.get(t, path).Body); !strings.Contains(got, `"ada@example.com"`) {
				t.Errorf("%s = %s", path, got)
			}
		}

		change(t, h.Echo, h.ID, map[string]any{"grantedPermissions": []string{"orders:read", "users:read"}})
		for _, path := range []string{"orders", "orders/" + orderID, "users", "users/" + buyer.UserID} {
			res := h.get(t, path)
			if got := string(res.Body); res.Status != 200 || strings.Contains(got, "@") || strings.Contains(got, "billingInfo") {
				t.Errorf("without users:email, %s = %d %s", path, res.Status, got)
			}
		}
		for _, path := range []string{"orders?q=ada", "orders?email=ada@example.com", "users?q=ada"} {
			testkit.WantError(t, h.get(t, path), http.StatusBadRequest, "VALIDATION_ERROR")
		}
		for _, path := range []string{"orders/none", "users/none"} {
			if res := h.get(t, path); res.Status != http.StatusNotFound {
				t.Errorf("%s = %d", path, res.Status)
			}
		}
	})
}

func TestCallsAreLimitedPerInstallation(t *testing.T) {
	t.Parallel()
	a := testkit.New(t, testkit.Limited)
	h := grantedTo(t, a)
	for range limit.Platform.Limit {
		if res := h.get(t, "config"); res.Status != http.StatusOK {
			t.Fatalf("config = %d %s", res.Status, res.Body)
		}
	}
	testkit.WantError(t, h.get(t, "config"), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
	second := a.Do(t, testkit.Post(h.Admin.Access, "/api/v1/admin/plugins/echo/instances", map[string]any{
		"instanceKey": "second",
	}))
	other := holder{h.Echo, tokenOf(t, h.Echo, second.Text(t, "data.installationId"))}
	if res := other.get(t, "config"); res.Status != http.StatusOK {
		t.Errorf("another installation's call = %d %s", res.Status, res.Body)
	}
}
