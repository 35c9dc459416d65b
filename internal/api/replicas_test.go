package httpapi_test

import (
	"database/sql"
	"net/http"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// Whoever takes access away answers when no replica lets the user in any longer (contract 2.6). A
// change by another program, which waits for nobody, takes effect within a second.
func TestLosingAccessTakesEffectAtOnceOnEveryReplica(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		admin := a.Admin(t, "root")
		update := func(id string, change map[string]any) {
			t.Helper()
			res := a.Do(t, testkit.Patch(admin.Access, "/api/v1/admin/users/"+id, change))
			if res.Status != http.StatusOK {
				t.Fatalf("change of a user = %d\n%s", res.Status, res.Body)
			}
		}
		for name, lose := range map[string]func(all ...testkit.Tokens){
			"deactivated": func(all ...testkit.Tokens) { update(all[0].UserID, map[string]any{"active": false}) },
			"deleted": func(all ...testkit.Tokens) {
				const q = `DELETE FROM users WHERE id = $1`
				if _, err := db.ExecContext(t.Context(), q, all[0].UserID); err != nil {
					t.Fatal(err)
				}
				for _, replica := range []*testkit.App{a, b} {
					for _, u := range all {
						waittest.True(t, "a replica asks the database again", func() bool {
							return replica.Do(t, testkit.Me(u.Access)).Status == http.StatusUnauthorized
						})
					}
				}
			},
		} {
			user := a.Register(t, name)
			other := b.Login(t, name)
			for _, replica := range []*testkit.App{a, b} { // both have seen, and may remember, the tokens
				for _, raw := range []string{user.Access, other.Access} {
					if got := replica.Do(t, testkit.Me(raw)).Status; got != http.StatusOK {
						t.Fatalf("me = %d, want 200", got)
					}
				}
			}
			lose(user, other)
			for _, replica := range []*testkit.App{b, a} {
				for _, u := range []testkit.Tokens{user, other} {
					testkit.WantError(t, replica.Do(t, testkit.Me(u.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
					testkit.WantError(t, replica.Do(t, testkit.Refresh(u.Refresh)), http.StatusUnauthorized,
						"REFRESH_FAILED")
				}
				testkit.WantError(t, replica.Do(t, testkit.SignIn(name+"@example.com", testkit.Password)),
					http.StatusUnauthorized, "LOGIN_FAILED")
			}
		}
	})
}

func TestARoleIsTheDatabasesOnEveryReplica(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		admin, user := a.Admin(t, "root"), a.Register(t, "ada")
		manage := testkit.Get(user.Access, "/api/v1/admin/users")
		for _, tt := range []struct {
			role string
			want int
		}{{"USER", 403}, {"ADMIN", 200}, {"USER", 403}} {
			res := a.Do(t,
				testkit.Patch(admin.Access, "/api/v1/admin/users/"+user.UserID, map[string]any{"role": tt.role}))
			if res.Status != http.StatusOK {
				t.Fatalf("change of a role = %d\n%s", res.Status, res.Body)
			}
			for _, replica := range []*testkit.App{b, a} {
				if got := replica.Do(t, manage).Status; got != tt.want {
					t.Errorf("management as %s = %d, want %d", tt.role, got, tt.want)
				}
			}
		}
	})
}
