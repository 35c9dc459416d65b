package takeover_test

import (
	"net/http"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/operate/settings"
	"stoa/internal/testkit"
)

// The attacker has an administrator's session, and not the password, and wants another way in: looser rules, or an
// identity provider of their own.
func TestAStolenSessionOfAnAdministratorChangesNothingOfSigningIn(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.SignIn = settings.SignIn{} }, func(t *testing.T, w *world) {
		stolen := w.Admin(t, "root")
		w.Clock.Advance(10*time.Minute + time.Millisecond)
		const rules, provider = "/api/v1/admin/sign-in-settings", "/api/v1/admin/identity-providers/mine"
		before := string(w.Do(t, testkit.Get(stolen.Access, rules)).Body)
		for _, req := range []testkit.Request{
			testkit.Patch(stolen.Access, rules, `{"staffSecondFactor":"off","emailSignIn":true,"registration":"open","adminReauth":0}`),
			testkit.Patch(stolen.Access, rules, `{}`),
			testkit.Patch(stolen.Access, rules, `{"nothing":1}`), // nothing is looked at before
			{Method: http.MethodPut, Path: provider, Token: stolen.Access, Body: map[string]any{
				"kind": "oidc", "name": "Mine", "issuer": "https://evil.example", "clientId": "x", "enabled": true, "staff": true,
			}},
			testkit.Delete(stolen.Access, provider),
		} {
			testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
		if after := string(w.Do(t, testkit.Get(stolen.Access, rules)).Body); after != before {
			t.Errorf("the rules are\n%s\nwant\n%s", after, before)
		}
		customer := w.register(t, victims, "ada")
		testkit.WantError(t, w.Do(t, testkit.Patch(customer.Access, rules, `{"registration":"open"}`)),
			http.StatusForbidden, "FORBIDDEN")
		w.post(t, stolen.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
		if res := w.Do(t, testkit.Patch(stolen.Access, rules, `{"registration":"closed"}`)); res.Status != http.StatusOK {
			t.Errorf("the owner's change = %d %s", res.Status, res.Body)
		}
	})
}

// Rules that became stricter spare no session that was there before: nobody goes on as it was.
func TestStricterRulesHoldForSessionsThatAreThere(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.SignIn = settings.SignIn{} }, func(t *testing.T, w *world) {
		admin, customer := w.Admin(t, "root"), w.register(t, victims, "ada")
		w.Clock.Advance(2 * time.Hour)
		owner := w.signIn(t, "root@example.com", testkit.Password)
		if res := w.Do(t, testkit.Patch(owner.Access, "/api/v1/admin/sign-in-settings", `{"sessionMax":7200,"staffSecondFactor":"required"}`)); res.Status != http.StatusOK {
			t.Fatalf("PATCH = %d %s", res.Status, res.Body)
		}
		w.ended(t, admin)
		w.ended(t, customer)
		w.manages(t, owner.Access, false)
	})
}
