package takeover_test

import (
	"net/http"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const roles = "/api/v1/admin/roles"

// refuse sends a request that must be refused for the lack of a permission.
func (w *world) refuse(t *testing.T, req testkit.Request, lacks string) {
	t.Helper()
	res := w.Do(t, req)
	if testkit.WantError(t, res, http.StatusForbidden, "FORBIDDEN"); res.Text(t, "error.details.permission") != lacks {
		t.Errorf("%s %s = %s, want the permission %s", req.Method, req.Path, res.Body, lacks)
	}
}

// Somebody who manages staff gives neither others nor themselves more than they have.
func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, users := w.Admin(t, "root"), "/api/v1/admin/users/"
		add := func(name string, permissions ...string) {
			t.Helper()
			w.post(t, root.Access, roles, map[string]any{"name": name, "permissions": permissions}, http.StatusCreated)
		}
		add("HIRING", "staff:read", "staff:write", "users:read", "users:write", "users:sessions", "users:security", "orders:read")
		add("READER", "orders:read")
		add("PAYER", "orders:read", "orders:refund")
		eve, bob, ada := w.staff(t, "eve@example.com", "eve", "HIRING"), w.staff(t, "bob@example.com", "bob", "USER"), w.staff(t, "ada@example.com", "ada", "SUPPORT")

		// Others: what eve lacks she cannot give; what she has she can.
		for role, lacks := range map[string]string{
			"PAYER": "orders:refund", "FINANCE": "overview:read", "ADMIN": "staff:write",
		} {
			w.refuse(t, testkit.Patch(eve.Access, users+bob.UserID, `{"role":"`+role+`"}`), lacks)
		}
		if res := w.Do(t, testkit.Patch(eve.Access, users+bob.UserID, `{"role":"READER"}`)); res.Status != http.StatusOK {
			t.Errorf("a role that she has herself = %d %s", res.Status, res.Body)
		}
		// Herself: by her name, and by her role.
		w.refuse(t, testkit.Patch(eve.Access, users+eve.UserID, `{"role":"USER"}`), "staff:write")
		w.refuse(t, testkit.Patch(eve.Access, roles+"/HIRING", `{"permissions":["orders:read"]}`), "staff:write")
		// A role with foreign permissions: made, changed before it is given, or deleted.
		w.refuse(t, testkit.Post(eve.Access, roles, map[string]any{"name": "MINE", "permissions": []string{"keys:rotate"}}), "keys:rotate")
		w.refuse(t, testkit.Patch(eve.Access, roles+"/READER", `{"permissions":["orders:refund"]}`), "orders:refund")
		w.refuse(t, testkit.Patch(eve.Access, roles+"/PAYER", `{"permissions":[]}`), "orders:refund")
		w.refuse(t, testkit.Request{Method: "DELETE", Path: roles + "/PAYER", Token: eve.Access}, "orders:refund")

		// Somebody above her.
		for _, above := range []string{ada.UserID, root.UserID} {
			lacks := map[string]string{ada.UserID: "overview:read", root.UserID: "staff:write"}[above]
			for _, req := range []testkit.Request{
				testkit.Patch(eve.Access, users+above, `{"active":false}`),
				testkit.Patch(eve.Access, users+above, `{"role":"USER"}`),
				{Method: "DELETE", Path: users + above + "/sessions", Token: eve.Access},
				{Method: "DELETE", Path: users + above + "/sessions/x", Token: eve.Access},
				{Method: "POST", Path: users + above + "/password-reset", Token: eve.Access},
				{Method: "POST", Path: users + above + "/email/revert", Token: eve.Access},
				{Method: "POST", Path: users + above + "/second-factor/reset", Token: eve.Access},
				{Method: "DELETE", Path: users + above + "/second-factor/reset", Token: eve.Access},
			} {
				if above == root.UserID && req.Method == "PATCH" {
					continue // the last administrator is told so first
				}
				w.refuse(t, req, lacks)
			}
		}
		if res := w.Do(t, testkit.Request{Method: "DELETE", Path: users + bob.UserID + "/sessions", Token: eve.Access}); res.Status != http.StatusOK {
			t.Errorf("sessions of somebody below = %d %s", res.Status, res.Body)
		}

		// It holds at once: READER gains what eve lacks, and bob is above her from then on.
		if res := w.Do(t, testkit.Patch(root.Access, roles+"/READER", `{"permissions":["keys:rotate"]}`)); res.Status != http.StatusOK {
			t.Fatalf("change = %d %s", res.Status, res.Body)
		}
		w.refuse(t, testkit.Patch(eve.Access, users+bob.UserID, `{"active":false}`), "keys:rotate")
	})
}

