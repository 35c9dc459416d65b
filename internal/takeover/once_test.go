package takeover_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const printed = "ONCE2345ONCE2345ONCE2345"

// replaced has somebody at the machine run stoa admin reset-password for the victim.
func (w *world) replaced(t *testing.T) {
	t.Helper()
	if _, err := w.Accounts.ReplacePassword(t.Context(), victims, printed); err != nil {
		t.Fatal(err)
	}
}

// setPassword asks for the first password of an account.
func setPassword(bearer, password string) testkit.Request {
	return testkit.Post(bearer, "/auth/password", map[string]string{"newPassword": password})
}

// Whoever ran the command knows the password, and tries it after its owner has signed in.
func TestAPasswordFromTheMachineSignsInOnce(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		before := w.proven(t, victims, "ada")
		w.replaced(t)
		w.shutOut(t, before, victims, testkit.Password)
		owner := w.signIn(t, victims, printed)
		tries := []testkit.Request{
			testkit.SignIn(victims, printed),
			testkit.SignIn(victims, ""),
			testkit.Post(owner.Access, "/auth/reauthenticate", map[string]string{"password": printed}),
			testkit.Post(owner.Access, "/auth/change-password",
				map[string]string{"currentPassword": printed, "newPassword": chosen}),
		}
		for i, r := range tries {
			if res := w.Do(t, r); res.Status == http.StatusOK {
				t.Errorf("try %d: the password works again: %s", i, res.Body)
			}
		}
		if got := w.account(t, owner.Access).Get(t, "data.hasPassword"); got != false {
			t.Errorf("hasPassword is %v", got)
		}

		// Its owner loses the session, and is not locked out: the command works again.
		w.replaced(t)
		testkit.WantError(t, w.Do(t, setPassword(owner.Access, chosen)), http.StatusUnauthorized, "UNAUTHORIZED")
		owner = w.signIn(t, victims, printed)
		w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
		for range 2 { // as often as one likes
			w.signIn(t, victims, chosen)
		}
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, printed)), http.StatusUnauthorized, "LOGIN_FAILED")

		// Nor is one who has mail.
		w.replaced(t)
		w.signIn(t, victims, printed)
		w.reset(t, victims)
		for range 2 {
			w.signIn(t, victims, chosen)
		}
	})
}

// The second step that follows needs no password, and nobody begins another sign-in with it.
func TestAPasswordFromTheMachineIsGoneWithTheFirstStep(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		p := w.withApp(t, w.proven(t, victims, "ada").Access)
		w.replaced(t)
		challenge := w.passwordStep(t, victims, printed)
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, printed)), http.StatusUnauthorized, "LOGIN_FAILED")
		owner := testkit.TokensOf(t, w.Do(t, step(challenge, "recovery", p.recovery[0])), http.StatusOK)
		w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
		w.both(t, victims, chosen, "recovery", p.recovery[1])
	})
}

// A sign-in that carries the planned removal of a second factor out takes the password, too.
func TestAPasswordFromTheMachineCarriesAPlannedRemovalOut(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.withApp(t, owner.Access)
		at := w.planned(t, w.Admin(t, "root").Access, owner.UserID)
		w.replaced(t)
		w.until(at)
		owner = w.signIn(t, victims, printed)
		if got := w.level(t, owner.Access); got != "1[pwd]" {
			t.Errorf("the session is %s", got)
		}
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, printed)), http.StatusUnauthorized, "LOGIN_FAILED")
		w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
	})
}

// Two people use it at the same time.
func TestOfManySignInsWithAPasswordFromTheMachineOneWins(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		w.replaced(t)
		var wg sync.WaitGroup
		var won atomic.Int32
		for range 6 {
			wg.Go(func() {
				if w.Do(t, testkit.SignIn(victims, printed)).Status == http.StatusOK {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d sign-ins succeeded, want 1", won.Load())
		}
	})
}

// A thief of a session sets a password without knowing the current one.
func TestAPasswordIsSetOnlyWhereThereIsNone(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		stolen := w.proven(t, victims, "ada")
		testkit.WantError(t, w.Do(t, setPassword(stolen.Access, chosen)), http.StatusConflict, "PASSWORD_SET")
		testkit.WantError(t, w.Do(t, setPassword("", chosen)), http.StatusUnauthorized, "UNAUTHORIZED")
		w.signIn(t, victims, testkit.Password)

		w.replaced(t)
		stolen = w.signIn(t, victims, printed)
		w.Clock.Advance(account.RecentLife + minute)
		res := w.Do(t, setPassword(stolen.Access, chosen))
		testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if got := detailsOf(t, res, "methods"); got != "[email]" || !strings.Contains(res.Text(t, "error.message"), "Have a code mailed") {
			t.Errorf("asked for %s: %s", got, res.Body)
		}

		w.replaced(t)
		owner := w.signIn(t, victims, printed)
		testkit.WantError(t, w.Do(t, setPassword(owner.Access, "short")), http.StatusBadRequest, "VALIDATION_ERROR")
		w.read(t)
		told := len(w.mails)
		var wg sync.WaitGroup
		var won atomic.Int32
		for range 4 {
			wg.Go(func() {
				res := w.Do(t, setPassword(owner.Access, chosen))
				if res.Status == http.StatusOK {
					won.Add(1)
				} else if res.Text(t, "error.code") != "PASSWORD_SET" {
					t.Errorf("another is answered %d %s", res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		if got := len(w.read(t)) - told; won.Load() != 1 || got != 1 {
			t.Errorf("%d passwords were set and %d mails sent, want 1 of each", won.Load(), got)
		}
	})
}
