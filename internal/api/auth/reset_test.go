package auth_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/message/mail"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/smtptest"
)

const newPassword = "a completely new one"

func forgot(email string) testkit.Request {
	return testkit.Post("", "/auth/forgot-password", map[string]string{"email": email})
}

func reset(token, password string) testkit.Request {
	return testkit.Post("", "/auth/reset-password", map[string]string{"token": token, "newPassword": password})
}

var resetLink = regexp.MustCompile(`(?m)^(http://\S+)/reset-password#([A-Za-z0-9_-]{43})$`)

// askForLink asks for a mail and returns the token in it.
func askForLink(t *testing.T, a *testkit.App, name string) string {
	t.Helper()
	if res := a.Do(t, forgot(name+"@example.com")); res.Status != http.StatusOK {
		t.Fatalf("answer %d %s", res.Status, res.Body)
	}
	mails := a.Mails(t)
	if len(mails) != 1 || mails[0].To != name+"@example.com" {
		t.Fatalf("mails = %+v, want one to %s", mails, name)
	}
	m := resetLink.FindStringSubmatch(mails[0].Text)
	if m == nil || m[1] != a.URL {
		t.Fatalf("no link to %s in:\n%s", a.URL, mails[0].Text)
	}
	return m[2]
}

func TestResetPasswordWithALinkFromAMail(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		one, other := a.Register(t, "ada"), a.Login(t, "ada")
		bob := a.Register(t, "bob")
		token := askForLink(t, a, "ada")

		res := a.Do(t, reset(token, newPassword))
		want := map[string]any{
			"success": true, "data": nil,
			"message": "Password changed. All sessions have ended: sign in with the new password.",
		}
		if diff := cmp.Diff(want, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
			t.Fatalf("answer %d (-want +got):\n%s", res.Status, diff)
		}
		for _, tokens := range []testkit.Tokens{one, other} {
			testkit.WantError(t, a.Do(t, testkit.Me(tokens.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
			testkit.WantError(t, a.Do(t, testkit.Refresh(tokens.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
		}
		testkit.WantError(t, a.Do(t, testkit.SignIn("ada@example.com", testkit.Password)), http.StatusUnauthorized,
			"LOGIN_FAILED")
		testkit.TokensOf(t, a.Do(t, testkit.SignIn("ada@example.com", newPassword)), http.StatusOK)
		if res := a.Do(t, testkit.Me(bob.Access)); res.Status != http.StatusOK {
			t.Errorf("another user was signed out: %s", res.Body)
		}
		mustBeNotified(t, a, "ada@example.com")
	})
}

// mustBeNotified checks that the user got a mail about the new password, without a link.
func mustBeNotified(t *testing.T, a *testkit.App, to string) {
	t.Helper()
	mails := a.Mails(t)
	if len(mails) != 1 || mails[0].To != to || mails[0].Subject != "Your password was changed" {
		t.Fatalf("mails = %+v, want a notice to %s", mails, to)
	}
	for _, never := range []string{"http", "#", "www."} {
		if strings.Contains(mails[0].Text, never) {
			t.Errorf("the notice has %q:\n%s", never, mails[0].Text)
		}
	}
}

func TestAPasswordChangeIsNotified(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	tokens := a.Register(t, "ada")
	change := testkit.Post("", "/auth/change-password", map[string]string{
		"currentPassword": "wrong", "newPassword": newPassword,
	})
	change.Token = tokens.Access
	a.Do(t, change)
	if mails := a.Mails(t); len(mails) != 0 {
		t.Errorf("mails after a wrong password = %+v", mails)
	}
	change.Body = map[string]string{"currentPassword": testkit.Password, "newPassword": newPassword}
	if res := a.Do(t, change); res.Status != http.StatusOK {
		t.Fatal(res.Status)
	}
	mustBeNotified(t, a, "ada@example.com")
}

func TestAResetTokenWorksOnce(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		token := askForLink(t, a, "ada")
		// Often both find the token usable before either has used it.
		const n = 6
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			done int
		)
		for range n {
			wg.Go(func() {
				res := a.Do(t, reset(token, newPassword))
				mu.Lock()
				defer mu.Unlock()
				if res.Status == http.StatusOK {
					done++
				} else {
					testkit.WantError(t, res, http.StatusBadRequest, "INVALID_RESET_TOKEN")
				}
			})
		}
		wg.Wait()
		if done != 1 {
			t.Errorf("the token worked %d times, want once", done)
		}
		testkit.WantError(t, a.Do(t, reset(token, newPassword)), http.StatusBadRequest, "INVALID_RESET_TOKEN")
		if mails := a.Mails(t); len(mails) != 1 {
			t.Errorf("%d notices, want 1", len(mails))
		}
	})
}

func TestAResetTokenLivesThirtyMinutes(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		late := askForLink(t, a, "ada")
		a.Clock.Advance(30*time.Minute + time.Second)
		testkit.WantError(t, a.Do(t, reset(late, newPassword)), http.StatusBadRequest, "INVALID_RESET_TOKEN")

		inTime := askForLink(t, a, "ada")
		a.Clock.Advance(30 * time.Minute)
		if res := a.Do(t, reset(inTime, newPassword)); res.Status != http.StatusOK {
			t.Errorf("after 30 minutes: %d %s", res.Status, res.Body)
		}
	})
}

