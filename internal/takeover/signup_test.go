package takeover_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// mailFirst is attack on a stoa whose accounts begin with a mail.
func mailFirst(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		test(t, &world{App: testkit.New(t, append(options, registering("mail-first"))...)})
	})
}

func registering(mode string) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { cfg.SignIn.Registration = mode }
}

// signUp asks for a link to an address.
func (w *world) signUp(t *testing.T, email string) testkit.Response {
	t.Helper()
	return w.post(t, "", "/auth/sign-up", map[string]string{"email": email}, http.StatusAccepted)
}

// finish sends the token of a link, and what whoever has it chooses.
func (w *world) finish(t *testing.T, token, username string) testkit.Response {
	t.Helper()
	return w.Do(t, testkit.Post("", "/auth/sign-up/complete", map[string]string{
		"token": token, "username": username, "password": testkit.Password,
	}))
}

func TestAnAccountThatBeginsWithAMailIsProven(t *testing.T) {
	t.Parallel()

	mailFirst(t, func(t *testing.T, w *world) {
		w.signUp(t, victims)
		token := w.mustMail(t, victims, "sign-up")
		tokens := testkit.TokensOf(t, w.finish(t, token, "victim"), http.StatusCreated)
		if got := w.Do(t, testkit.Get(tokens.Access, "/auth/account")); got.Text(t, "data.user.email") != victims ||
			!strings.Contains(string(got.Body), `"emailVerified":true`) {
			t.Errorf("the account is %s", got.Body)
		}
		testkit.TokensOf(t, w.Do(t, testkit.SignIn(victims, testkit.Password)), http.StatusOK)
		testkit.WantError(t, w.finish(t, token, "again"), http.StatusBadRequest, "INVALID_LINK")
	})
}

// Nobody gets an account of an address without its mailbox, and nobody registers past the mail.
func TestNobodyRegistersWithoutTheMailbox(t *testing.T) {
	t.Parallel()

	mailFirst(t, func(t *testing.T, w *world) {
		res := w.Do(t, testkit.Post("", "/auth/register", map[string]string{
			"email": victims, "username": "attacker", "password": testkit.Password,
		}))
		testkit.WantError(t, res, http.StatusForbidden, "REGISTRATION_CLOSED")
		w.signUp(t, victims)
		w.signUp(t, attackers)
		mine := w.mustMail(t, attackers, "sign-up")
		testkit.TokensOf(t, w.finish(t, mine, "attacker"), http.StatusCreated)
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, testkit.Password)), http.StatusUnauthorized, "LOGIN_FAILED")
		testkit.WantError(t, w.finish(t, strings.Repeat("A", 43), "guess"), http.StatusBadRequest, "INVALID_LINK")
		// A field that the form does not have cannot name another address.
		res = w.Do(t, testkit.Post("", "/auth/sign-up/complete", map[string]string{
			"token": w.mustMail(t, victims, "sign-up"), "username": "other", "password": testkit.Password, "email": attackers,
		}))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	})
}

// Whether an address has an account is seen by whoever reads its mail, and by nobody else.
func TestSigningUpTellsNobodyWhoHasAnAccount(t *testing.T) {
	t.Parallel()

	mailFirst(t, func(t *testing.T, w *world) {
		w.signUp(t, victims)
		testkit.TokensOf(t, w.finish(t, w.mustMail(t, victims, "sign-up"), "victim"), http.StatusCreated)
		w.Clock.Advance(2 * time.Minute)
		known, unknown := w.signUp(t, victims), w.signUp(t, attackers)
		if string(known.Body) != string(unknown.Body) {
			t.Errorf("known: %s, unknown: %s", known.Body, unknown.Body)
		}
		last := map[string]string{}
		for _, m := range w.read(t) {
			last[m.To] = m.Subject
		}
		if last[victims] != "You have an account already" || last[attackers] != "Finish your account" {
			t.Errorf("the mails are %v", last)
		}
	})
}

func TestALinkToSignUpDies(t *testing.T) {
	t.Parallel()

	mailFirst(t, func(t *testing.T, w *world) {
		w.signUp(t, victims)
		first := w.mustMail(t, victims, "sign-up")
		w.Clock.Advance(2 * time.Minute)
		w.signUp(t, strings.ToUpper(victims))
		second := w.mustMail(t, strings.ToUpper(victims), "sign-up")
		w.Clock.Advance(24*time.Hour - 2*time.Minute - time.Second)

		res := w.finish(t, first, "no") // too short: the link lives on
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		testkit.TokensOf(t, w.finish(t, first, "victim"), http.StatusCreated)
		testkit.WantError(t, w.finish(t, second, "second"), http.StatusBadRequest, "INVALID_LINK") // the address is taken
		w.signUp(t, attackers)
		late := w.mustMail(t, attackers, "sign-up")
		w.Clock.Advance(time.Minute)
		testkit.WantError(t, w.finish(t, late, "victim"), http.StatusBadRequest, "REGISTRATION_FAILED")
		w.Clock.Advance(24*time.Hour - time.Minute)
		testkit.WantError(t, w.finish(t, late, "attacker"), http.StatusBadRequest, "INVALID_LINK")
	})
}

// Of many that send one link at once, one gets the account.
func TestALinkToSignUpWorksOnce(t *testing.T) {
	t.Parallel()

	mailFirst(t, func(t *testing.T, w *world) {
		w.signUp(t, victims)
		token := w.mustMail(t, victims, "sign-up")
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			made int
		)
		for _, name := range []string{"one", "two", "three", "four", "five"} {
			wg.Go(func() {
				res := w.finish(t, token, name)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case res.Status == http.StatusCreated:
					made++
				case res.Status != http.StatusBadRequest:
					t.Errorf("%s: %d %s", name, res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		if made != 1 {
			t.Errorf("%d accounts were made with one link", made)
		}
	})
}

// Six mails an hour reach a mailbox, whoever asks for them.
func TestSigningUpCannotFloodAMailbox(t *testing.T) {
	t.Parallel()

	mailFirst(t, func(t *testing.T, w *world) {
		for range 20 {
			w.signUp(t, victims)
			w.signUp(t, victims)
			w.read(t) // addresses are looked up in the background, at the clock's time
			w.Clock.Advance(2 * time.Minute)
		}
		if got := len(w.read(t)); got != 6 {
			t.Errorf("%d mails in 40 minutes, want 6", got)
		}
	})
}

func TestSignUpIsThereOnlyWhereAccountsBeginWithAMail(t *testing.T) {
	t.Parallel()

	for mode, want := range map[string]int{"open": http.StatusCreated, "closed": http.StatusForbidden} {
		w := &world{App: testkit.New(t, registering(mode))}
		for path, body := range map[string]map[string]string{
			"/auth/sign-up":          {"email": victims},
			"/auth/sign-up/complete": {"token": "x", "username": "victim", "password": testkit.Password},
		} {
			testkit.WantError(t, w.Do(t, testkit.Post("", path, body)), http.StatusNotFound, "NOT_FOUND")
		}
		res := w.Do(t, testkit.Post("", "/auth/register", map[string]string{
			"email": victims, "username": "victim", "password": testkit.Password,
		}))
		if res.Status != want {
			t.Errorf("%s: register = %d %s, want %d", mode, res.Status, res.Body, want)
		}
		if got := w.Do(t, testkit.Get("", "/auth/methods")).Text(t, "data.registration"); got != mode {
			t.Errorf("%s: the methods say %q", mode, got)
		}
	}
}
