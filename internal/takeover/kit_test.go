package takeover_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/message/mail"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const (
	victims   = "victim@example.com"
	attackers = "attacker@example.net"
	chosen    = "a completely new one"
)

// world is a stoa, and everybody's mailboxes.
type world struct {
	*testkit.App

	mails []mail.Message // all that were sent, in order
	admin testkit.Tokens // of tests that need an administrator

	visits int // sign-ins, each from an address of its own
}

// rules changes the rules about signing in, as if stoa had been started with others.
func (w *world) rules(change func(r *account.Rules)) {
	rules := w.Accounts.LastRules()
	change(&rules)
	w.Accounts.Book = account.Fixed(rules)
}

// attack runs test on a stoa of its own, on the engines of the run.
func attack(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) { test(t, &world{App: a}) })
}

// raced is attack on both engines in every run.
func raced(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) { test(t, &world{App: a}) })
}

// register makes an account with an address.
func (w *world) register(t *testing.T, email, username string) testkit.Tokens {
	t.Helper()
	return testkit.TokensOf(t, w.Send(t, "/auth/register", map[string]string{
		"email": email, "username": username, "password": testkit.Password,
	}), http.StatusCreated)
}

// post sends a request that must be answered with a status.
func (w *world) post(t *testing.T, token, path string, body any, status int) testkit.Response {
	t.Helper()
	res := w.Do(t, testkit.Post(token, path, body))
	if res.Status != status {
		t.Fatalf("POST %s = %d %s, want %d", path, res.Status, res.Body, status)
	}
	return res
}

// link sends the token of a link.
func (w *world) link(t *testing.T, bearer, path, token string) testkit.Response {
	t.Helper()
	return w.Do(t, testkit.Post(bearer, path, map[string]string{"token": token}))
}

// dead fails the test unless a link is refused as any wrong one.
func (w *world) dead(t *testing.T, bearer, path, token string) {
	t.Helper()
	res := w.link(t, bearer, path, token)
	wrong := w.link(t, bearer, path, strings.Repeat("A", 43))
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_LINK")
	if string(res.Body) != string(wrong.Body) {
		t.Errorf("%s is told from a wrong link: %s", path, res.Body)
	}
}

// works fails the test unless a link does what it is for.
func (w *world) works(t *testing.T, bearer, path, token string) {
	t.Helper()
	if res := w.link(t, bearer, path, token); res.Status != http.StatusOK {
		t.Fatalf("POST %s = %d %s", path, res.Status, res.Body)
	}
}

// read collects the mails that were sent.
func (w *world) read(t *testing.T) []mail.Message {
	t.Helper()
	w.mails = append(w.mails, w.AllMails(t)...)
	return w.mails
}

var linkRE = regexp.MustCompile(`(?m)^(https?://[^/\s]+)/([a-z/-]+)#(\S+)$`)

// mailed returns the token of the last link to a page in the mails to an address, or "".
func (w *world) mailed(t *testing.T, to, page string) (token string) {
	t.Helper()
	for _, m := range w.read(t) {
		if m.To != to {
			continue
		}
		for _, found := range linkRE.FindAllStringSubmatch(m.Text, -1) {
			if found[1] != w.URL {
				t.Errorf("a mail links to %s", found[1])
			}
			if found[2] == page {
				token, _, _ = strings.Cut(found[3], ".")
			}
		}
	}
	return token
}

// mustMail is mailed for a link that must be there.
func (w *world) mustMail(t *testing.T, to, page string) string {
	t.Helper()
	token := w.mailed(t, to, page)
	if token == "" {
		t.Fatalf("no link to /%s was mailed to %s", page, to)
	}
	return token
}

// reset has somebody who reads mail to an address choose a new password.
func (w *world) reset(t *testing.T, email string) {
	t.Helper()
	w.post(t, "", "/auth/forgot-password", map[string]string{"email": email}, http.StatusOK)
	w.post(t, "", "/auth/reset-password", map[string]string{
		"token": w.mustMail(t, email, "reset-password"), "newPassword": chosen,
	}, http.StatusOK)
}

// signIn signs in.
func (w *world) signIn(t *testing.T, email, password string) testkit.Tokens {
	t.Helper()
	return testkit.TokensOf(t, w.Do(t, testkit.SignIn(email, password)), http.StatusOK)
}

// shutOut fails the test if a session or a password opens anything.
func (w *world) shutOut(t *testing.T, tokens testkit.Tokens, email, password string) {
	t.Helper()
	testkit.WantError(t, w.Do(t, testkit.Me(tokens.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, w.Do(t, testkit.Refresh(tokens.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
	testkit.WantError(t, w.Do(t, testkit.SignIn(email, password)), http.StatusUnauthorized, "LOGIN_FAILED")
}

// account returns what a user sees of their account.
func (w *world) account(t *testing.T, token string) testkit.Response {
	t.Helper()
	res := w.Do(t, testkit.Get(token, "/auth/account"))
	if res.Status != http.StatusOK {
		t.Fatalf("GET /auth/account = %d %s", res.Status, res.Body)
	}
	return res
}

// isProven fails the test unless an account's address is proven, or not, as it should be.
func (w *world) isProven(t *testing.T, token string, want bool) {
	t.Helper()
	if got := w.account(t, token).Get(t, "data.emailVerified"); got != want {
		t.Errorf("the address is proven: %v, want %v", got, want)
	}
}

// change asks for another address.
func change(token, to string) testkit.Request {
	return testkit.Post(token, "/auth/email/change", map[string]string{"newEmail": to})
}

// moved gives an account another address, and returns the link that takes it back.
func (w *world) moved(t *testing.T, token, from, to string) (back string) {
	t.Helper()
	w.post(t, token, "/auth/email/change", map[string]string{"newEmail": to}, http.StatusAccepted)
	w.works(t, token, "/auth/email/change/confirm", w.mustMail(t, to, "change-email"))
	return w.mustMail(t, from, "revert-email")
}