func TestABadNewPasswordDoesNotUseUpTheToken(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	token := askForLink(t, a, "ada")
	for name, body := range map[string]any{
		"too short":   map[string]string{"token": token, "newPassword": "12345"},
		"too long":    map[string]string{"token": token, "newPassword": strings.Repeat("x", 1025)},
		"missing":     map[string]string{"token": token},
		"wrong type":  map[string]any{"token": token, "newPassword": 1},
		"no token":    map[string]string{"newPassword": newPassword},
		"nothing":     map[string]string{},
		"not JSON":    "{",
		"not UTF-8":   "{\"token\":\"" + token + "\",\"newPassword\":\"secret\xff\"}",
		"other types": map[string]any{"token": []string{token}, "newPassword": newPassword},
	} {
		res := a.Send(t, "/auth/reset-password", body)
		if res.Status != http.StatusBadRequest || res.Text(t, "error.code") != "VALIDATION_ERROR" {
			t.Errorf("%s: %d %s", name, res.Status, res.Body)
		}
	}
	if res := a.Do(t, reset(token, newPassword)); res.Status != http.StatusOK {
		t.Errorf("the token after all that: %d %s", res.Status, res.Body)
	}
}

// Whatever is wrong with a token, the answer is the same.
func TestInvalidResetTokensAnswerTheSame(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	token := askForLink(t, a, "ada")
	want := a.Do(t, reset("x", newPassword))
	testkit.WantError(t, want, http.StatusBadRequest, "INVALID_RESET_TOKEN")
	for _, near := range []string{
		token + "x", token[:42], strings.ToUpper(token), " " + token, token + "\x00", strings.Repeat("x", 500_000),
	} {
		if res := a.Do(t, reset(near, newPassword)); string(res.Body) != string(want.Body) {
			t.Errorf("%.60q: %s", near, res.Body)
		}
	}
}

// A link also ends when something else changes the password or the user.
func TestOtherChangesVoidResetTokens(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		for name, change := range map[string]func(t *testing.T, user testkit.Tokens, token string){
			"password-change": func(t *testing.T, user testkit.Tokens, _ string) {
				req := testkit.Post("", "/auth/change-password", map[string]string{
					"currentPassword": testkit.Password, "newPassword": newPassword,
				})
				req.Token = user.Access
				if res := a.Do(t, req); res.Status != http.StatusOK {
					t.Fatal(res.Status)
				}
			},
			"another-link": func(t *testing.T, _ testkit.Tokens, _ string) {
				a.Clock.Advance(time.Minute)
				if res := a.Do(t, reset(askForLink(t, a, "another-link"), newPassword)); res.Status != http.StatusOK {
					t.Fatal(res.Status)
				}
			},
			"deactivated": func(t *testing.T, user testkit.Tokens, token string) {
				active := func(on bool) {
					if err := a.Accounts.SetActive(t.Context(), user.UserID, on); err != nil {
						t.Fatal(err)
					}
				}
				active(false)
				testkit.WantError(t, a.Do(t, reset(token, newPassword)), http.StatusBadRequest, "INVALID_RESET_TOKEN")
				active(true)
			},
			"deactivated-by-hand": func(t *testing.T, user testkit.Tokens, _ string) {
				if err := store.NewAccount(a.DB).SetActive(t.Context(), user.UserID, false); err != nil {
					t.Fatal(err)
				}
			},
			"replaced-by-an-administrator": func(t *testing.T, _ testkit.Tokens, _ string) {
				_, err := a.Accounts.ReplacePassword(t.Context(), "replaced-by-an-administrator@example.com",
					newPassword)
				if err != nil {
					t.Fatal(err)
				}
			},
		} {
			user := a.Register(t, name)
			token := askForLink(t, a, name)
			change(t, user, token)
			res := a.Do(t, reset(token, newPassword+"!"))
			if res.Status != http.StatusBadRequest || res.Text(t, "error.code") != "INVALID_RESET_TOKEN" {
				t.Errorf("%s: the link still works: %d %s", name, res.Status, res.Body)
			}
			a.Mails(t)
		}
	})
}

