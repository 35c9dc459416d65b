package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// emails returns the addresses in a list of users.
func emails(tb testing.TB, res testkit.Response) []string {
	tb.Helper()
	list := []string{}
	items, _ := res.Get(tb, "data.items").([]any)
	for _, it := range items {
		name, _, _ := strings.Cut(it.(map[string]any)["email"].(string), "@")
		list = append(list, name)
	}
	return list
}

func TestAdministratorsFindUsers(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root")
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		if err := a.Accounts.SetActive(t.Context(), bob.UserID, false); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string][]string{
			"":                           {"ada", "bob", "root"},
			"?q=ADA":                     {"ada"},
			"?q=example.com&role=USER":   {"ada", "bob"},
			"?role=ADMIN":                {"root"},
			"?active=false":              {"bob"},
			"?active=true&q=b":           {},
			"?limit=2&page=2":            nil, // one of the three: all were made in the same moment
			"?q=%25":                     {},
			"?q=" + url.QueryEscape("'"): {},
		} {
			res := a.Do(t, testkit.Get(root.Access, "/api/v1/admin/users"+query))
			got := emails(t, res)
			slices.Sort(got)
			if res.Status != http.StatusOK || want != nil && !slices.Equal(got, want) || want == nil && len(got) != 1 {
				t.Errorf("GET %s = %d, %q; want %q", query, res.Status, got, want)
			}
		}
		res := a.Do(t, testkit.Get(root.Access, "/api/v1/admin/users?page=0&limit=101&active=maybe&role=root&q=%00"))
		if issues, _ := res.Get(t, "error.details.issues").([]any); res.Status != http.StatusBadRequest ||
			len(issues) != 5 {
			t.Errorf("five faults = %d, %s", res.Status, res.Body)
		}
		one := a.Do(t, testkit.Get(root.Access, "/api/v1/admin/users/"+ada.UserID))
		if one.Status != http.StatusOK || one.Text(t, "data.email") != "ada@example.com" ||
			one.Get(t, "data.active") != true {
			t.Errorf("GET one = %d, %s", one.Status, one.Body)
		}
		for _, id := range []string{"nobody", "a%00b", "%F0%9F%98%80"} {
			res := a.Do(t, testkit.Get(root.Access, "/api/v1/admin/users/"+id))
			if res.Status != http.StatusNotFound || res.Text(t, "error.code") != "USER_NOT_FOUND" {
				t.Errorf("GET %s = %d, %s", id, res.Status, res.Body)
			}
		}
	})
}

func TestOnlyAdministratorsManage(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	ada := a.Register(t, "ada")
	for _, op := range []string{
		"GET /api/v1/admin/users", "GET /api/v1/admin/users/" + ada.UserID,
		"PATCH /api/v1/admin/users/" + ada.UserID, "GET /api/v1/admin/audit",
	} {
		method, path, _ := strings.Cut(op, " ")
		for token, want := range map[string]int{"": http.StatusUnauthorized, ada.Access: http.StatusForbidden} {
			if res := a.Do(t, testkit.Request{
				Method: method, Path: path, Token: token, Body: `{"role":"ADMIN"}`,
			}); res.Status != want {
				t.Errorf("%s = %d, want %d", op, res.Status, want)
			}
		}
	}
}

func TestAdministratorsChangeUsers(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root, ada := a.Admin(t, "root"), a.Register(t, "ada")
		patch := func(token, id, body string) testkit.Response {
			t.Helper()
			return a.Do(t, testkit.Patch(token, "/api/v1/admin/users/"+id, body))
		}
		for body, faults := range map[string]int{
			`{"active":"yes","role":"ROOT"}`: 2, `{"active":1,"role":2}`: 2,
			`{"role":""}`: 1, `[]`: 1, `{"role":"admin"}`: 1,
		} {
			res := patch(root.Access, ada.UserID, body)
			if issues, _ := res.Get(t, "error.details.issues").([]any); res.Status != http.StatusBadRequest ||
				len(issues) != faults {
				t.Errorf("PATCH %s = %d, %s; want %d faults", body, res.Status, res.Body, faults)
			}
		}
		if res := patch(root.Access, "nobody", `{"active":false}`); res.Status != http.StatusNotFound {
			t.Errorf("PATCH nobody = %d", res.Status)
		}
		for _, body := range []string{`{"active":false}`, `{"role":"USER"}`} {
			if res := patch(root.Access, root.UserID, body); res.Status != http.StatusConflict ||
				res.Text(t, "error.code") != "LAST_ADMINISTRATOR" {
				t.Errorf("PATCH of the last administrator = %d, %s", res.Status, res.Body)
			}
		}
		if res := patch(root.Access, ada.UserID, `{"role":"ADMIN"}`); res.Status != http.StatusOK ||
			res.Text(t, "data.role") != "ADMIN" {
			t.Fatalf("promotion = %d, %s", res.Status, res.Body)
		}
		// It takes effect at once, also for an old token; and root is not the
		// last administrator any more.
		if res := patch(ada.Access, root.UserID, `{"active":false,"unknown":1}`); res.Status != http.StatusOK ||
			res.Get(t, "data.active") != false {
			t.Fatalf("deactivation = %d, %s", res.Status, res.Body)
		}
		if res := patch(root.Access, ada.UserID, `{"role":"USER"}`); res.Status != http.StatusUnauthorized {
			t.Errorf("with the token of a deactivated user = %d, want 401", res.Status)
		}

		res := a.Do(t, testkit.Get(ada.Access, "/api/v1/admin/audit?action=user"))
		var got []string
		items, _ := res.Get(t, "data.items").([]any)
		for _, it := range items {
			e := it.(map[string]any)
			actor, target := e["actor"].(map[string]any), e["target"].(map[string]any)
			name, _ := actor["name"].(string)
			got = append(got,
				strings.Join([]string{e["action"].(string), actor["kind"].(string), name, target["id"].(string)}, " "))
			if actor["kind"] == "user" && (e["address"] != "127.0.0.1" || e["requestId"] == nil) {
				t.Errorf("entry without address or request: %v", e)
			}
		}
		want := []string{
			"user.deactivate user ada@example.com " + root.UserID,
			"user.role user root@example.com " + ada.UserID,
			"user.create system  " + root.UserID,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
		bad := a.Do(t, testkit.Get(ada.Access, "/api/v1/admin/audit?from=today&to=x&actor=%00&limit=0"))
		if issues, _ := bad.Get(t, "error.details.issues").([]any); bad.Status != http.StatusBadRequest ||
			len(issues) != 4 {
			t.Errorf("four faults = %d, %s", bad.Status, bad.Body)
		}
		none := a.Do(t, testkit.Get(ada.Access, "/api/v1/admin/audit?from=2031-01-01T00:00:00Z"))
		if items, _ := none.Get(t, "data.items").([]any); none.Status != http.StatusOK || len(items) != 0 {
			t.Errorf("from a later moment = %d, %s", none.Status, none.Body)
		}
	})
}
