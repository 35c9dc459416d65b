package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

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
	if got := a.Do(t, testkit.Get(tokens.Access, "/api/v1/admin/extensions")).Status; got != http.StatusOK {
		t.Errorf("an administrator's route = %d, want 200", got)
	}
	user := a.Register(t, "ada")
	testkit.WantError(t, a.Do(t, testkit.Get(user.Access, "/api/v1/admin/extensions")), http.StatusForbidden,
		"FORBIDDEN")
}

func TestSetUpOverTheAPI(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		token, err := a.Accounts.OpenSetup(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		page := a.Fetch(t, "/setup")
		if page.Status != http.StatusOK ||
			!strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") ||
			strings.Contains(string(page.Body), token) {
			t.Errorf("GET /setup = %d, policy %q", page.Status, page.Header.Get("Content-Security-Policy"))
		}
		post := func(token, name string) testkit.Response {
			t.Helper()
			return a.Send(t, "/auth/setup", map[string]string{
				"token": token, "email": name + "@example.com", "username": name, "password": testkit.Password,
			})
		}
		if res := post("wrong", "eve"); res.Status != http.StatusNotFound || res.Text(t, "error.code") != "NOT_FOUND" {
			t.Errorf("wrong token = %d, %s", res.Status, res.Body)
		}
		if res := post(token, "x"); res.Status != http.StatusBadRequest {
			t.Errorf("fault = %d, %s", res.Status, res.Body)
		}
		root := testkit.TokensOf(t, post(token, "root"), http.StatusCreated)
		if res := a.Do(t, testkit.Get(root.Access, "/api/v1/admin/users")); res.Status != http.StatusOK {
			t.Errorf("as the administrator = %d, %s", res.Status, res.Body)
		}
		if res := post(token, "eve"); res.Status != http.StatusNotFound {
			t.Errorf("a second time = %d, %s", res.Status, res.Body)
		}
		if res := a.Fetch(t, "/setup"); res.Status != http.StatusNotFound {
			t.Errorf("GET /setup with an administrator there = %d, want 404", res.Status)
		}
	})
}
