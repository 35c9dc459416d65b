package httpapi_test

import (
	"database/sql"
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// Who changed how people sign in has an answer when no replica goes by the former rules (contract 2.27).
func TestRulesOfSigningInHoldOnEveryReplica(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		root := a.Admin(t, "root").Access
		set := func(on *testkit.App, body string) {
			t.Helper()
			if res := on.Do(t, testkit.Patch(root, "/api/v1/admin/sign-in-settings", body)); res.Status != http.StatusOK {
				t.Fatalf("PATCH %s = %d %s", body, res.Status, res.Body)
			}
		}
		for i, mode := range []string{"closed", "open", "closed", "open"} {
			for _, replica := range []*testkit.App{a, b} { // both have seen, and may remember, what was there
				replica.Do(t, testkit.Get("", "/auth/methods"))
				if got := replica.Do(t, testkit.Me(root)).Status; got != http.StatusOK {
					t.Fatalf("me = %d", got)
				}
			}
			at, other := a, b
			if i%2 == 1 {
				at, other = b, a
			}
			set(at, `{"registration":"`+mode+`"}`)
			for _, replica := range []*testkit.App{other, at} {
				if got := replica.Do(t, testkit.Get("", "/auth/methods")).Text(t, "data.registration"); got != mode {
					t.Errorf("registration is %s, want %s", got, mode)
				}
			}
		}
		set(b, `{"staffSecondFactor":"required"}`)
		testkit.WantError(t, a.Do(t, testkit.Get(root, "/api/v1/admin/users")), http.StatusForbidden, "STAFF_FACTOR_REQUIRED")
	})
}
