package extension_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"stoa/internal/testkit"
)

// fromSelf installs a product of the market as from that of another stoa. Nil grants are left out.
func (m market) fromSelf(tb testing.TB, token, product string, grants []string) testkit.Response {
	tb.Helper()
	body := object{}
	if grants != nil {
		body["grants"] = grants
	}
	return m.Do(tb, testkit.Post(token, marketsPath+"/self/products/"+product+"/install", body))
}

// grantedTo returns what the instances of a plugin may do, each as its key and a list.
func (m market) grantedTo(tb testing.TB, slug string) string {
	tb.Helper()
	res := m.Do(tb, testkit.Get(m.admin, "/api/v1/admin/plugins/"+slug+"/instances"))
	var all []string
	for _, item := range res.Get(tb, "data.items").([]any) {
		in := item.(object)
		all = append(all, fmt.Sprint(in["instanceKey"], in["grantedPermissions"]))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

// Consent at an install from the shop's own market holds as it does at one from another stoa.
func TestGrantsAtAnInstallFromTheOwnMarket(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		release := func(product, slug, version string, permissions ...string) {
			t.Helper()
			wantAnswer(t, m.publish(t, product, acme.Sign(t, testkit.ExternalPlugin(t, slug, object{
				"version": version, "permissions": permissions,
				"configSchema": object{"key": object{"type": "string", "required": true}},
			}))), http.StatusCreated, "")
		}
		wantGranted := func(what, slug, want string) {
			t.Helper()
			if got := m.grantedTo(t, slug); got != want {
				t.Errorf("%s: granted %s, want %s", what, got, want)
			}
		}
		release("bare", "courier", "1.0.0", "users:read", "orders:read", "storage:read")

		res := m.fromSelf(t, m.admin, "bare", []string{"users:read", "users:email", "x"})
		wantAnswer(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		issues := res.Get(t, "error.details.issues").([]any)
		if len(issues) != 2 || issues[0].(object)["path"] != "grants" || issues[0].(object)["code"] != "unknown_value" {
			t.Errorf("issues %v", issues)
		}
		oscar := m.Register(t, "oscar")
		wantAnswer(t, m.Do(t, testkit.Patch(m.admin, "/api/v1/admin/users/"+oscar.UserID, `{"role":"OPERATOR"}`)), http.StatusOK, "")
		wantAnswer(t, m.fromSelf(t, oscar.Access, "bare", []string{"storage:read", "users:read"}), http.StatusForbidden, "FORBIDDEN")
		if res := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/plugins/courier")); res.Status != http.StatusNotFound {
			t.Errorf("installed all the same: %s", res.Body)
		}

		res = m.fromSelf(t, m.admin, "bare", []string{"users:read"})
		wantAnswer(t, res, http.StatusCreated, "")
		if got := fmt.Sprint(res.Get(t, "data.permissions.granted")); got != "[users:read]" {
			t.Errorf("answered %s", got)
		}
		wantGranted("a first install", "courier", "[default[users:read]]")

		release("bare", "courier", "1.1.0", "users:read", "orders:read", "storage:read", "storage:write")
		res = m.fromSelf(t, m.admin, "bare", []string{"storage:write"})
		wantAnswer(t, res, http.StatusOK, "")
		if got := fmt.Sprint(res.Get(t, "data.previousVersion"), res.Get(t, "data.permissions.granted"),
			res.Get(t, "data.defaultInstance.grantedPermissions")); got != "1.0.0[users:read storage:write] [users:read storage:write]" {
			t.Errorf("answered %s", got)
		}
		wantGranted("an upgrade", "courier", "[default[users:read storage:write]]")
		wantAnswer(t, m.fromSelf(t, m.admin, "bare", []string{"orders:read"}), http.StatusOK, "")
		wantGranted("the same version", "courier", "[default[users:read storage:write orders:read]]")
		wantAnswer(t, m.fromSelf(t, m.admin, "bare", []string{}), http.StatusOK, "")
		wantAnswer(t, m.fromSelf(t, m.admin, "bare", nil), http.StatusOK, "")
		wantGranted("nothing more", "courier", "[default[users:read storage:write orders:read]]")

		// Without grants it is as POST /admin/market/{slug}/install: everything that the caller may give.
		release("hidden", "parcel", "1.0.0", "users:read", "orders:read")
		wantAnswer(t, m.Do(t, testkit.Patch(m.admin, "/api/v1/admin/products/hidden", `{"published":true}`)), http.StatusOK, "")
		wantAnswer(t, m.fromSelf(t, m.admin, "hidden", nil), http.StatusCreated, "")
		wantGranted("without grants", "parcel", "[default[users:read orders:read]]")
	})
}

// Of a bundle's grants each plugin gets what it declares, and an upgrade adds to what it has.
func TestGrantsToABundleOfTheOwnMarket(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	release := func(version string) {
		t.Helper()
		wantAnswer(t, m.Do(t, testkit.Request{
			Method: http.MethodPut, Path: "/api/v1/admin/products/bare/package?kind=bundle", Token: m.admin,
			Body:   acme.Sign(t, starterBundle(t, version, object{"instanceKey": "default"}, object{"instanceKey": "second"})),
			Header: http.Header{"Content-Type": {"application/zip"}},
		}), http.StatusCreated, "")
	}
	release("1.0.0")
	wantAnswer(t, m.fromSelf(t, m.admin, "bare", []string{"users:read"}), http.StatusBadRequest, "VALIDATION_ERROR")
	wantAnswer(t, m.fromSelf(t, m.admin, "bare", []string{"orders:read"}), http.StatusCreated, "")
	if got := m.grantedTo(t, "pay"); got != "[default[orders:read] second[orders:read]]" {
		t.Errorf("installed: granted %s", got)
	}
	release("1.1.0")
	wantAnswer(t, m.fromSelf(t, m.admin, "bare", []string{"orders:write"}), http.StatusOK, "")
	if got := m.grantedTo(t, "pay"); got != "[default[orders:read orders:write] second[orders:read]]" {
		t.Errorf("upgraded: granted %s", got)
	}
}
