package httpapi_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/staff"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
)

// rights is the table of docs/permissions.md: which permissions open an operation, and which roles have each.
type rights struct {
	opens map[string][]string // permissions by "GET /api/v1/admin/orders"
	roles map[string][]string // permissions by role
	noKey []string            // permissions that no API key can have
}

var (
	rightsRow = regexp.MustCompile("(?m)^\\| (`[a-z:-]+`|any of them) \\| (.+) \\| (.+) \\|$")
	pathParam = regexp.MustCompile(`\{\w+\}`)
	quoted    = regexp.MustCompile("`([^`]+)`")
	noKeyRow  = regexp.MustCompile(`(?m)^No API key opens .*: (.+)\.$`)
)

func readRights(tb testing.TB) rights {
	tb.Helper()
	text, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		tb.Fatal(err)
	}
	r := rights{opens: make(map[string][]string), roles: make(map[string][]string)}
	for _, name := range quoted.FindAllStringSubmatch(noKeyRow.FindStringSubmatch(string(text))[1], -1) {
		r.noKey = append(r.noKey, name[1])
	}
	for _, row := range rightsRow.FindAllStringSubmatch(string(text), -1) {
		name := strings.Trim(row[1], "`")
		if row[1] == "any of them" {
			name = "any"
		}
		for _, op := range quoted.FindAllStringSubmatch(row[2], -1) {
			method, path, ok := strings.Cut(op[1], " /")
			if !ok {
				continue // of a description
			}
			methods := []string{method}
			switch method {
			case "ANY":
				methods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
			case "GET":
				methods = append(methods, "HEAD")
			}
			for _, m := range methods {
				key := m + " /api/v1/admin/" + path
				r.opens[key] = append(r.opens[key], name)
			}
		}
		for _, role := range quoted.FindAllStringSubmatch(row[3], -1) {
			r.roles[role[1]] = append(r.roles[role[1]], name)
		}
		r.roles["ADMIN"] = append(r.roles["ADMIN"], name)
	}
	return r
}

// caller is somebody with a role, who signs in or shows an API key with all that the role allows.
type caller struct {
	name, role, token string
	key               bool
}

// callersOf returns everybody whom the table speaks of: each role, an own one, a customer and a guest; and, but for the
// guest, keys of theirs and of service accounts that they made.
func (w *world) callersOf(t *testing.T, own []permission.Name) []caller {
	t.Helper()
	if _, err := w.Roles.Create(t.Context(), staff.NewRole{Name: ownRole, Permissions: own}); err != nil {
		t.Fatal(err)
	}
	all := []caller{{name: "a guest", role: "guest"}}
	for _, role := range append(permission.StaffRoles(), ownRole, "USER") {
		u := w.Register(t, "with-"+strings.ToLower(strings.ReplaceAll(role, "_", "-")))
		if _, err := w.Accounts.UpdateUser(t.Context(), u.UserID, account.UserChange{Role: reqctx.Role(role)}); err != nil {
			t.Fatal(err)
		}
		who := reqctx.Caller{UserID: u.UserID, Role: reqctx.Role(role), Rights: permission.OfRole(role, permission.Join(own))}
		scopes := slices.DeleteFunc(who.Rights.Names(), func(name permission.Name) bool { return !apikey.IsScope(name) })
		all = append(all,
			caller{name: role, role: role, token: u.Access},
			caller{name: "a key of " + role, role: role, token: keyFor(t, w.App, u, append(scopes, apikey.SelfRead, apikey.SelfWrite)...), key: true})
		if len(scopes) > 0 {
			all = append(all, caller{name: "a service of " + role, role: role, token: w.serviceKey(t, who, scopes), key: true})
		}
	}
	return all
}

// keyFor makes a personal key of a user, who confirms the address for it.
func keyFor(tb testing.TB, a *testkit.App, u testkit.Tokens, scopes ...permission.Name) string {
	tb.Helper()
	if err := a.Accounts.Store.SetProven(tb.Context(), u.UserID, a.Clock.Now()); err != nil {
		tb.Fatal(err)
	}
	who, err := a.Accounts.Authenticate(tb.Context(), u.Access)
	if err != nil {
		tb.Fatal(err)
	}
	made, err := a.Keys.CreateMine(tb.Context(), who.UserID, who.SessionID, apikey.Form{Name: "a script", Scopes: scopes})
	if err != nil {
		tb.Fatal(err)
	}
	return made.Secret
}

