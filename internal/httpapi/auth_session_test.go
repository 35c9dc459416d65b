package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

func changePassword(token, current, next string) testkit.Request {
	req := testkit.Post("", "/auth/change-password", map[string]string{"currentPassword": current, "newPassword": next})
	req.Token = token
	return req
}

func TestChangePassword(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		tokens, other := a.Register(t, "ada"), a.Login(t, "ada")
		testkit.WantError(t, a.Do(t, changePassword("", testkit.Password, "another secret")), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, changePassword(tokens.Access, "wrong", "another secret")), http.StatusBadRequest, "INVALID_PASSWORD")
		res := a.Do(t, changePassword(tokens.Access, "", "12345"))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if list, _ := res.Get(t, "error.details.issues").([]any); len(list) != 2 {
			t.Errorf("%d issues, want both", len(list))
		}

		res = a.Do(t, changePassword(tokens.Access, testkit.Password, "another secret"))
		want := map[string]any{"success": true, "data": nil, "message": "Password changed. All other sessions have ended."}
		if diff := cmp.Diff(want, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
			t.Errorf("change-password = %d (-want +got):\n%s", res.Status, diff)
		}
		testkit.WantError(t, a.Do(t, testkit.Me(other.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		if got := a.Do(t, testkit.Me(tokens.Access)).Status; got != http.StatusOK {
			t.Errorf("me in the calling session = %d, want 200", got)
		}
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		first := a.Register(t, "ada")
		a.Clock.Advance(time.Hour)
		second, bob := a.Login(t, "ada"), a.Register(t, "bob")
		list := func(token string) []map[string]any {
			t.Helper()
			res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/auth/sessions", Token: token})
			if res.Status != http.StatusOK {
				t.Fatalf("sessions = %d\n%s", res.Status, res.Body)
			}
			var items []map[string]any
			for _, it := range res.Get(t, "data.items").([]any) {
				items = append(items, it.(map[string]any))
			}
			return items
		}
		end := func(token string, id any) testkit.Response {
			t.Helper()
			return a.Do(t, testkit.Request{Method: http.MethodDelete, Path: "/auth/sessions/" + id.(string), Token: token})
		}
		items := list(second.Access)
		if len(items) != 2 {
			t.Fatalf("%d sessions, want 2", len(items))
		}
		ids := []any{items[0]["id"], items[1]["id"]}
		want := []map[string]any{
			{"id": ids[0], "createdAt": "2030-03-01T13:00:00.000Z", "lastUsedAt": "2030-03-01T13:00:00.000Z", "expiresAt": "2030-03-31T13:00:00.000Z", "current": true},
			{"id": ids[1], "createdAt": "2030-03-01T12:00:00.000Z", "lastUsedAt": "2030-03-01T12:00:00.000Z", "expiresAt": "2030-03-31T12:00:00.000Z", "current": false},
		}
		if diff := cmp.Diff(want, items); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}

		testkit.WantError(t, end("", ids[1]), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, end(bob.Access, ids[1]), http.StatusNotFound, "NOT_FOUND")
		if got := end(second.Access, ids[1]).Status; got != http.StatusOK {
			t.Errorf("ending one's own session = %d, want 200", got)
		}
		testkit.WantError(t, end(second.Access, ids[1]), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, a.Do(t, testkit.Me(first.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		if n := len(list(second.Access)); n != 1 {
			t.Errorf("%d sessions left, want 1", n)
		}
	})
}

func TestAdministratorFromTheConfiguration(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.AdminEmail, cfg.AdminPassword = "root@example.com", testkit.Password
	})
	res := a.Do(t, testkit.SignIn("root@example.com", testkit.Password))
	tokens := testkit.TokensOf(t, res, http.StatusOK)
	if got := res.Text(t, "data.user.role"); got != "ADMIN" {
		t.Errorf("role = %q, want ADMIN", got)
	}
	if got := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/v1/admin/extensions", Token: tokens.Access}).Status; got != http.StatusOK {
		t.Errorf("an administrator's route = %d, want 200", got)
	}
	user := a.Register(t, "ada")
	testkit.WantError(t, a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/v1/admin/extensions", Token: user.Access}), http.StatusForbidden, "FORBIDDEN")
}

const (
	serviceIssuer = "https://billing.example.com"
	serviceSecret = "the-secret-of-the-services-0123456789"
)