// An operator installs a plugin that asks for what the operator may not see, and for the network.
func TestAPluginGetsNoMoreThanWhoeverInstallsItHas(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, eve := w.Admin(t, "root"), w.staff(t, "eve@example.com", "eve", "OPERATOR")
		asks := func(version string) []byte {
			return testkit.ExternalPlugin(t, "spy", map[string]any{"version": version, "permissions": []string{
				"products:read", "orders:read", "users:email", "network:evil.example", "events:subscribe", "storage:write",
			}})
		}
		if res := w.Install(t, eve.Access, "plugin", asks("1.0.0")); res.Status != http.StatusCreated {
			t.Fatalf("install = %d %s", res.Status, res.Body)
		}
		instances := "/api/v1/admin/plugins/spy/instances"
		list, _ := w.Do(t, testkit.Get(root.Access, instances)).Get(t, "data.items").([]any)
		id, _ := list[0].(map[string]any)["installationId"].(string)
		granted := func(token string) int {
			t.Helper()
			got, _ := w.Do(t, testkit.Get(token, instances+"/"+id)).Get(t, "data.grantedPermissions").([]any)
			return len(got)
		}
		if n := granted(root.Access); n != 2 {
			t.Errorf("it has %d permissions, want products:read and storage:write", n)
		}
		all := `{"grantedPermissions":["products:read","orders:read","storage:write"]}`
		w.refuse(t, testkit.Patch(eve.Access, instances+"/"+id, all), "extensions:trust")
		w.refuse(t, testkit.Post(eve.Access, instances, map[string]any{
			"instanceKey": "two", "grantedPermissions": []string{"network:evil.example"},
		}), "extensions:trust")
		if n := granted(root.Access); n != 2 {
			t.Errorf("after the refusals it has %d permissions", n)
		}
		// An administrator consents; the consent is for this code. The instance is off: nobody answers for it.
		consent := `{"enabled":false,` + all[1:]
		if res := w.Do(t, testkit.Patch(root.Access, instances+"/"+id, consent)); res.Status != http.StatusOK || granted(root.Access) != 3 {
			t.Fatalf("consent = %d %s", res.Status, res.Body)
		}
		res := w.Install(t, eve.Access, "plugin", asks("2.0.0"))
		testkit.WantError(t, res, http.StatusForbidden, "FORBIDDEN")
		if got := w.Do(t, testkit.Get(root.Access, "/api/v1/admin/plugins/spy")).Text(t, "data.version"); got != "1.0.0" {
			t.Errorf("the version is %s", got)
		}
		if res := w.Install(t, root.Access, "plugin", asks("2.0.0")); res.Status != http.StatusOK {
			t.Errorf("an administrator's upgrade = %d %s", res.Status, res.Body)
		}
		// The way back is free only to code that had the same consent.
		back := testkit.Post(eve.Access, "/api/v1/admin/plugins/spy/rollback", nil)
		grant := func(permissions string) {
			t.Helper()
			if res := w.Do(t, testkit.Patch(root.Access, instances+"/"+id, `{"grantedPermissions":[`+permissions+`]}`)); res.Status != http.StatusOK {
				t.Fatalf("grant = %d %s", res.Status, res.Body)
			}
		}
		set := func(on string) {
			t.Helper()
			if res := w.Do(t, testkit.Patch(root.Access, "/api/v1/admin/plugins/spy", `{"allowCookies":`+on+`}`)); res.Status != http.StatusOK {
				t.Fatalf("settings = %d %s", res.Status, res.Body)
			}
		}
		grant(`"orders:read","users:email"`)
		w.refuse(t, back, "extensions:trust")
		grant(`"orders:read"`)
		set("true")
		w.refuse(t, back, "extensions:trust")
		set("false")
		for _, version := range []string{"1.0.0", "2.0.0"} {
			if res := w.Do(t, back); res.Status != http.StatusOK || res.Text(t, "data.version") != version {
				t.Errorf("back to %s = %d %s", version, res.Status, res.Body)
			}
		}
	})
}