// serviceKey makes a service account and a key of it.
func (w *world) serviceKey(t *testing.T, who reqctx.Caller, scopes []permission.Name) string {
	t.Helper()
	books, err := w.Keys.CreateAccount(t.Context(), who, apikey.Name{Name: "books of " + who.UserID})
	if err != nil {
		t.Fatal(err)
	}
	made, err := w.Keys.Create(t.Context(), who, books.ID, apikey.Form{Name: "a job", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return made.Secret
}

const ownRole = "OWN_ROLE"

// Every operation is called by everybody, with sessions and with API keys: what opens is what operators were told.
func TestEveryRoleOpensWhatTheTableSays(t *testing.T) {
	t.Parallel()

	table, w := readRights(t), newWorld(t)
	own := []permission.Name{"orders:read", "audit:customers", "extensions:use:none", "users:write"}
	for _, name := range append(own, permission.Any) {
		table.roles[ownRole] = append(table.roles[ownRole], string(name))
	}
	callers := w.callersOf(t, own)
	cells, operations := 0, 0
	for _, op := range testkit.Operations(t) {
		if !strings.HasPrefix(op.Path, "/api/v1/admin/") {
			continue
		}
		operations++
		need := table.opens[op.Method+" "+op.Path]
		if len(need) == 0 {
			t.Errorf("docs/permissions.md does not say what opens %s %s", op.Method, op.Path)
			continue
		}
		methods := []string{op.Method}
		if _, documented := table.opens["HEAD "+op.Path]; op.Method == "GET" && documented {
			methods = append(methods, "HEAD")
		}
		for _, who := range callers {
			for _, method := range methods {
				w.opens(t, op, method, who, need, table)
				cells++
			}
		}
	}
	t.Logf("%d cells of %d operations and %d callers", cells, operations, len(callers))
	if cells < 4500 {
		t.Error("the table says how many cells there are")
	}
}

// opens compares an answer with what one of the permissions need and the caller's say.
func (w *world) opens(t *testing.T, op testkit.Operation, method string, who caller, need []string, table rights) {
	t.Helper()
	path := pathParam.ReplaceAllString(op.Path, "none") // and the body is wrong: nothing changes for the next caller
	req := testkit.Request{Method: method, Path: path, Token: who.token, Body: "[]"}
	if method == "GET" || method == "HEAD" {
		req.Body = nil
	}
	res := w.Do(t, req)
	code := ""
	if method != "HEAD" && res.Status >= http.StatusBadRequest && strings.HasPrefix(string(res.Body), "{") {
		code = res.Text(t, "error.code")
	}
	may := slices.ContainsFunc(need, func(name string) bool {
		return slices.Contains(table.roles[who.role], name) ||
			name == "extensions:use" && slices.Contains(table.roles[who.role], "extensions:use:none")
	})
	switch {
	case who.role == "guest":
		if res.Status != http.StatusUnauthorized {
			t.Errorf("a guest: %s %s = %d, want 401", method, path, res.Status)
		}
	case who.key && slices.Contains(table.noKey, need[0]):
		if res.Status != http.StatusForbidden || method != "HEAD" && code != "NOT_FOR_KEYS" {
			t.Errorf("%s: %s %s = %d %s, want NOT_FOR_KEYS", who.name, method, path, res.Status, code)
		}
	case may:
		if res.Status == http.StatusUnauthorized || code == "FORBIDDEN" || code == "NOT_FOR_KEYS" ||
			method == "HEAD" && res.Status == http.StatusForbidden {
			t.Errorf("%s: %s %s = %d %s, and needs %v", who.name, method, path, res.Status, code, need)
		}
	case res.Status != http.StatusForbidden:
		t.Errorf("%s: %s %s = %d %s, want 403: it needs %v", who.name, method, path, res.Status, code, need)
	case method != "HEAD" && (code != "FORBIDDEN" || res.Text(t, "error.details.permission") != need[0]):
		t.Errorf("%s: %s %s = %s, want the permission %s", who.name, method, path, res.Body, need[0])
	}
}
