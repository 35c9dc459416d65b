package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

func TestLogin(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		res := a.Do(t, testkit.SignIn("ADA@EXAMPLE.COM", testkit.Password))
		testkit.TokensOf(t, res, http.StatusOK)
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control = %q, want no-store", got)
		}
		testkit.WantError(t, a.Send(t, "/auth/login", map[string]any{}), http.StatusBadRequest, "VALIDATION_ERROR")
	})
}

// A login must not reveal who has an account.
func TestFailedLoginsAnswerTheSameBytes(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
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
		again := testkit.TokensOf(t, a.Do(t, testkit.Refresh(first.Refresh)), http.StatusOK)
		if again.Refresh != second.Refresh {
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
	testkit.WantError(t, a.Send(t, "/auth/refresh", map[string]any{}), http.StatusBadRequest, "VALIDATION_ERROR")
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

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		tokens, other := a.Register(t, "ada"), a.Login(t, "ada")
		out := func(token string) {
			t.Helper()
			res := a.Do(t, testkit.Post(token, "/auth/logout", nil))
			if diff := cmp.Diff(map[string]any{
				"success": true, "data": nil, "message": "Signed out.",
			}, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
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

func TestSessions(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		first := a.Register(t, "ada")
		a.Clock.Advance(time.Hour)
		second, bob := a.Login(t, "ada"), a.Register(t, "bob")
		list := func(token string) []map[string]any {
			t.Helper()
			res := a.Do(t, testkit.Get(token, "/auth/sessions"))
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
			return a.Do(t, testkit.Delete(token, "/auth/sessions/"+id.(string)))
		}
		items := list(second.Access)
		if len(items) != 2 {
			t.Fatalf("%d sessions, want 2", len(items))
		}
		ids := []any{items[0]["id"], items[1]["id"]}
		client := map[string]any{"name": "an unknown device"}
		want := []map[string]any{
			{
				"id": ids[0], "createdAt": "2030-03-01T13:00:00.000Z",
				"lastUsedAt": "2030-03-01T13:00:00.000Z", "expiresAt": "2030-03-31T13:00:00.000Z", "current": true,
				"level": 1.0, "methods": []any{"pwd"}, "address": "127.0.0.1", "device": client,
			},
			{
				"id": ids[1], "createdAt": "2030-03-01T12:00:00.000Z",
				"lastUsedAt": "2030-03-01T12:00:00.000Z", "expiresAt": "2030-03-31T12:00:00.000Z", "current": false,
				"level": 1.0, "methods": []any{"pwd"}, "address": "127.0.0.1", "device": client,
			},
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
