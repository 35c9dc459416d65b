package auth_test

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

func TestRegisterAnswersATokenSet(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		res := a.Send(t, "/auth/register", map[string]string{
			"email": "Ada@Example.com", "username": "Ada", "password": testkit.Password, "referralCode": "FRIEND-1",
		})
		tokens := testkit.TokensOf(t, res, http.StatusCreated)
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control = %q, want no-store", got)
		}
		want := map[string]any{
			"success": true,
			"message": "Registered and signed in.",
			"data": map[string]any{
				"user": map[string]any{
					"id": tokens.UserID, "email": "Ada@Example.com", "username": "Ada", "role": "USER", "avatar": nil,
				},
				"access_token": tokens.Access, "token": tokens.Access, "refresh_token": tokens.Refresh,
				"token_type": "Bearer", "expires_in": 604800.0,
			},
		}
		if diff := cmp.Diff(want, res.JSON(t)); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}

		res = a.Do(t, testkit.Me(tokens.Access))
		want = map[string]any{"success": true, "data": map[string]any{
			"id": tokens.UserID, "email": "Ada@Example.com", "username": "Ada",
			"role": "USER", "avatar": nil, "createdAt": "2030-03-01T12:00:00.000Z",
		}}
		if diff := cmp.Diff(want, res.JSON(t)); diff != "" {
			t.Errorf("me (-want +got):\n%s", diff)
		}
	})
}

func TestRegisterRefusesTakenNames(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "straße")
		for name, req := range map[string]testkit.Request{
			"e-mail in another case":     register("STRAẞE@example.COM", "other", "secret1"),
			"username in another case":   register("other@example.com", "STRASSE", "secret1"),
			"both":                       register("straße@example.com", "straße", "secret1"),
			"e-mail in another spelling": register("STRASSE@EXAMPLE.com", "other", "secret1"),
		} {
			t.Run(name, func(t *testing.T) {
				testkit.WantError(t, a.Do(t, req), http.StatusBadRequest, "REGISTRATION_FAILED")
			})
		}
	})
}

func TestRegisterNamesEveryFault(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	tests := []struct {
		name string
		body any
		want []string // "path code"
	}{
		{"nothing", map[string]any{}, []string{"email required", "username required", "password required"}},
		{
			"everything wrong",
			map[string]any{"email": "nobody", "username": "a b", "password": "12345", "referralCode": "a\nb"},
			[]string{
				"email invalid", "username invalid",
				"password out_of_range", "referralCode out_of_range",
			},
		},
		{
			"everything too long",
			map[string]any{
				"email":    strings.Repeat("a", 243) + "@example.com",
				"username": strings.Repeat("ü", 65), "password": strings.Repeat("ü", 1025),
			},
			[]string{"email out_of_range", "username out_of_range", "password out_of_range"},
		},
		{
			"wrong types",
			map[string]any{"email": 1, "username": true, "password": []string{}},
			[]string{"email wrong_type", "username wrong_type", "password wrong_type"},
		},
		{"null", map[string]any{"email": nil, "username": "ada", "password": "secret"}, []string{"email required"}},
		{"not JSON", `{"email":`, []string{" malformed"}},
		{
			"not UTF-8", "{\"email\":\"a@example.com\",\"username\":\"ada\",\"password\":\"secret\xff\"}",
			[]string{" not_unicode"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Send(t, "/auth/register", tt.body)
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
			var got []string
			list, _ := res.Get(t, "error.details.issues").([]any)
			for _, is := range list {
				m := is.(map[string]any)
				got = append(got, m["path"].(string)+" "+m["code"].(string))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMeNeedsALiveUser(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		testkit.WantError(t, a.Do(t, testkit.Me("")), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, testkit.Me("nonsense")), http.StatusUnauthorized, "UNAUTHORIZED")
		tokens := a.Register(t, "ada")
		if err := a.Accounts.SetActive(t.Context(), tokens.UserID, false); err != nil {
			t.Fatal(err)
		}
		testkit.WantError(t, a.Do(t, testkit.Me(tokens.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, testkit.Refresh(tokens.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
	})
}

func TestJWKS(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		res := a.Fetch(t, "/.well-known/jwks.json")
		keys, _ := res.Get(t, "keys").([]any)
		if res.Status != http.StatusOK || len(keys) != 2 {
			t.Fatalf("jwks = %d with %d keys, want the current and the next\n%s", res.Status, len(keys), res.Body)
		}
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=300" {
			t.Errorf("Cache-Control = %q", got)
		}
	})
}

func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	const adminPassword = "the administrator's own"
	a := testkit.New(t, testkit.WithServices, func(_ testing.TB, cfg *app.Config) {
		cfg.Log = log.Logger()
		cfg.AdminEmail, cfg.AdminPassword = "root@example.com", adminPassword
	})
	tokens := a.Register(t, "ada")
	service := testkit.ServiceToken(t, jwt.MapClaims{
		"sub": "billing", "iss": testkit.ServiceIssuer,
		"iat": testkit.T0.Unix(), "exp": testkit.T0.Add(time.Hour).Unix(),
	})
	for _, req := range []testkit.Request{
		testkit.SignIn("ada@example.com", testkit.Password),
		testkit.SignIn("ada@example.com", "wrong secret"), testkit.SignIn("root@example.com", adminPassword),
		register("ada@example.com", "ada", "taken secret"), register("x", "y", "bad"),
		testkit.Me(tokens.Access), testkit.Me(tokens.Refresh), testkit.Me(service), testkit.Me("nonsense-token"),
		testkit.Refresh(tokens.Refresh), testkit.Refresh(tokens.Access), testkit.Refresh("nonsense-token"),
		changePassword(tokens.Access, "wrong secret", "new secret"),
		changePassword(tokens.Access, testkit.Password, "new secret"),
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
		tokens.Access, tokens.Refresh, service, testkit.ServiceSecret,
		testkit.Password, adminPassword, "nonsense-token",
		"wrong secret", "taken secret", "new secret", "malformed secret", testkit.MasterKey, "$argon2id$",
	} {
		if strings.Contains(lines, secret) {
			t.Errorf("the log contains %q", secret)
		}
	}
}
