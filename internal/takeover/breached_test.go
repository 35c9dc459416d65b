package takeover_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/breached"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

const guessable = "Your password is easy to guess for attackers"

// listed returns the file of a list of breached passwords.
func listed(t testing.TB, words ...string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "leaked.filter"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = breached.Build(f, breached.Words(words))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// knows has a stoa tell of breached passwords, and refuse none.
func (w *world) knows(t *testing.T, words ...string) {
	t.Helper()
	list, err := breached.Open(listed(t, words...))
	if err != nil {
		t.Fatal(err)
	}
	w.Accounts.Breached = list
}

// told returns how often an address was told of a breached password.
func (w *world) told(t *testing.T, to string) (times int) {
	t.Helper()
	for _, m := range w.read(t) {
		if m.To == to && m.Subject == guessable {
			times++
		}
	}
	return times
}

// isBreached fails the test unless a user sees whether the password is a breached one, and was told so often.
func (w *world) isBreached(t *testing.T, token string, want bool, times int) {
	t.Helper()
	if got := w.account(t, token).Get(t, "data.passwordBreached"); got != want {
		t.Errorf("the password is breached: %v, want %v", got, want)
	}
	if got := w.told(t, victims); got != times {
		t.Errorf("the user was told %d times, want %d", got, times)
	}
}

// A password of a list of leaked ones is tried on all accounts: whoever has one hears of it, once.
func TestABreachedPasswordIsToldOnce(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.knows(t, "something else")
		owner := w.register(t, victims, "ada")
		w.isBreached(t, owner.Access, false, 0)
		w.knows(t, testkit.Password, chosen)
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, chosen)), http.StatusUnauthorized, "LOGIN_FAILED")
		w.isBreached(t, owner.Access, false, 0) // a wrong password of the list says nothing of the account's
		for range 3 {
			w.signIn(t, victims, testkit.Password)
			w.isBreached(t, owner.Access, true, 1)
		}
		change := func(from, to string) {
			w.post(t, owner.Access, "/auth/change-password",
				map[string]string{"currentPassword": from, "newPassword": to}, http.StatusOK)
		}
		change(testkit.Password, "nobody has this one")
		w.isBreached(t, owner.Access, false, 1)
		change("nobody has this one", chosen)
		w.isBreached(t, owner.Access, true, 2)
		for times := 3; times <= 4; times++ { // the first reset proves the address
			w.reset(t, victims)
			if got := w.told(t, victims); got != times {
				t.Errorf("after a reset, the user was told %d times, want %d", got, times)
			}
			owner = w.signIn(t, victims, chosen)
			w.isBreached(t, owner.Access, true, times)
			w.Clock.Advance(minute)
		}

		w.register(t, "eve@example.com", "eve")
		if got := w.told(t, "eve@example.com"); got != 1 {
			t.Errorf("whoever registers with one was told %d times", got)
		}
		if _, err := w.Accounts.CreateAdmin(t.Context(), "root@example.com", "root", chosen); err != nil {
			t.Fatal(err)
		}
		w.signIn(t, "root@example.com", chosen)
		if got := w.told(t, "root@example.com"); got != 1 {
			t.Errorf("whoever got one by a command was told %d times", got)
		}
	})
}

// A password for one sign-in is gone when it could be told; the next one is told like any other.
func TestABreachedPasswordIsToldOnceItIsToStay(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.knows(t, chosen)
		w.register(t, victims, "ada")
		if _, err := w.Accounts.ReplacePassword(t.Context(), victims, chosen); err != nil {
			t.Fatal(err)
		}
		owner := w.signIn(t, victims, chosen)
		w.isBreached(t, owner.Access, false, 0)
		w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
		w.isBreached(t, owner.Access, true, 1)
	})
}

// The list may be another one after a start: what it says counts from the next sign-in on.
func TestAPasswordThatLeftTheListIsNoLongerBreached(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.knows(t, testkit.Password)
		owner := w.register(t, victims, "ada")
		w.isBreached(t, owner.Access, true, 1)
		w.Accounts.Breached = nil // no list says nothing
		owner = w.signIn(t, victims, testkit.Password)
		w.isBreached(t, owner.Access, true, 1)
		w.knows(t, "something else")
		owner = w.signIn(t, victims, testkit.Password)
		w.isBreached(t, owner.Access, false, 1)
	})
}

// A thief cannot fill a mailbox with notices by changing the password to and fro.
func TestABreachedPasswordIsToldTwentyTimesADay(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.knows(t, testkit.Password, chosen)
		owner := w.register(t, victims, "ada")
		from, to := testkit.Password, chosen
		change := func() {
			w.post(t, owner.Access, "/auth/change-password",
				map[string]string{"currentPassword": from, "newPassword": to}, http.StatusOK)
			from, to = to, from
		}
		for range 22 {
			change()
		}
		w.isBreached(t, owner.Access, true, 20)
		w.Clock.Advance(day)
		change()
		w.isBreached(t, owner.Access, true, 21)
	})
}

