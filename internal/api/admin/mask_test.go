package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/staff"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
)

// showsBehalf fails the test unless the audit log shows the user as whom staff did something under these names,
// by token.
func showsBehalf(t *testing.T, a *testkit.App, root, userID string, names map[string]string) {
	t.Helper()
	const admin = "/api/v1/admin"
	seen := a.Do(t, testkit.Post(root, admin+"/users/"+userID+"/impersonate", map[string]any{
		"reason": "Ticket 4711: buy it for her.", "write": true,
	}))
	a.Do(t, testkit.Purchase(seen.Text(t, "data.access_token"), "free"))
	for token, want := range names {
		log := a.Do(t, testkit.Get(token, admin+"/audit?action=order.create"))
		if !strings.Contains(string(log.Body), `"onBehalfOf":{"id":"`+userID+`","name":"`+want+`"}`) {
			t.Errorf("the user is shown as %s, want %s", log.Body, want)
		}
	}
}

// Who people are is for those whose job needs it: all others find nobody by an address, and see none.
func TestStaffWithoutTheRightSeeNoAddresses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root := a.Admin(t, "root")
		ada := a.Register(t, "ada")
		bought := a.Buy(t, ada.Access, "once")
		orderID, key := bought.Text(t, "orderId"), bought.Text(t, "licenseKey")
		tail := key[strings.LastIndexByte(key, '-')+1:]
		if res := a.Do(t, testkit.Patch(root.Access, "/api/v1/admin/users/"+ada.UserID, `{"active":true,"role":"ANALYST"}`)); res.Status != http.StatusOK {
			t.Fatal(res)
		}
		if _, err := a.Accounts.UpdateUser(t.Context(), ada.UserID, account.UserChange{Role: "USER"}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Roles.Create(t.Context(), staff.NewRole{Name: "BLIND", Permissions: []permission.Name{
			permission.ReadUsers, permission.ReadOrders, permission.ReadLicenses, permission.ReadAudit, permission.ReadStaff,
		}}); err != nil {
			t.Fatal(err)
		}
		employ := func(name, role string) string {
			t.Helper()
			u := a.Register(t, name)
			if _, err := a.Accounts.UpdateUser(t.Context(), u.UserID, account.UserChange{Role: reqctx.Role(role)}); err != nil {
				t.Fatal(err)
			}
			return u.Access
		}
		blind, support := employ("bob", "BLIND"), employ("sue", "SUPPORT")
		const admin = "/api/v1/admin"
		showsBehalf(t, a, root.Access, ada.UserID, map[string]string{blind: "a…@example.com", root.Access: "ada@example.com"})
		for _, path := range []string{
			"/users", "/users/" + ada.UserID, "/users/" + ada.UserID + "/sessions", "/staff", "/orders", "/orders/" + orderID, "/licenses", "/audit", "/users.csv", "/orders.csv", "/licenses.csv",
		} {
			if res := a.Do(t, testkit.Get(blind, admin+path)); res.Status != http.StatusOK || strings.Contains(string(res.Body), "ada@") ||
				strings.Contains(string(res.Body), "root@") {
				t.Errorf("%s = %d %s", path, res.Status, res.Body)
			}
		}
		if res := a.Do(t, testkit.Get(blind, admin+"/users/"+ada.UserID)); res.Text(t, "data.email") != "a…@example.com" {
			t.Errorf("the address is %s", res.Body)
		}
		for _, path := range []string{
			"/users?q=ada@example.com", "/users?q=" + tail, "/orders?q=ada@", "/orders?email=ada@example.com", "/orders?q=" + tail,
			"/licenses?q=ada@", "/licenses?q=" + tail, "/audit?q=root@example.com", "/audit?actor=root@example.com",
		} {
			if res := a.Do(t, testkit.Get(blind, admin+path)); res.Status != http.StatusOK || res.Get(t, "data.pagination.total") != 0.0 {
				t.Errorf("%s = %d %s", path, res.Status, res.Body)
			}
		}
		search := func(token, q string) string {
			t.Helper()
			return string(a.Do(t, testkit.Post(token, admin+"/search", map[string]string{"q": q})).Body)
		}
		for _, q := range []string{"ada@example.com", tail} {
			if got := search(blind, q); !strings.Contains(got, `"groups":[]`) {
				t.Errorf("a search for %s finds %s", q, got)
			}
		}
		if got := search(blind, ada.UserID); strings.Contains(got, "ada@") || !strings.Contains(got, "a…@example.com") {
			t.Errorf("a search by id finds %s", got)
		}
		if got := search(support, "ada@example.com"); !strings.Contains(got, "ada@example.com") || !strings.Contains(got, orderID) {
			t.Errorf("support finds %s", got)
		}
		// Support sees what was done to customers, and nothing of staff or settings.
		list := a.Do(t, testkit.Get(support, admin+"/audit"))
		items, _ := list.Get(t, "data.items").([]any)
		for _, it := range items {
			target := it.(map[string]any)["target"].(map[string]any)
			if kind := target["type"]; kind != "user" && kind != "order" && kind != "license" && kind != "review" || kind == "user" && target["id"] != ada.UserID {
				t.Errorf("support sees %v", it)
			}
		}
		if len(items) == 0 {
			t.Error("support sees nothing of what was done to ada")
		}
	})
}
