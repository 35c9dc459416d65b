package takeover_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const ownPassword = "/auth/password"

// The attacker knows the password, and has a link to choose another in flight. The owner has passkeys.
func TestARemovedPasswordOpensNothing(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.lastWay(t, owner.Access, ownPassword)
		key, _ := w.withKey(t, owner.Access)
		w.lastWay(t, owner.Access, ownPassword) // one device is easily lost
		w.isRemovable(t, owner.Access, false)
		w.withKey(t, owner.Access)
		w.isRemovable(t, owner.Access, true)

		other := w.byKey(t, key)
		pending := w.passwordStep(t, victims, testkit.Password)
		asked := w.ask(t, "", stepAsk, map[string]string{"challenge": pending})
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": victims}, http.StatusOK)
		link := w.mustMail(t, victims, "reset-password")
		w.remove(t, owner.Access, ownPassword, http.StatusOK)
		if text := w.text(t, "Your password was removed"); !strings.Contains(text, "If it was not you") {
			t.Errorf("the mail says %q", text)
		}
		w.dies(t, "another session", other)
		w.refused(t, w.Do(t, byStep(pending, key.Get(asked))), -1)
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, testkit.Password)), http.StatusUnauthorized, "LOGIN_FAILED")
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, "")), http.StatusBadRequest, "VALIDATION_ERROR")
		spent := map[string]string{"token": link, "newPassword": chosen}
		testkit.WantError(t, w.Do(t, testkit.Post("", "/auth/reset-password", spent)), http.StatusBadRequest, "INVALID_RESET_TOKEN")
		w.isRemovable(t, owner.Access, false)
		told := len(w.read(t))
		w.remove(t, owner.Access, ownPassword, http.StatusOK) // there is none
		if got := len(w.read(t)); got != told {
			t.Errorf("%d mails of nothing", got-told)
		}
		if lines := w.happened(t, owner.Access, ""); !strings.Contains(strings.Join(lines, "\n"), "user.remove_password") {
			t.Errorf("recorded is %q", lines)
		}

		// The owner sets another.
		w.byKey(t, key)
		w.post(t, owner.Access, ownPassword, map[string]string{"newPassword": chosen}, http.StatusOK)
		w.passwordStep(t, victims, chosen)
	})
}

// isRemovable fails the test unless an account says whether its password can be removed.
func (w *world) isRemovable(t *testing.T, bearer string, want bool) {
	t.Helper()
	if got := w.account(t, bearer).Get(t, "data.passwordRemovable"); got != want {
		t.Errorf("removable: %v, want %v", got, want)
	}
}

// A thief of a session removes the password, to be the one who sets the next.
func TestAStolenSessionDoesNotRemoveThePassword(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		stolen := w.proven(t, victims, "ada")
		w.withKey(t, stolen.Access)
		w.post(t, stolen.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		w.Clock.Advance(account.RecentLife + minute)
		testkit.WantError(t, w.Do(t, testkit.Delete(stolen.Access, ownPassword)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		testkit.WantError(t, w.Do(t, testkit.Delete("", ownPassword)), http.StatusUnauthorized, "UNAUTHORIZED")
		w.passwordStep(t, victims, testkit.Password)
	})
}

// Each of two changes alone leaves a way in, and both would leave none that is enough.
func TestOfTwoRemovalsAtOnceOneLeavesAWay(t *testing.T) {
	t.Parallel()

	racedKeys(t, func(t *testing.T, w *world) {
		for round := range 6 {
			name := "ada" + strconv.Itoa(round)
			owner := w.proven(t, name+"@example.com", name)
			_, id := w.withKey(t, owner.Access)
			w.withKey(t, owner.Access)
			other := []string{keys + "/" + id, "/auth/second-factor"}[round%2]
			var wg sync.WaitGroup
			answers := make([]testkit.Response, 2)
			for i, path := range []string{ownPassword, other} {
				wg.Go(func() { answers[i] = w.Do(t, testkit.Delete(owner.Access, path)) })
			}
			wg.Wait()
			won, lost := answers[0], answers[1]
			if won.Status != http.StatusOK {
				won, lost = lost, won
			}
			if won.Status != http.StatusOK {
				t.Errorf("round %d: %d %s", round, won.Status, won.Body)
			}
			// Without the passkey that the session rests on, the password goes only after another proof to be there.
			if code := lost.Text(t, "error.code"); code != "LAST_SIGN_IN_METHOD" && code != "REAUTHENTICATION_REQUIRED" {
				t.Errorf("round %d: %d %s", round, lost.Status, lost.Body)
			}
		}
	})
}
