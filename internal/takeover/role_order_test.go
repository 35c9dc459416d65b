package takeover_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"stoa/internal/testkit"
)

// Whoever gives or edits roles, helps people who have them, ends their sessions, and accepts an invitation of theirs
// wait for one another in no circle: none of their transactions ends because each waits for the other.
func TestChangesOfRolesDoNotCrossWithInvitations(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		for _, name := range []string{"HIRING", "WATCHING"} {
			w.post(t, root.Access, roles, map[string]any{
				"name": name, "permissions": []string{"staff:read", "staff:write", "orders:read", "users:sessions"},
			}, http.StatusCreated)
		}
		var again repeats
		w.Accounts.Store = countedAccounts{w.Accounts.Store, &again}
		w.Invitations.Store = countedInvitations{w.Invitations.Store, &again}
		for i := range 12 {
			hirer := fmt.Sprintf("hirer%d", i)
			inviter := w.staff(t, hirer+"@example.com", hirer, "HIRING")
			_, token := w.invited(t, inviter.Access, fmt.Sprintf("friend%d@example.com", i), "HIRING")
			w.Clock.Advance(minute)
			root = w.Login(t, "root")
			at := "/api/v1/admin/users/" + inviter.UserID
			var wg sync.WaitGroup
			for _, req := range []testkit.Request{
				joins(token, fmt.Sprintf("friend%d", i)), joins(token, fmt.Sprintf("other%d", i)),
				testkit.Patch(root.Access, at, `{"role":"WATCHING"}`), testkit.Patch(root.Access, at, `{"role":"HIRING"}`),
				testkit.Delete(root.Access, at+"/sessions"), testkit.Delete(root.Access, at+"/sessions"),
				testkit.Patch(root.Access, at, `{"active":true}`), testkit.Patch(root.Access, at, `{"active":true}`),
				testkit.Delete(root.Access, at+"/second-factor/reset"), testkit.Delete(root.Access, at+"/second-factor/reset"),
				testkit.Patch(root.Access, roles+"/WATCHING", `{"permissions":["`+[]string{"orders:read", "licenses:read"}[i%2]+`"]}`),
				testkit.Patch(root.Access, roles+"/HIRING", `{"permissions":["staff:read","staff:write","orders:read","users:sessions"]}`),
			} {
				wg.Go(func() {
					if res := w.Do(t, req); res.Status >= http.StatusInternalServerError {
						t.Errorf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
					}
				})
			}
			wg.Wait()
		}
		if n := again.Load(); n != 0 {
			t.Errorf("%d transactions ran again", n)
		}
	})
}
