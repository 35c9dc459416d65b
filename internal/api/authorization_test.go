package httpapi_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/staff"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
)

// rights is the table of docs/permissions.md: which permissions open an operation, and which roles have each.
type rights struct {
	opens map[string][]string // permissions by "GET /api/v1/admin/orders"
	roles map[string][]string // permissions by role
}

var (
	rightsRow = regexp.MustCompile("(?m)^\\| (`[a-z:-]+`|any of them) \\| (.+) \\| (.+) \\|$")
	pathParam = regexp.MustCompile(`\{\w+\}`)
	quoted    = regexp.MustCompile("`([^`]+)`")
)

func readRights(tb testing.TB) rights {
	tb.Helper()
	text, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		tb.Fatal(err)
	}
	r := rights{make(map[string][]string), make(map[string][]string)}
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

// Every operation is called as every role, as an own one, as a customer and as a guest: what opens and what does not is
// what operators were told.
func TestEveryRoleOpensWhatTheTableSays(t *testing.T) {
	t.Parallel()

	table, w := readRights(t), newWorld(t)
	own := []string{"orders:read", "audit:customers", "extensions:use:none", "users:write"}
	table.roles["OWN_ROLE"] = append(slices.Clone(own), "any")
	var names []permission.Name
	for _, name := range own {
		names = append(names, permission.Name(name))
	}
	if _, err := w.Roles.Create(t.Context(), staff.NewRole{Name: "OWN_ROLE", Permissions: names}); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"guest": ""}
	for _, role := range append(permission.StaffRoles(), "OWN_ROLE", "USER") {
		u := w.Register(t, "with-"+strings.ToLower(strings.ReplaceAll(role, "_", "-")))
		tokens[role] = u.Access
		if _, err := w.Accounts.UpdateUser(t.Context(), u.UserID, account.UserChange{Role: reqctx.Role(role)}); err != nil {
			t.Fatal(err)
		}
	}
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
		for role, token := range tokens {
			for _, method := range methods {
				w.opens(t, op, method, role, token, need, table.roles[role])
				cells++
			}
		}
	}
	t.Logf("%d cells of %d operations and %d callers", cells, operations, len(tokens))
}

// opens compares an answer with what one of the permissions need and the caller's say.
func (w *world) opens(t *testing.T, op testkit.Operation, method, role, token string, need, has []string) {
	t.Helper()
	path := pathParam.ReplaceAllString(op.Path, "none") // and the body is wrong: nothing changes for the next caller
	req := testkit.Request{Method: method, Path: path, Token: token, Body: "[]"}
	if method == "GET" || method == "HEAD" {
		req.Body = nil
	}
	res := w.Do(t, req)
	code := ""
	if method != "HEAD" && res.Status >= http.StatusBadRequest && strings.HasPrefix(string(res.Body), "{") {
		code = res.Text(t, "error.code")
	}
	may := slices.ContainsFunc(need, func(name string) bool {
		return slices.Contains(has, name) || name == "extensions:use" && slices.Contains(has, "extensions:use:none")
	})
	switch {
	case role == "guest":
		if res.Status != http.StatusUnauthorized {
			t.Errorf("a guest: %s %s = %d, want 401", method, path, res.Status)
		}
	case may:
		if res.Status == http.StatusUnauthorized || code == "FORBIDDEN" || method == "HEAD" && res.Status == http.StatusForbidden {
			t.Errorf("%s: %s %s = %d %s, and needs %v", role, method, path, res.Status, code, need)
		}
	case res.Status != http.StatusForbidden:
		t.Errorf("%s: %s %s = %d %s, want 403: it needs %v", role, method, path, res.Status, code, need)
	case method != "HEAD" && (code != "FORBIDDEN" || res.Text(t, "error.details.permission") != need[0]):
		t.Errorf("%s: %s %s = %s, want the permission %s", role, method, path, res.Body, need[0])
	}
}