var plainIDs = regexp.MustCompile(`[\w-]{20,}(\.[\w-]+)*`)

// Answers that others know stay as they are: they do not say whether a password is a breached one.
func TestABreachedPasswordChangesNoAnswer(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		answers := func() (out [2]string) {
			for i, req := range []testkit.Request{
				testkit.Post("", "/auth/register", map[string]string{
					"email": victims, "username": "ada", "password": testkit.Password,
				}),
				testkit.SignIn(victims, testkit.Password),
			} {
				out[i] = plainIDs.ReplaceAllString(string(w.Do(t, req).Body), "…")
			}
			return out
		}
		want := answers()
		other := &world{App: testkit.New(t)}
		other.knows(t, testkit.Password)
		w = other
		if got := answers(); got != want {
			t.Errorf("answers\n%s\nwant\n%s", got, want)
		}
	})
}

// Whether a password is refused does not say who has an account, and whether an account's is one is not told to whoever
// does not know it.
func TestABreachedPasswordTellsNobodyWhoHasAnAccount(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.register(t, victims, "ada")
		w.knows(t, testkit.Password, "leaked password")
		w.rules(func(r *account.Rules) { r.RefuseBreached = true })
		same := func(what string, requests ...testkit.Request) {
			t.Helper()
			var want string
			for i, req := range requests {
				got := plainIDs.ReplaceAllString(string(w.Do(t, req).Body), "…")
				if i == 0 {
					want = got
				} else if got != want {
					t.Errorf("%s: %s, want %s", what, got, want)
				}
			}
		}
		register := func(email, username string) testkit.Request {
			return testkit.Post("", "/auth/register", map[string]string{
				"email": email, "username": username, "password": "leaked password",
			})
		}
		same("register", register("nobody@example.com", "nobody"), register(victims, "nobody"), register(victims, "ada"))
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": victims}, http.StatusOK)
		reset := func(token string) testkit.Request {
			return testkit.Post("", "/auth/reset-password", map[string]string{"token": token, "newPassword": "leaked password"})
		}
		same("reset", reset("not-a-token"), reset(w.mustMail(t, victims, "reset-password")))
		same("sign-in", testkit.SignIn(victims, "leaked password"), testkit.SignIn(victims, "something else"),
			testkit.SignIn("nobody@example.com", testkit.Password), testkit.SignIn("nobody@example.com", "something else"))
		if got := w.told(t, victims); got != 0 {
			t.Errorf("strangers had a mail sent %d times", got)
		}
	})
}

// Where breached passwords are refused, no way to choose one is left, and the answer says what to do.
func TestABreachedPasswordIsRefusedWhereverOneIsChosen(t *testing.T) {
	t.Parallel()

	file := listed(t, "leaked password")
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		w := &world{App: testkit.New(t, append(options, func(_ testing.TB, cfg *app.Config) {
			cfg.SignIn.BreachedPasswords = file
		})...)}
		owner := w.register(t, victims, "ada")
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": victims}, http.StatusOK)
		setup, err := w.Accounts.OpenSetup(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		refused := func(bearer, path, field string, body map[string]string) {
			t.Helper()
			body[field] = "leaked password"
			res := w.Do(t, testkit.Post(bearer, path, body))
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
			if want := `"issues":[{"path":"` + field + `","code":"too_common"`; !strings.Contains(string(res.Body), want) {
				t.Errorf("%s: %s", path, res.Body)
			}
		}
		refused("", "/auth/register", "password", map[string]string{"email": "eve@example.com", "username": "eve"})
		refused(owner.Access, "/auth/change-password", "newPassword", map[string]string{"currentPassword": testkit.Password})
		refused("", "/auth/reset-password", "newPassword", map[string]string{"token": w.mustMail(t, victims, "reset-password")})
		refused("", "/auth/setup", "password", map[string]string{
			"token": setup, "email": "root@example.com", "username": "root",
		})
		if _, err := w.Accounts.ReplacePassword(t.Context(), victims, "for one sign-in"); err != nil {
			t.Fatal(err)
		}
		owner = w.signIn(t, victims, "for one sign-in")
		refused(owner.Access, "/auth/password", "newPassword", map[string]string{})
		w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": testkit.Password}, http.StatusOK)
		w.rules(func(r *account.Rules) { r.Registration = account.RegistrationMailFirst })
		refused("", "/auth/sign-up/complete", "password", map[string]string{"token": setup, "username": "eve"})
		w.signIn(t, victims, testkit.Password)
	})
}