// A script on the shop's origin would act with an administrator's session.
func TestAnOperatorPutsNoScriptOnTheShopsOrigin(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, eve := w.Admin(t, "root"), w.staff(t, "eve@example.com", "eve", "OPERATOR")
		app := testkit.ThemeApp(t, "evil", "1.0.0", nil, map[string]string{"server.js": "export default () => {}"})
		res := w.Install(t, eve.Access, "theme-app-shop", app)
		testkit.WantError(t, res, http.StatusForbidden, "FORBIDDEN")
		if res := w.Do(t, testkit.Get(root.Access, "/api/v1/admin/extensions/theme-app-shop")); res.Get(t, "data.pagination.total") != 0.0 {
			t.Errorf("installed are %s", res.Body)
		}
		if res := w.Install(t, eve.Access, "plugin", testkit.ExternalPlugin(t, "tool", nil)); res.Status != http.StatusCreated {
			t.Fatalf("install = %d %s", res.Status, res.Body)
		}
		settings := "/api/v1/admin/plugins/tool"
		for _, name := range []string{"allowSameOrigin", "allowCookies", "allowCors", "allowAuthorization"} {
			w.refuse(t, testkit.Patch(eve.Access, settings, `{"`+name+`":true}`), "extensions:trust")
		}
		if res := w.Do(t, testkit.Patch(root.Access, settings, `{"allowSameOrigin":true}`)); res.Status != http.StatusOK {
			t.Fatalf("an administrator's change = %d %s", res.Status, res.Body)
		}
		res = w.Install(t, eve.Access, "plugin", testkit.ExternalPlugin(t, "tool", map[string]any{"version": "1.0.1"}))
		testkit.WantError(t, res, http.StatusForbidden, "FORBIDDEN")
		if res := w.Do(t, testkit.Patch(eve.Access, settings, `{"allowSameOrigin":false}`)); res.Status != http.StatusOK {
			t.Errorf("what takes rights away = %d %s", res.Status, res.Body)
		}
	})
}

// The attacker has the password of staff who owe a second factor, and wants what asks for none.
func TestAPasswordAloneGetsNoKeyWhereStaffNeedAFactor(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.staff(t, "root@example.com", "root", "ADMIN")
		id, _ := w.key(t, root.Access, "orders:read")
		w.rules(func(r *account.Rules) { r.Safeguards.StaffFactor = account.StaffFactorRequired })
		for _, path := range []string{"/auth/api-keys", "/auth/api-keys/" + id + "/rotate"} {
			res := w.Do(t, testkit.Post(root.Access, path, map[string]any{"name": "mine", "scopes": []string{"orders:read"}}))
			testkit.WantError(t, res, http.StatusForbidden, "STAFF_FACTOR_REQUIRED")
		}
	})
}

// Consent is a person's: a key that installs plugins gives them nothing, whatever its owner may do.
func TestAKeyConsentsToNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.staff(t, "root@example.com", "root", "ADMIN")
		_, key := w.key(t, root.Access, "extensions:install", "extensions:configure", "extensions:trust", "orders:read", "users:email")
		res := w.Install(t, key, "plugin", testkit.ExternalPlugin(t, "spy", map[string]any{"permissions": []string{
			"products:read", "orders:read", "users:email", "network:evil.example", "events:subscribe",
		}}))
		got, _ := res.Get(t, "data.permissions.granted").([]any)
		if res.Status != http.StatusCreated || len(got) != 1 || got[0] != "products:read" {
			t.Errorf("install = %d, granted %v", res.Status, got)
		}
	})
}
