package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

func register(email, username, password string) testkit.Request {
	return testkit.Post("", "/auth/register", map[string]string{"email": email, "username": username, "password": password})
}

func TestRegisterAnswersATokenSet(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		res := a.Do(t, testkit.Post("", "/auth/register", map[string]string{
			"email": "Ada@Example.com", "username": "Ada", "password": testkit.Password, "referralCode": "FRIEND-1",
		}))
		tokens := testkit.TokensOf(t, res, http.StatusCreated)
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control = %q, want no-store", got)
		}
		want := map[string]any{
			"success": true,
			"message": "Registered and signed in.",
			"data": map[string]any{
				"user":         map[string]any{"id": tokens.UserID, "email": "Ada@Example.com", "username": "Ada", "role": "USER", "avatar": nil},
				"access_token": tokens.Access, "token": tokens.Access, "refresh_token": tokens.Refresh,
				"token_type": "Bearer", "expires_in": 604800.0,
			},
		}
		if diff := cmp.Diff(want, res.JSON(t)); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}

		res = a.Do(t, testkit.Me(tokens.Access))
		want = map[string]any{"success": true, "data": map[string]any{
			"id": tokens.UserID, "email": "Ada@Example.com", "username": "Ada", "role": "USER", "avatar": nil, "createdAt": "2030-03-01T12:00:00.000Z",
		}}
		if diff := cmp.Diff(want, res.JSON(t)); diff != "" {
			t.Errorf("me (-want +got):\n%s", diff)
		}
	})
}

func TestRegisterRefusesTakenNames(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
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
			[]string{"email invalid_email", "username invalid_username", "password too_short", "referralCode invalid_referral"},
		},
		{
			"everything too long",
			map[string]any{"email": strings.Repeat("a", 243) + "@example.com", "username": strings.Repeat("ü", 65), "password": strings.Repeat("ü", 1025)},
			[]string{"email invalid_email", "username too_long", "password too_long"},
		},
		{
			"wrong types",
			map[string]any{"email": 1, "username": true, "password": []string{}},
			[]string{"email wrong_type", "username wrong_type", "password wrong_type"},
		},
		{"null", map[string]any{"email": nil, "username": "ada", "password": "secret"}, []string{"email required"}},
		{"not JSON", `{"email":`, []string{" malformed"}},
		{"not UTF-8", "{\"email\":\"a@example.com\",\"username\":\"ada\",\"password\":\"secret\xff\"}", []string{" not_unicode"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Do(t, testkit.Post("", "/auth/register", tt.body))
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

func TestPasswordsAreVerifiedExactlyAsReceived(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	for name, password := range map[string]string{
		"spaces at both ends":  "  secret  ",
		"NUL and control":      "sec\x00ret\x01\n",
		"decomposed accent":    "secre\u0301t",
		"six characters":       "äöü€😀ß",
		"1,024 characters":     strings.Repeat("😀", 1024),
		"the replacement sign": "secret\uFFFD",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			user := "u" + strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), ",", "")
			testkit.TokensOf(t, a.Do(t, register(user+"@example.com", user, password)), http.StatusCreated)
			testkit.TokensOf(t, a.Do(t, testkit.SignIn(user+"@example.com", password)), http.StatusOK)
			for _, near := range []string{strings.TrimSpace(password) + " ", strings.ToUpper(password) + "x", "secr\u00e9t"} {
				testkit.WantError(t, a.Do(t, testkit.SignIn(user+"@example.com", near)), http.StatusUnauthorized, "LOGIN_FAILED")
			}
		})
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		res := a.Do(t, testkit.SignIn("ADA@EXAMPLE.COM", testkit.Password))
		testkit.TokensOf(t, res, http.StatusOK)
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control = %q, want no-store", got)
		}
		testkit.WantError(t, a.Do(t, testkit.Post("", "/auth/login", map[string]any{})), http.StatusBadRequest, "VALIDATION_ERROR")
	})
}

// Nobody may learn from a login who has an account.
func TestFailedLoginsAnswerTheSameBytes(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		inactive := a.Register(t, "bob")
		if err := a.Accounts.SetActive(t.Context(), inactive.UserID, false); err != nil {
			t.Fatal(err)
		}
		wrong := a.Do(t, testkit.SignIn("ada@example.com", "wrong password"))
		testkit.WantError(t, wrong, http.StatusUnauthorized, "LOGIN_FAILED")
		for name, req := range map[string]testkit.Request{
			"unknown address":      testkit.SignIn("eve@example.com", "wrong password"),
			"no address":           testkit.SignIn("ada", "wrong password"),
			"NUL in the address":   testkit.SignIn("ada\x00@example.com", "wrong password"),
			"inactive":             testkit.SignIn("bob@example.com", testkit.Password),
			"password too long":    testkit.SignIn("ada@example.com", strings.Repeat("x", 1025)),
			"password much longer": testkit.SignIn("ada@example.com", strings.Repeat("x", 500_000)),
		} {
			res := a.Do(t, req)
			if res.Status != wrong.Status || string(res.Body) != string(wrong.Body) {
				t.Errorf("%s: answer %d %s, want that of a wrong password", name, res.Status, res.Body)
			}
		}
	})
}

