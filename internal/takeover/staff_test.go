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
		cfg.AdminReauth = 30 * time.Minute
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
