package takeover_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// guarded are the routes that ask administrators whether they are still there.
func guarded() []testkit.Request {
	var all []testkit.Request
	for _, route := range []string{
		"POST /orders/x/refund", "POST /orders/x/cancel", "POST /licenses/x/revoke", "POST /extensions/plugin/install",
		"POST /market/x/install", "DELETE /extensions/plugin/x", "DELETE /plugins/x", "GET /plugins/x/secret",
		"HEAD /plugins/x/secret", "POST /plugins/x/secret/rotate", "PATCH /users/x", "PATCH /settings", "POST /keys/rotate",
		"POST /webhooks", "POST /webhooks/x/secret/rotate",
	} {
		method, path, _ := strings.Cut(route, " ")
		all = append(all, testkit.Request{Method: method, Path: "/api/v1/admin" + path})
	}
	return all
}

// The attacker has an administrator's session, and not the password.
func TestAStolenSessionOfAnAdministratorRefundsAndInstallsNothing(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) {
		cfg.SignIn.AdminReauth = "30m"
		cfg.ServiceIssuer, cfg.ServiceSecret = testkit.ServiceIssuer, testkit.ServiceSecret
	}, func(t *testing.T, w *world) {
		stolen := w.Admin(t, "root")
		asked := func(want bool) {
			t.Helper()
			for _, req := range guarded() {
				req.Token = stolen.Access
				res := w.Do(t, req)
				if got := res.Status == http.StatusForbidden; got != want {
					t.Errorf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
				}
				if !want || req.Method == http.MethodHead {
					continue
				}
				testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
				if got := res.Get(t, "error.details.maxAge"); got != 1800.0 {
					t.Errorf("maxAge %v", got)
				}
			}
		}
		w.Clock.Advance(30 * time.Minute)
		asked(false)
		w.Clock.Advance(time.Millisecond)
		asked(true)
		stolen = testkit.TokensOf(t, w.Do(t, testkit.Refresh(stolen.Refresh)), http.StatusOK) // proves nothing
		asked(true)
		if got := w.Do(t, testkit.Get(stolen.Access, "/api/v1/admin/users")).Status; got != http.StatusOK {
			t.Errorf("reading = %d", got)
		}
		testkit.WantError(t, w.Do(t, testkit.Patch(w.register(t, victims, "ada").Access, "/api/v1/admin/settings", nil)),
			http.StatusForbidden, "FORBIDDEN")

		w.post(t, stolen.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
		asked(false)
		now := w.Clock.Now()
		service := testkit.ServiceToken(t, jwt.MapClaims{
			"sub": "billing", "iss": testkit.ServiceIssuer, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		})
		w.Clock.Advance(31 * time.Minute)
		w.post(t, service, "/api/v1/admin/orders/x/refund", nil, http.StatusNotFound)
	})
}

// asking is a stoa that asks staff for more than a password.
func asking(t *testing.T, factor string, test func(t *testing.T, w *world)) {
	t.Helper()
	configured(t, func(cfg *app.Config) {
		cfg.SignIn.StaffSecondFactor = factor
		cfg.ServiceIssuer, cfg.ServiceSecret = testkit.ServiceIssuer, testkit.ServiceSecret
	}, test)
}

// manages fails the test unless a session may manage the platform, or may not for want of a second factor.
func (w *world) manages(t *testing.T, token string, want bool) {
	t.Helper()
	for _, path := range []string{"/users", "/system", "/plugins/none/api/x"} {
		res := w.Do(t, testkit.Get(token, "/api/v1/admin"+path))
		switch {
		case !want:
			testkit.WantError(t, res, http.StatusForbidden, "STAFF_FACTOR_REQUIRED")
		case res.Status == http.StatusForbidden:
			t.Errorf("%s = %s", path, res.Body)
		}
	}
}

