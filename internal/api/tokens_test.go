package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

// Every kind of token is tried where each kind is required.
func TestEachKindOfTokenOpensItsOwnDoorOnly(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, plain *testkit.App) {
		e := plain.InstallEcho(t, nil)
		res := plain.Fetch(t, testkit.EchoPath+"/api/x")
		if res.Status != http.StatusOK {
			t.Fatalf("the plugin answered %d", res.Status)
		}
		user := plain.Register(t, "ada")
		tokens := map[string]string{
			"access": user.Access, "refresh": user.Refresh,
			"plugin": e.Reached().Header.Get("X-Platform-Token"), "administrator": e.Admin.Access,
			"service": testkit.ServiceToken(t, jwt.MapClaims{
				"sub": "billing", "iss": testkit.ServiceIssuer,
				"iat": testkit.T0.Unix(), "exp": testkit.T0.Add(time.Hour).Unix(),
			}),
		}
		get := func(path string) func(string) testkit.Request {
			return func(token string) testkit.Request {
				return testkit.Get(token, path)
			}
		}
		for _, door := range []struct {
			name string
			req  func(token string) testkit.Request
			want map[string]int // 401 for those not named
		}{
			{"me", testkit.Me, map[string]int{"access": 200, "administrator": 200}},
			{"sessions", get("/auth/sessions"), map[string]int{"access": 200, "administrator": 200}},
			{"refresh", testkit.Refresh, map[string]int{"refresh": 200}},
			{"platform API", get("/api/v1/platform/config"), map[string]int{"plugin": 200}},
			// services are off here
			{"management", get("/api/v1/admin/extensions"), map[string]int{"access": 403, "administrator": 200}},
		} {
			for kind, token := range tokens {
				want := door.want[kind]
				if want == 0 {
					want = http.StatusUnauthorized
				}
				if got := plain.Do(t, door.req(token)).Status; got != want {
					t.Errorf("%s with a token of kind %s = %d, want %d", door.name, kind, got, want)
				}
			}
		}
	})
}

func TestServiceTokensManageAndDoNothingElse(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.WithServices)
	claims := jwt.MapClaims{
		"sub": "billing", "iss": testkit.ServiceIssuer,
		"iat": testkit.T0.Unix(), "exp": testkit.T0.Add(time.Hour).Unix(),
	}
	for _, typ := range []string{"JWT", "at+jwt"} { // RFC 9068 issuers write the latter
		signed := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
		signed.Header["typ"], signed.Header["kid"] = typ, "key of the service"
		raw, err := signed.SignedString([]byte(testkit.ServiceSecret))
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]int{
			"/api/v1/admin/extensions": 200, "/auth/me": 401, "/auth/sessions": 401, "/api/v1/platform/config": 401,
		} {
			if got := a.Do(t, testkit.Get(raw, path)).Status; got != want {
				t.Errorf("typ %s: %s = %d, want %d", typ, path, got, want)
			}
		}
		testkit.WantError(t, a.Do(t, testkit.Refresh(raw)), http.StatusUnauthorized, "REFRESH_FAILED")
		if got := a.Do(t, testkit.Post(raw, "/auth/logout", nil)).Status; got != http.StatusOK {
			t.Errorf("typ %s: logout = %d, want 200", typ, got)
		}
	}
}

// No username makes a service of its user, even if the issuer's name is a valid
// username.
func TestNoChosenNamePassesForTheIssuer(t *testing.T) {
	t.Parallel()

	const issuer = "billing.example.com"
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.ServiceIssuer, cfg.ServiceSecret = issuer, testkit.ServiceSecret
	})
	for i, u := range []struct{ email, username, referral string }{
		{"iss@billing.example.com", issuer, issuer},
		{"billing@example.com", "iss", `","iss":"` + issuer},
		{`{iss}@example.com`, "sub", `{"iss":"` + issuer + `"}`},
		{"root@example.com", "ADMIN", testkit.ServiceSecret},
		{"admin@example.com", "at-jwt", `"}.{"iss":"` + issuer + `","sub":"x"}`},
	} {
		res := a.Send(t, "/auth/register", map[string]string{
			"email": u.email, "username": u.username, "password": testkit.Password, "referralCode": u.referral,
		})
		tokens := testkit.TokensOf(t, res, http.StatusCreated)
		for _, raw := range []string{tokens.Access, tokens.Refresh} {
			parts := strings.Split(raw, ".")
			claims, err := base64.RawURLEncoding.DecodeString(parts[1])
			if err != nil || strings.Contains(string(claims), `"iss"`) || strings.Contains(string(claims), `"aud"`) {
				t.Errorf("user %d: the token has an issuer or an audience: %s, %v", i, claims, err)
			}
			for _, forged := range []string{raw, swapHeader(raw)} {
				want := http.StatusUnauthorized
				if forged == tokens.Access {
					want = http.StatusForbidden // known, and no administrator
				}
				if got := a.Do(t, testkit.Get(forged, "/api/v1/admin/extensions")).Status; got != want {
					t.Errorf("user %d: management = %d, want %d", i, got, want)
				}
			}
		}
	}
}

// The token of another service is enough (contract 2.9).
func TestServicesActAsAdministrators(t *testing.T) {
	t.Parallel()

	a, off := testkit.New(t, testkit.WithServices), testkit.New(t)
	claims := jwt.MapClaims{
		"sub": "billing", "iss": testkit.ServiceIssuer,
		"iat": testkit.T0.Unix(), "exp": testkit.T0.Add(time.Hour).Unix(),
	}
	raw := testkit.ServiceToken(t, claims)
	admin := testkit.Get(raw, "/api/v1/admin/extensions")
	if got := a.Do(t, admin).Status; got != http.StatusOK {
		t.Errorf("an administrator's route = %d, want 200", got)
	}
	testkit.WantError(t, off.Do(t, admin), http.StatusUnauthorized, "UNAUTHORIZED")
	// A service has no session.
	testkit.WantError(t, a.Do(t, testkit.Me(raw)), http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, a.Do(t, testkit.Post(raw, "/auth/change-password", map[string]string{
		"currentPassword": testkit.Password, "newPassword": testkit.Password,
	})), http.StatusUnauthorized, "UNAUTHORIZED")

	claims["iss"] = "https://evil.example.com"
	admin.Token = testkit.ServiceToken(t, claims)
	testkit.WantError(t, a.Do(t, admin), http.StatusUnauthorized, "UNAUTHORIZED")
}

// A user chooses e-mail address, username and referral code, and the tokens
// contain some of them: none may make a service of the user.
func TestNoUserCanPassForAService(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.WithServices)
	tokens := a.Register(t, "billing")
	plugin, _, err := a.Accounts.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: testkit.ServiceIssuer})
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{tokens.Refresh, plugin, swapHeader(tokens.Access)} {
		testkit.WantError(t, a.Do(t, testkit.Get(raw, "/api/v1/admin/extensions")), http.StatusUnauthorized,
			"UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, testkit.Me(raw)), http.StatusUnauthorized, "UNAUTHORIZED")
	}
	testkit.WantError(t, a.Do(t, testkit.Get(tokens.Access, "/api/v1/admin/extensions")), http.StatusForbidden,
		"FORBIDDEN")
}

// swapHeader gives a token the header {"alg":"HS256","typ":"JWT"}.
func swapHeader(raw string) string {
	_, rest, _ := strings.Cut(raw, ".")
	return "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + rest
}
