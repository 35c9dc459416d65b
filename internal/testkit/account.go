package testkit

import (
	"net/http"
	"testing"
)

// Password is the password of every user that testkit makes.
const Password = "correct horse battery"

// Tokens is what a sign-in answers.
type Tokens struct {
	UserID, Access, Refresh string
}

// Register registers the user name@example.com over the API.
func (a *App) Register(tb testing.TB, name string) Tokens {
	tb.Helper()
	return TokensOf(tb, a.Do(tb, Request{Method: http.MethodPost, Path: "/auth/register", Body: map[string]string{
		"email": name + "@example.com", "username": name, "password": Password,
	}}), http.StatusCreated)
}

// Admin makes the administrator name@example.com and signs it in over the API.
func (a *App) Admin(tb testing.TB, name string) Tokens {
	tb.Helper()
	if _, err := a.Accounts.CreateAdmin(tb.Context(), name+"@example.com", name, Password); err != nil {
		tb.Fatal(err)
	}
	return a.Login(tb, name)
}

// Login signs the user name@example.com in over the API.
func (a *App) Login(tb testing.TB, name string) Tokens {
	tb.Helper()
	return TokensOf(tb, a.Do(tb, Request{Method: http.MethodPost, Path: "/auth/login", Body: map[string]string{
		"email": name + "@example.com", "password": Password,
	}}), http.StatusOK)
}

// SignIn returns a sign-in.
func SignIn(email, password string) Request {
	return Post("", "/auth/login", map[string]string{"email": email, "password": password})
}

// Refresh returns an exchange of a refresh token.
func Refresh(token string) Request {
	return Post("", "/auth/refresh", map[string]string{"refresh_token": token})
}

// Me returns a question of a user for itself.
func Me(token string) Request { return Get(token, "/auth/me") }

// TokensOf reads a token set, which must have the status want.
func TokensOf(tb testing.TB, res Response, want int) Tokens {
	tb.Helper()
	if res.Status != want {
		tb.Fatalf("status %d, want %d\n%s", res.Status, want, res.Body)
	}
	return Tokens{
		UserID: res.Text(tb, "data.user.id"),
		Access: res.Text(tb, "data.access_token"), Refresh: res.Text(tb, "data.refresh_token"),
	}
}