// The attacker has the password of an administrator.
func TestWithoutASecondFactorStaffManageNothing(t *testing.T) {
	t.Parallel()

	asking(t, "required", func(t *testing.T, w *world) {
		admin := w.proven(t, victims, "ada")
		account := func(field string) any {
			return w.account(t, admin.Access).Get(t, "data.secondFactor."+field)
		}
		if account("required") != false {
			t.Error("a customer has to have a second factor")
		}
		testkit.WantError(t, w.Do(t, testkit.Get(admin.Access, "/api/v1/admin/users")), http.StatusForbidden, "FORBIDDEN")
		if _, err := w.Accounts.Promote(t.Context(), victims); err != nil {
			t.Fatal(err)
		}
		w.manages(t, admin.Access, false)
		if account("required") != true || account("advised") != false {
			t.Errorf("the account says required %v, advised %v", account("required"), account("advised"))
		}
		for _, req := range guarded() { // whatever else would refuse it
			req.Token = admin.Access
			if res := w.Do(t, req); res.Status != http.StatusForbidden || !strings.Contains(string(res.Body), "STAFF_FACTOR_REQUIRED") && req.Method != http.MethodHead {
				t.Errorf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
			}
		}
		p := w.withApp(t, admin.Access)
		w.manages(t, admin.Access, true)
		w.manages(t, w.both(t, victims, testkit.Password, "totp", w.later(p)).Access, true)
		w.manages(t, w.both(t, victims, testkit.Password, "recovery", p.recovery[0]).Access, true)

		now := w.Clock.Now()
		w.manages(t, testkit.ServiceToken(t, jwt.MapClaims{
			"sub": "billing", "iss": testkit.ServiceIssuer, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		}), true)
	})
}

// The attacker removes the factor first, and goes on in the session that had it.
func TestStaffWhoseFactorGoesManageNothingAtOnce(t *testing.T) {
	t.Parallel()

	asking(t, "required", func(t *testing.T, w *world) {
		admin := w.proven(t, victims, "ada")
		if _, err := w.Accounts.Promote(t.Context(), victims); err != nil {
			t.Fatal(err)
		}
		w.withApp(t, admin.Access)
		w.manages(t, admin.Access, true)
		if res := w.Do(t, testkit.Delete(admin.Access, "/auth/totp")); res.Status != http.StatusOK {
			t.Fatalf("removing it = %d %s", res.Status, res.Body)
		}
		w.manages(t, admin.Access, false)
		w.manages(t, w.signIn(t, victims, testkit.Password).Access, false)
	})
}

// The attacker reads codes out of the owner, as pages that look like the shop do.
func TestCodesDoNotPassForAPasskey(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) {
		cfg.SignIn.StaffSecondFactor = "passkey"
		withKeys(t, cfg)
	}, func(t *testing.T, w *world) {
		admin := w.proven(t, victims, "ada")
		if _, err := w.Accounts.Promote(t.Context(), victims); err != nil {
			t.Fatal(err)
		}
		p := w.withApp(t, admin.Access)
		w.manages(t, admin.Access, false)
		w.manages(t, w.both(t, victims, testkit.Password, "totp", w.later(p)).Access, false)
		w.manages(t, w.both(t, victims, testkit.Password, "recovery", p.recovery[0]).Access, false)
		if res := w.Do(t, testkit.Get(admin.Access, "/api/v1/admin/users")); !strings.Contains(string(res.Body), "with a passkey") {
			t.Errorf("nothing says what is asked for: %s", res.Body)
		}
		key, _ := w.withKey(t, admin.Access)
		w.manages(t, admin.Access, false)
		w.manages(t, w.byKey(t, key).Access, true)
	})
}

// Nothing is asked for by default.
func TestStaffNeedNoSecondFactorUnlessItIsAskedFor(t *testing.T) {
	t.Parallel()

	for factor, advised := range map[string]bool{"": true, "encourage": true, "off": false} {
		t.Run(factor, func(t *testing.T) {
			t.Parallel()
			asking(t, factor, func(t *testing.T, w *world) {
				admin := w.Admin(t, "root").Access
				w.manages(t, admin, true)
				account := w.account(t, admin)
				if account.Get(t, "data.secondFactor.required") != false || account.Get(t, "data.secondFactor.advised") != advised {
					t.Errorf("the account is %s", account.Body)
				}
			})
		})
	}
}