func TestRefreshRotates(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		first := a.Register(t, "ada")
		a.Clock.Advance(time.Hour)
		res := a.Do(t, testkit.Refresh(first.Refresh))
		second := testkit.TokensOf(t, res, http.StatusOK)
		if second.Refresh == first.Refresh || second.Access == first.Access {
			t.Error("refresh answered the tokens it replaced")
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control = %q, want no-store", got)
		}
		if got := a.Do(t, testkit.Me(second.Access)).Status; got != http.StatusOK {
			t.Errorf("me with the new access token = %d, want 200", got)
		}

		a.Clock.Advance(account.RefreshGrace) // the last moment of the grace
		if again := testkit.TokensOf(t, a.Do(t, testkit.Refresh(first.Refresh)), http.StatusOK); again.Refresh != second.Refresh {
			t.Error("in its grace a replaced refresh token answered another successor")
		}
		testkit.TokensOf(t, a.Do(t, testkit.Refresh(second.Refresh)), http.StatusOK)
	})
}

func TestReuseOfARefreshTokenEndsTheSession(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		other := a.Register(t, "ada")
		stolen := a.Login(t, "ada")
		fresh := testkit.TokensOf(t, a.Do(t, testkit.Refresh(stolen.Refresh)), http.StatusOK)
		a.Clock.Advance(account.RefreshGrace + time.Millisecond)

		testkit.WantError(t, a.Do(t, testkit.Refresh(stolen.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
		testkit.WantError(t, a.Do(t, testkit.Refresh(fresh.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
		testkit.WantError(t, a.Do(t, testkit.Me(fresh.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		if got := a.Do(t, testkit.Me(other.Access)).Status; got != http.StatusOK {
			t.Errorf("me in the user's other session = %d, want 200", got)
		}
	})
}

func TestRefreshRefusesWhatIsNoRefreshToken(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	tokens := a.Register(t, "ada")
	testkit.WantError(t, a.Do(t, testkit.Post("", "/auth/refresh", map[string]any{})), http.StatusBadRequest, "VALIDATION_ERROR")
	for name, raw := range map[string]string{
		"access token": tokens.Access, "no token": "x", "half a token": tokens.Refresh[:len(tokens.Refresh)/2],
		"changed signature": tokens.Refresh[:len(tokens.Refresh)-4] + "AAAA",
	} {
		res := a.Do(t, testkit.Refresh(raw))
		testkit.WantError(t, res, http.StatusUnauthorized, "REFRESH_FAILED")
		if strings.Contains(string(res.Body), raw[len(raw)/2:]) && len(raw) > 1 {
			t.Errorf("%s: the answer quotes the token", name)
		}
	}
	testkit.WantError(t, a.Do(t, testkit.Me(tokens.Refresh)), http.StatusUnauthorized, "UNAUTHORIZED")
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	tokens := a.Register(t, "ada")
	a.Clock.Advance(account.AccessLife - time.Second)
	if got := a.Do(t, testkit.Me(tokens.Access)).Status; got != http.StatusOK {
		t.Errorf("me a second before the end = %d, want 200", got)
	}
	a.Clock.Advance(32 * time.Second) // beyond the leeway for clocks that differ
	testkit.WantError(t, a.Do(t, testkit.Me(tokens.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
	a.Clock.Advance(account.RefreshLife - account.AccessLife)
	testkit.WantError(t, a.Do(t, testkit.Refresh(tokens.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
}

func TestLogout(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		tokens, other := a.Register(t, "ada"), a.Login(t, "ada")
		out := func(token string) {
			t.Helper()
			res := a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/auth/logout", Token: token})
			if diff := cmp.Diff(map[string]any{"success": true, "data": nil, "message": "Signed out."}, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
				t.Errorf("logout = %d (-want +got):\n%s", res.Status, diff)
			}
		}
		out("")
		out("nonsense")
		out(tokens.Refresh) // a token of another kind ends nothing
		if got := a.Do(t, testkit.Me(tokens.Access)).Status; got != http.StatusOK {
			t.Errorf("me before logout = %d, want 200", got)
		}
		out(tokens.Access)
		out(tokens.Access)
		testkit.WantError(t, a.Do(t, testkit.Me(tokens.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, testkit.Refresh(tokens.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
		if got := a.Do(t, testkit.Me(other.Access)).Status; got != http.StatusOK {
			t.Errorf("me in the other session = %d, want 200", got)
		}
	})
}

func TestMeNeedsALiveUser(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
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

func TestUnknownMethodsAndMedia(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/auth/login"})
	testkit.WantError(t, res, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	req := testkit.SignIn("ada@example.com", "secret")
	req.Header = http.Header{"Content-Type": {"text/plain"}}
	testkit.WantError(t, a.Do(t, req), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	testkit.WantError(t, a.Do(t, testkit.Post("", "/auth/login", `{"x":"`+strings.Repeat("x", 1<<20)+`"}`)), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
}

func TestJWKS(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/.well-known/jwks.json"})
		keys, _ := res.Get(t, "keys").([]any)
		if res.Status != http.StatusOK || len(keys) != 2 {
			t.Fatalf("jwks = %d with %d keys, want the current and the next\n%s", res.Status, len(keys), res.Body)
		}
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=300" {
			t.Errorf("Cache-Control = %q", got)
		}
	})
}

func withPolicy(policy string) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { cfg.PasswordPolicy = policy }
}

func TestPasswordPolicyASVS(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, withPolicy("asvs"))
	for password, want := range map[string]int{"seven77": 400, "PassWord1": 400, "12345678": 400, "zq8-kitten": 201} {
		if got := a.Do(t, register("ada@example.com", "ada", password)).Status; got != want {
			t.Errorf("register with %q = %d, want %d", password, got, want)
		}
	}
}
