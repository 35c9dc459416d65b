package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

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
			for _, near := range []string{
				strings.TrimSpace(password) + " ", strings.ToUpper(password) + "x", "secr\u00e9t",
			} {
				testkit.WantError(t, a.Do(t, testkit.SignIn(user+"@example.com", near)), http.StatusUnauthorized,
					"LOGIN_FAILED")
			}
		})
	}
}

func withPolicy(policy string) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { cfg.SignIn.PasswordPolicy = policy }
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

func TestChangePassword(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		tokens, other := a.Register(t, "ada"), a.Login(t, "ada")
		testkit.WantError(t, a.Do(t, changePassword("", testkit.Password, "another secret")), http.StatusUnauthorized,
			"UNAUTHORIZED")
		testkit.WantError(t, a.Do(t, changePassword(tokens.Access, "wrong", "another secret")), http.StatusBadRequest,
			"INVALID_PASSWORD")
		res := a.Do(t, changePassword(tokens.Access, "", "12345"))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if list, _ := res.Get(t, "error.details.issues").([]any); len(list) != 2 {
			t.Errorf("%d issues, want both", len(list))
		}

		res = a.Do(t, changePassword(tokens.Access, testkit.Password, "another secret"))
		want := map[string]any{
			"success": true, "data": nil, "message": "Password changed. All other sessions have ended.",
		}
		if diff := cmp.Diff(want, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
			t.Errorf("change-password = %d (-want +got):\n%s", res.Status, diff)
		}
		testkit.WantError(t, a.Do(t, testkit.Me(other.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		if got := a.Do(t, testkit.Me(tokens.Access)).Status; got != http.StatusOK {
			t.Errorf("me in the calling session = %d, want 200", got)
		}
	})
}