func withServices(_ testing.TB, cfg *app.Config) {
	cfg.ServiceIssuer, cfg.ServiceSecret = serviceIssuer, serviceSecret
}

func serviceToken(tb testing.TB, claims jwt.MapClaims) string {
	tb.Helper()
	raw, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(serviceSecret))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// Spec A, Authentication 6.
func TestServicesActAsAdministrators(t *testing.T) {
	t.Parallel()

	a, off := testkit.New(t, withServices), testkit.New(t)
	claims := jwt.MapClaims{"sub": "billing", "iss": serviceIssuer, "iat": testkit.T0.Unix(), "exp": testkit.T0.Add(time.Hour).Unix()}
	raw := serviceToken(t, claims)
	admin := testkit.Request{Method: http.MethodGet, Path: "/api/v1/admin/extensions", Token: raw}
	if got := a.Do(t, admin).Status; got != http.StatusOK {
		t.Errorf("an administrator's route = %d, want 200", got)
	}
	testkit.WantError(t, off.Do(t, admin), http.StatusUnauthorized, "UNAUTHORIZED")
	// A service is nobody's session.
	testkit.WantError(t, a.Do(t, testkit.Me(raw)), http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, a.Do(t, changePassword(raw, testkit.Password, testkit.Password)), http.StatusUnauthorized, "UNAUTHORIZED")

	claims["iss"] = "https://evil.example.com"
	admin.Token = serviceToken(t, claims)
	testkit.WantError(t, a.Do(t, admin), http.StatusUnauthorized, "UNAUTHORIZED")
}

// A user chooses e-mail address, username and referral code, and gets tokens that
// carry some of it: none may make a service of the user.
func TestNoUserCanPassForAService(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, withServices)
	tokens := a.Register(t, "billing")
	plugin, _, err := a.Accounts.IssuePluginToken(t.Context(), serviceIssuer)
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{tokens.Refresh, plugin, swapHeader(tokens.Access)} {
		testkit.WantError(t, a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/v1/admin/extensions", Token: raw}), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, testkit.Me(raw)), http.StatusUnauthorized, "UNAUTHORIZED")
	}
	testkit.WantError(t, a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/v1/admin/extensions", Token: tokens.Access}), http.StatusForbidden, "FORBIDDEN")
}

// swapHeader gives a token the header {"alg":"HS256","typ":"JWT"}.
func swapHeader(raw string) string {
	_, rest, _ := strings.Cut(raw, ".")
	return "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + rest
}

func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	const adminPassword = "the administrator's own"
	a := testkit.New(t, withServices, func(_ testing.TB, cfg *app.Config) {
		cfg.Log = log.Logger()
		cfg.AdminEmail, cfg.AdminPassword = "root@example.com", adminPassword
	})
	tokens := a.Register(t, "ada")
	service := serviceToken(t, jwt.MapClaims{"sub": "billing", "iss": serviceIssuer, "iat": testkit.T0.Unix(), "exp": testkit.T0.Add(time.Hour).Unix()})
	for _, req := range []testkit.Request{
		testkit.SignIn("ada@example.com", testkit.Password), testkit.SignIn("ada@example.com", "wrong secret"), testkit.SignIn("root@example.com", adminPassword),
		register("ada@example.com", "ada", "taken secret"), register("x", "y", "bad"),
		testkit.Me(tokens.Access), testkit.Me(tokens.Refresh), testkit.Me(service), testkit.Me("nonsense-token"),
		testkit.Refresh(tokens.Refresh), testkit.Refresh(tokens.Access), testkit.Refresh("nonsense-token"),
		changePassword(tokens.Access, "wrong secret", "new secret"), changePassword(tokens.Access, testkit.Password, "new secret"),
		{Method: http.MethodGet, Path: "/auth/sessions", Token: tokens.Access},
		{Method: http.MethodPost, Path: "/auth/logout", Token: tokens.Access},
		testkit.Post("", "/auth/login", `{"password":"malformed secret"`),
	} {
		a.Do(t, req)
	}
	lines := log.String()
	if !strings.Contains(lines, "/auth/login") {
		t.Fatal("the log holds no requests: this test proves nothing")
	}
	for _, secret := range []string{
		tokens.Access, tokens.Refresh, service, serviceSecret, testkit.Password, adminPassword, "nonsense-token",
		"wrong secret", "taken secret", "new secret", "malformed secret", testkit.MasterKey, "$argon2id$",
	} {
		if strings.Contains(lines, secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
}
