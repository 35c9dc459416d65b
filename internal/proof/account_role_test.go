package proof

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

const roles = "/api/v1/admin/roles"

// entitles has an administrator make a role, change it and give it to somebody of the staff. Unless it is kept, the
// role is taken back and deleted: there may be 50.
func (l *lives) entitles(ctx context.Context, admin, staff *visitor, rng *rand.Rand, name string, kept bool) error {
	role := "R_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	person := "/api/v1/admin/users/" + staff.id
	patch := func(path string, body any) step {
		return step{request{method: http.MethodPatch, path: path, bearer: admin.bearer, body: body}, http.StatusOK, nil}
	}
	remove := func(status int, done ...string) step {
		return step{request{method: http.MethodDelete, path: roles + "/" + role, bearer: admin.bearer}, status, done}
	}
	reads := func(path string, status int) step {
		return step{request{method: http.MethodGet, path: "/api/v1/admin/" + path, bearer: staff.bearer}, status, nil}
	}
	steps := []step{
		post(admin.bearer, roles, http.StatusCreated, map[string]any{"name": role, "permissions": []string{"users:read"}}, "CONFLICT"),
		patch(person, map[string]string{"role": role}),
		reads("users", http.StatusOK),
		reads("orders", http.StatusForbidden),
		patch(roles+"/"+role, map[string]any{"permissions": []string{"orders:read"}}),
		reads("users", http.StatusForbidden),
		reads("orders", http.StatusOK),
		remove(http.StatusConflict),
	}
	if !kept {
		steps = append(steps, patch(person, map[string]string{"role": "SUPPORT"}), remove(http.StatusOK, "NOT_FOUND"), reads("users", http.StatusOK))
	}
	for _, s := range steps {
		if _, err := l.takes(ctx, admin, rng, s); err != nil {
			return err
		}
	}
	return nil
}

// checkRoles fails the test if a role, or who has it, is half changed, or was changed without its entry.
func (h *house) checkRoles(tb testing.TB) {
	tb.Helper()
	const (
		has  = `(SELECT count(*) FROM audit_log a WHERE a.target_id = e.target_id AND a.action = `
		mine = `SELECT count(*) FROM audit_log e WHERE e.action = 'role.create' AND `
		gave = `(SELECT count(*) FROM audit_log a WHERE a.target_id = u.id AND a.action = 'user.role')`
	)
	for what, query := range map[string]string{
		"people of a role that is not there":            `SELECT count(*) FROM users u WHERE u.role LIKE 'R!_%' ESCAPE '!' AND NOT EXISTS (SELECT 1 FROM roles r WHERE r.name = u.role)`,
		"roles as they were before":                     `SELECT count(*) FROM roles WHERE permissions NOT LIKE '%orders:read%' OR permissions LIKE '%users:read%'`,
		"roles without their entry":                     `SELECT count(*) FROM roles r WHERE NOT EXISTS (SELECT 1 FROM audit_log e WHERE e.action = 'role.create' AND e.target_id = r.name)`,
		"roles that were made twice":                    mine + has + `'role.create') <> 1`,
		"roles whose change is not there once":          mine + has + `'role.update') <> 1`,
		"roles that are neither there nor deleted once": mine + has + `'role.delete') + (SELECT count(*) FROM roles r WHERE r.name = e.target_id) <> 1`,
		"people whose role the audit does not have":     `SELECT count(*) FROM users u WHERE u.email LIKE '%-staff@example.com' AND ` + gave + ` <> CASE u.role WHEN 'SUPPORT' THEN 2 ELSE 1 END`,
	} {
		if n := h.number(tb, query); n != 0 {
			tb.Errorf("there are %d %s", n, what)
		}
	}
	given := h.number(tb, `SELECT count(*) FROM audit_log WHERE action = 'user.role'`)
	if told := h.number(tb, `SELECT count(*) FROM events WHERE type = 'user.role_changed'`); told < given || given == 0 {
		tb.Errorf("%d roles were given, and %d events say so", given, told)
	}
}
