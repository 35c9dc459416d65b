package takeover_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/account/passkey"
	"stoa/internal/testkit"
)

// elsewhere gives the platform another host name.
func (w *world) elsewhere() {
	w.Accounts.Passkeys = &passkey.Party{ID: "shop.example.com", Origins: []string{keyOrigin}}
}

// The platform's host name changed: browsers prove no passkey for the former one, so that nothing asks for it, and
// nobody is left with it alone.
func TestPasskeysOfAnotherNameAreNoWayIn(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, first := w.withKey(t, owner.Access)
		w.withKey(t, owner.Access)
		w.Clock.Advance(minute)
		w.works(t, "", revert, w.moved(t, owner.Access, victims, attackers)) // the password is gone
		in := w.byKey(t, key)
		w.elsewhere()
		w.lastWay(t, in.Access, keys+"/"+first)
		last, here := w.withKey(t, in.Access)
		w.lastWay(t, in.Access, keys+"/"+first)
		in = w.byKey(t, last)
		w.lastWay(t, in.Access, keys+"/"+here)
		if n := w.listed(t, in.Access); n != 3 {
			t.Errorf("%d passkeys", n)
		}
		w.post(t, in.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		w.lastWay(t, in.Access, keys+"/"+here)
		w.remove(t, in.Access, keys+"/"+first, http.StatusOK)
		w.post(t, in.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
		w.remove(t, in.Access, "/auth/second-factor", http.StatusOK)
		if n := w.listed(t, w.signIn(t, victims, chosen).Access); n != 0 {
			t.Errorf("%d passkeys", n)
		}
	})
}

// Nobody is asked for what their browser does not find.
func TestNobodyIsAskedForAPasskeyOfAnotherName(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.withKey(t, owner.Access)
		w.elsewhere()
		asked := func(want string) {
			t.Helper()
			res := w.Do(t, testkit.SignIn(victims, testkit.Password))
			testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
			if got := detailsOf(t, res, "methods"); got != want {
				t.Errorf("asked for %s, want %s", got, want)
			}
		}
		asked("[]")
		codes := w.post(t, owner.Access, "/auth/recovery-codes", nil, http.StatusCreated).Get(t, "data.recoveryCodes").([]any)
		asked("[recovery]")
		w.Clock.Advance(11 * minute)
		res := w.Do(t, testkit.Post(owner.Access, keys+"/options", nil))
		testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if got := detailsOf(t, res, "methods") + res.Text(t, "error.message"); got !=
			"[recovery]This needs a recent sign-in. Confirm with a code and try again." {
			t.Errorf("asked for %s", got)
		}
		w.proves(t, owner.Access, "recovery", codes[0].(string))
		w.withKey(t, owner.Access)
		asked("[passkey recovery]")
	})
}

// A session from before there were second factors began with a password, and keeps that.
func TestAnOlderSessionKeepsItsPasswordBesideANewFactor(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		older := func(name string) testkit.Tokens {
			in := w.proven(t, name+"@example.com", name)
			if err := w.Accounts.Store.SetLevel(t.Context(), w.account(t, in.Access).Text(t, "data.session.id"), 1, nil); err != nil {
				t.Fatal(err)
			}
			return in
		}
		in := older("ada")
		_, id := w.withKey(t, in.Access)
		if got := w.level(t, in.Access); got != "2[pwd pky]" {
			t.Errorf("with a passkey it is %s", got)
		}
		w.remove(t, in.Access, keys+"/"+id, http.StatusOK)
		if got := w.level(t, in.Access); got != "1[pwd]" {
			t.Errorf("without it, it is %s", got)
		}
		in = older("bob")
		w.withApp(t, in.Access)
		if got := w.level(t, in.Access); got != "2[pwd otp]" {
			t.Errorf("with an app it is %s", got)
		}
	})
}

// The first second factor ends sessions that were opened with less. Another one has no reason to, and recovery codes do
// not change unseen.
func TestAnAppBesideAPasskeyEndsNoSessions(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		other := w.byKey(t, key)
		codes := w.post(t, owner.Access, "/auth/recovery-codes", nil, http.StatusCreated).Get(t, "data.recoveryCodes").([]any)
		p := w.withApp(t, owner.Access)
		if got := w.level(t, owner.Access) + w.level(t, other.Access); got != "2[pwd pky otp]2[pky]" {
			t.Errorf("sessions are %s", got)
		}
		const replaced = "The former ones no longer work."
		if text := w.text(t, "Codes of an app are on"); !strings.Contains(text, replaced) {
			t.Errorf("the mail does not tell of the codes:\n%s", text)
		}
		challenge := w.passwordStep(t, victims, testkit.Password)
		w.refused(t, w.Do(t, step(challenge, "recovery", codes[0].(string))), 4)
		w.both(t, victims, testkit.Password, "recovery", p.recovery[0])

		w.mails = nil
		w.withApp(t, w.proven(t, "bob@example.com", "bob").Access)
		for _, m := range w.read(t) {
			if strings.Contains(m.Text, replaced) {
				t.Errorf("the first app replaces none:\n%s", m.Text)
			}
		}
	})
}

// Whoever has a copy of a passkey does not fill the mailbox with what should warn its user.
func TestNoticesOfSignInsFillNoMailbox(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		key := newKey()
		key.Counter = 100
		w.add(t, owner.Access, key)
		w.both(t, victims, testkit.Password, "recovery", p.recovery[0])
		fall := func() {
			t.Helper()
			key.Counter--
			w.byKey(t, key)
		}
		told := func() string {
			t.Helper()
			n := map[string]int{}
			for _, m := range w.read(t) {
				n[m.Subject]++
			}
			return fmt.Sprint(n["A recovery code was used"], " and ", n["A passkey may have been copied"])
		}
		for range 22 {
			fall()
		}
		w.both(t, victims, testkit.Password, "recovery", p.recovery[1])
		if got := told(); got != "1 and 19" {
			t.Errorf("%s mails in a day, want 20 together", got)
		}
		w.remove(t, owner.Access, "/auth/totp", http.StatusOK) // this is told in any case
		w.text(t, "Codes of an app are off")
		w.Clock.Advance(day)
		fall()
		if got := told(); got != "1 and 20" {
			t.Errorf("%s mails on the next day", got)
		}
	})
}
