package testkit

import (
	"net/http"
	"testing"
)

// Password is the password of every user that testkit makes.
const Password = "correct horse battery"

// Tokens are the tokens that a sign-in returns.
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

// Admin creates the administrator name@example.com and signs in as it over the API.
func (a *App) Admin(tb testing.TB, name string) Tokens {
	tb.Helper()
	if _, err := a.Accounts.CreateAdmin(tb.Context(), name+"@example.com", name, Password); err != nil {
		tb.Fatal(err)
	}
	return a.Login(tb, name)
}

// Login signs in as the user name@example.com over the API.
func (a *App) Login(tb testing.TB, name string) Tokens {
	tb.Helper()
	return TokensOf(tb, a.Do(tb, Request{Method: http.MethodPost, Path: "/auth/login", Body: map[string]string{
		"email": name + "@example.com", "password": Password,
	}}), http.StatusOK)
}

// SignIn returns a request to sign in.
func SignIn(email, password string) Request {
	return Post("", "/auth/login", map[string]string{"email": email, "password": password})
}

// Refresh returns a request to exchange a refresh token.
func Refresh(token string) Request {
	return Post("", "/auth/refresh", map[string]string{"refresh_token": token})
}

// Me returns a request of a user for their own account.
func Me(token string) Request { return Get(token, "/auth/me") }

// TokensOf returns the tokens in an answer, whose status must be want.
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