// This route must not reveal who has an account.
func TestForgotPasswordAnswersTheSameForUnknownAddresses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		inactive := a.Register(t, "bob")
		if err := a.Accounts.SetActive(t.Context(), inactive.UserID, false); err != nil {
			t.Fatal(err)
		}
		known := a.Do(t, forgot("ada@example.com"))
		want := map[string]any{
			"success": true, "data": nil,
			"message": "If there is an account with this e-mail address, a mail with a link is on its way. " +
				"The link works for 30 minutes.",
		}
		if diff := cmp.Diff(want, known.JSON(t)); known.Status != http.StatusOK || diff != "" {
			t.Fatalf("answer %d (-want +got):\n%s", known.Status, diff)
		}
		for name, email := range map[string]string{
			"unknown": "eve@example.com", "inactive": "bob@example.com",
			"known, asked again": "ada@example.com", "known, in another case": "ADA@Example.Com",
		} {
			res := a.Do(t, forgot(email))
			if res.Status != known.Status || string(res.Body) != string(known.Body) ||
				len(res.Header) != len(known.Header) {
				t.Errorf("%s: %d %v %s, want %v %s", name, res.Status, res.Header, res.Body, known.Header, known.Body)
			}
		}
		mails := a.Mails(t)
		if len(mails) != 1 || mails[0].To != "ada@example.com" {
			t.Errorf("mails = %+v, want one to ada", mails)
		}
	})
}

// The time of the answer reveals nothing either: the account is looked up after it.
func TestForgotPasswordAnswersBeforeItLooks(t *testing.T) {
	t.Parallel()

	gate := make(chan struct{})
	a := testkit.New(t)
	a.Register(t, "ada")
	mailer := &heldMailer{gate: gate, next: a.Accounts.Mailer}
	a.Accounts.Mailer = mailer
	a.Do(t, forgot("ada@example.com"))
	a.Do(t, forgot("eve@example.com"))
	if n := mailer.composed(); n != 0 {
		t.Errorf("%d look-ups before the answer", n)
	}
	close(gate)
	if mails := a.Mails(t); len(mails) != 1 || mailer.composed() != 2 {
		t.Errorf("%d mails after %d look-ups, want 1 after 2", len(mails), mailer.composed())
	}
}

// heldMailer lets nothing be composed until its gate opens.
type heldMailer struct {
	gate chan struct{}
	next account.Mailer

	mu sync.Mutex
	n  int
}

func (o *heldMailer) Post(ctx context.Context, compose mail.Compose) {
	o.next.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		<-o.gate
		o.mu.Lock()
		o.n++
		o.mu.Unlock()
		return compose(ctx)
	})
}

func (o *heldMailer) composed() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

func TestForgotPasswordNeedsAnAddress(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	for _, body := range []any{
		map[string]string{},
		map[string]string{"email": "ada"},
		map[string]string{"email": "a@example.com\r\nBcc: b@example.com"},
		map[string]any{"email": 1},
		"{",
	} {
		testkit.WantError(t, a.Send(t, "/auth/forgot-password", body), http.StatusBadRequest, "VALIDATION_ERROR")
	}
	if mails := a.Mails(t); len(mails) != 0 {
		t.Errorf("mails = %+v", mails)
	}
}

