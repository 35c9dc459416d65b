package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// An administrator ends one session of a user, or all, and none of another user's.
func TestAdministratorsEndSessions(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root, ada, bob := a.Admin(t, "root"), a.Register(t, "ada"), a.Register(t, "bob")
		again := a.Login(t, "ada")
		path := "/api/v1/admin/users/" + ada.UserID + "/sessions"
		list := func() []any {
			t.Helper()
			items, _ := manage(t, a, root.Access, http.MethodGet, path, nil, http.StatusOK).Get(t, "data.items").([]any)
			return items
		}
		alive := func(who testkit.Tokens) bool {
			t.Helper()
			return a.Do(t, testkit.Me(who.Access)).Status == http.StatusOK
		}
		if n := len(list()); n != 2 {
			t.Fatalf("%d sessions, want 2", n)
		}
		manage(t, a, root.Access, http.MethodDelete,
			"/api/v1/admin/users/"+bob.UserID+"/sessions/"+list()[0].(map[string]any)["id"].(string), nil, http.StatusNotFound)
		manage(t, a, root.Access, http.MethodDelete, path+"/"+list()[0].(map[string]any)["id"].(string), nil, http.StatusOK)
		if one, two := alive(ada), alive(again); one == two || len(list()) != 1 {
			t.Errorf("after the end of one session: alive %v and %v, %d listed", one, two, len(list()))
		}
		for range 2 { // the second time there are none
			manage(t, a, root.Access, http.MethodDelete, path, nil, http.StatusOK)
		}
		if alive(ada) || alive(again) || !alive(bob) || !alive(root) || len(list()) != 0 {
			t.Errorf("after the end of all: %v %v, others %v %v", alive(ada), alive(again), alive(bob), alive(root))
		}
		want := strings.Repeat("user.end_sessions user:"+ada.UserID+", ", 2)
		if got := strings.Join(audited(t, a, root.Access, "user.end_sessions"), ", ") + ", "; got != want {
			t.Errorf("audit log: %s", got)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			res := manage(t, a, root.Access, method, "/api/v1/admin/users/nobody/sessions", nil, http.StatusNotFound)
			testkit.WantError(t, res, http.StatusNotFound, "USER_NOT_FOUND")
			manage(t, a, bob.Access, method, path, nil, http.StatusForbidden)
		}
	})
}