// Nobody can flood another's mailbox: one mail a minute, five an hour, and the
// answer never changes.
func TestForgotPasswordMailsWithinLimits(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		ask := func(after time.Duration, want int) {
			t.Helper()
			a.Clock.Advance(after)
			var wg sync.WaitGroup
			for range 3 { // the limit is exact when asked at once
				wg.Go(func() { a.Do(t, forgot("ada@example.com")) })
			}
			wg.Wait()
			if got := len(a.Mails(t)); got != want {
				t.Errorf("%d mails at %v, want %d", got, a.Clock.Now().Sub(testkit.T0), want)
			}
		}
		ask(0, 1)
		ask(time.Minute-time.Millisecond, 0)
		ask(time.Millisecond, 1)
		for range 3 {
			ask(time.Minute, 1)
		}
		ask(time.Minute, 0)                              // the sixth of the hour
		ask(time.Hour-5*time.Minute-time.Millisecond, 0) // an hour after the first, almost
		ask(time.Millisecond, 1)
		ask(time.Minute, 1)
	})
}

// A link leads to the configured address whatever host the client claims to
// have called (password reset poisoning). It goes to the address of the account
// and not to one that merely compares equal.
func TestResetMailsCannotBeDiverted(t *testing.T) {
	t.Parallel()

	// Other hosts are refused anyway; this one is among those that are answered.
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.AllowedHosts = []string{"evil.example"} })
	testkit.TokensOf(t, a.Do(t, register("straße@example.com", "ada", testkit.Password)), http.StatusCreated)
	req := forgot("STRASSE@example.com")
	req.Header = http.Header{
		"X-Forwarded-Host": {"evil.example"}, "Forwarded": {"host=evil.example"},
		"Origin": {"https://evil.example"}, "Referer": {"https://evil.example/"},
	}
	a.Do(t, req)
	mails := a.Mails(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/auth/forgot-password",
		strings.NewReader(`{"email":"straße@example.com"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	a.Clock.Advance(time.Minute)
	res, err := a.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	mails = append(mails, a.Mails(t)...)
	if len(mails) != 2 {
		t.Fatalf("%d mails, want 2", len(mails))
	}
	for _, m := range mails {
		if m.To != "straße@example.com" || strings.Contains(m.Text, "evil.example") ||
			!strings.Contains(m.Text, "\n"+a.URL+"/reset-password#") {
			t.Errorf("mail to %s:\n%s", m.To, m.Text)
		}
	}
}

func TestResetPageIsServedWithAStrictPolicy(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	res := a.Fetch(t, "/reset-password")
	if res.Status != http.StatusOK || !strings.Contains(string(res.Body), "Choose a new password") {
		t.Fatalf("answer %d %s", res.Status, res.Body)
	}
	if got := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none';") {
		t.Errorf("policy = %q", got)
	}
	again := a.Do(t, testkit.Request{
		Method: http.MethodGet, Path: "/reset-password", Header: http.Header{"If-None-Match": {res.Header.Get("ETag")}},
	})
	if again.Status != http.StatusNotModified {
		t.Errorf("again: %d, want 304", again.Status)
	}
}

// Over a real SMTP server, the link in the mail resets the password, and mails
// that are queued when stoa stops are still sent.
func TestForgottenPasswordOverARealSMTPServer(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{User: "stoa", Password: "smtp secret"})
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.Mailer = nil
		cfg.SMTPURL, cfg.SMTPPassword = server.URL("stoa"), "smtp secret"
		cfg.MailFrom = "Shop <no-reply@shop.example.com>"
	})
	a.Register(t, "ada")
	if got := server.NextMail(t); !strings.Contains(got.Text(t), a.URL+"/verify-email#") {
		t.Errorf("first mail = %s", got.Text(t))
	}
	a.Do(t, forgot("ada@example.com"))
	m := resetLink.FindStringSubmatch(server.NextMail(t).Text(t))
	if m == nil {
		t.Fatal("no link in the mail")
	}
	if res := a.Do(t, reset(m[2], newPassword)); res.Status != http.StatusOK {
		t.Fatalf("answer %d %s", res.Status, res.Body)
	}
	if got := server.NextMail(t); !strings.Contains(got.Text(t), "was changed") {
		t.Errorf("second mail = %s", got.Text(t))
	}
	a.Register(t, "bob")
	a.Do(t, forgot("bob@example.com"))
	a.Mail.Close(t.Context())
	if got := server.NextMail(t); got.To[0] != "bob@example.com" {
		t.Errorf("mail while stopping to %q", got.To)
	}
}
