package takeover_test

import (
	"encoding/base32"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// The attacker reads the victim's mail.
func TestAResetKeepsTheSecondFactor(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		pending := w.passwordStep(t, victims, testkit.Password)
		w.Clock.Advance(time.Minute)
		w.reset(t, victims)
		w.refused(t, w.Do(t, step(pending, "totp", w.now(p))), -1) // of the former password
		if text := w.text(t, "Your password was changed"); !strings.Contains(text, "a second step at sign-in, it is still asked for") {
			t.Errorf("the mail does not tell of the second step:\n%s", text)
		}
		again := w.both(t, victims, chosen, "totp", w.later(p))
		if got := fmt.Sprint(w.account(t, again.Access).Get(t, "data.secondFactor")); got != "map[advised:false available:true passkeys:0 recoveryCodesLeft:8 required:false totp:true]" {
			t.Errorf("second factor %s", got)
		}
	})
}

// text returns the text of a mail to the victim.
func (w *world) text(t *testing.T, subject string) string {
	t.Helper()
	for _, m := range w.read(t) {
		if m.To == victims && m.Subject == subject {
			return m.Text
		}
	}
	t.Fatalf("no mail %q", subject)
	return ""
}

// What voids a sign-in whose second step is due.
func TestAChallengeDiesWithWhatItStandsOn(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(t *testing.T, w *world, owner testkit.Tokens, p phone) (password string){
		"a change of the password": func(t *testing.T, w *world, owner testkit.Tokens, _ phone) string {
			t.Helper()
			w.post(t, owner.Access, "/auth/change-password", map[string]string{
				"currentPassword": testkit.Password, "newPassword": chosen,
			}, http.StatusOK)
			return chosen
		},
		"a change of the address": func(t *testing.T, w *world, owner testkit.Tokens, _ phone) string {
			t.Helper()
			w.Clock.Advance(time.Minute)
			w.moved(t, owner.Access, victims, "ada@example.org")
			return ""
		},
		"a deactivation": func(t *testing.T, w *world, owner testkit.Tokens, _ phone) string {
			t.Helper()
			for _, active := range []bool{false, true} {
				if err := w.Accounts.SetActive(t.Context(), owner.UserID, active); err != nil {
					t.Fatal(err)
				}
			}
			return testkit.Password
		},
		"the removal of the factor": func(t *testing.T, w *world, owner testkit.Tokens, _ phone) string {
			t.Helper()
			w.remove(t, owner.Access, "/auth/second-factor", http.StatusOK)
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			attack(t, func(t *testing.T, w *world) {
				owner := w.proven(t, victims, "ada")
				p := w.withApp(t, owner.Access)
				pending := w.passwordStep(t, victims, testkit.Password)
				password := change(t, w, owner, p)
				w.refused(t, w.Do(t, step(pending, "totp", w.later(p))), -1)
				w.refused(t, w.Do(t, step(pending, "recovery", p.recovery[0])), -1)
				if password != "" {
					w.both(t, victims, password, "totp", w.now(p))
				}
			})
		})
	}
}

// remove sends a DELETE that must be answered with a status.
func (w *world) remove(t *testing.T, bearer, path string, status int) testkit.Response {
	t.Helper()
	res := w.Do(t, testkit.Delete(bearer, path))
	if res.Status != status {
		t.Fatalf("DELETE %s = %d %s, want %d", path, res.Status, res.Body, status)
	}
	return res
}

// A thief of a session and the password locks the owner out with an app of their own.
func TestAThiefsAppIsUndoneFromTheMailbox(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		thief := w.signIn(t, victims, testkit.Password)
		p := w.withApp(t, thief.Access)
		testkit.WantError(t, w.Do(t, testkit.Me(owner.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		w.reset(t, victims)
		w.passwordStep(t, victims, chosen) // and cannot go on
		thief = w.both(t, victims, chosen, "recovery", p.recovery[0])
		w.Clock.Advance(72*time.Hour - time.Second)
		link := w.mustMail(t, victims, "not-me")
		pending := w.passwordStep(t, victims, chosen)
		w.works(t, "", notMe, link)
		w.dead(t, "", notMe, link)
		testkit.WantError(t, w.Do(t, testkit.Me(thief.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		w.refused(t, w.Do(t, step(pending, "recovery", p.recovery[1])), -1)
		back := w.signIn(t, victims, chosen)
		if got := w.level(t, back.Access); got != "1[pwd]" {
			t.Errorf("the session is %s", got)
		}

		// The link names one app, not the one that the owner adds then.
		older := w.withApp(t, back.Access)
		first := w.mustMail(t, victims, "not-me")
		w.post(t, back.Access, "/auth/reauthenticate", map[string]string{"code": w.later(older)}, http.StatusOK)
		w.remove(t, back.Access, "/auth/totp", http.StatusOK)
		w.dead(t, "", notMe, first)
		w.withApp(t, back.Access)
		w.dead(t, "", notMe, first)
		late := w.mustMail(t, victims, "not-me")
		w.Clock.Advance(72 * time.Hour)
		w.dead(t, "", notMe, late)
		w.dead(t, "", notMe, strings.Repeat("B", 43))
		w.passwordStep(t, victims, chosen)
	})
}

// What the thief began beside the app ends with it, although the password is still the same.
func TestUndoingAThiefsAppEndsWhatWasBegun(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		thief := w.signIn(t, victims, testkit.Password)
		w.withApp(t, thief.Access)
		w.post(t, thief.Access, "/auth/email/change", map[string]string{"newEmail": attackers}, http.StatusAccepted)
		w.works(t, "", notMe, w.mustMail(t, victims, "not-me"))
		thief = w.signIn(t, victims, testkit.Password)
		w.dead(t, thief.Access, confirm, w.mustMail(t, attackers, "change-email"))
	})
}

// The attacker has a session, of somebody who signed in a while ago, and the password.
func TestAStolenSessionAddsAndRemovesNoFactor(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		stolen := w.proven(t, victims, "ada")
		w.Clock.Advance(10*minute + time.Second)
		for _, path := range []string{"/auth/totp", "/auth/totp/confirm", "/auth/recovery-codes"} {
			testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, path, "[")), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
		w.post(t, stolen.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
		p := w.withApp(t, stolen.Access)

		w.Clock.Advance(10*minute + time.Second)
		for _, req := range []testkit.Request{
			testkit.Post(stolen.Access, "/auth/totp", nil), testkit.Delete(stolen.Access, "/auth/totp"),
			testkit.Delete(stolen.Access, "/auth/second-factor"), testkit.Post(stolen.Access, "/auth/recovery-codes", nil),
			change(stolen.Access, attackers),
		} {
			res := w.Do(t, req)
			testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
			if got := fmt.Sprint(res.Get(t, "error.details")); got != "map[maxAge:600 methods:[totp recovery]]" {
				t.Errorf("details %s", got)
			}
		}
		// The password is worth nothing here, and whether it is right is not told.
		for _, password := range []string{testkit.Password, "wrong password"} {
			res := w.Do(t, testkit.Post(stolen.Access, "/auth/reauthenticate", map[string]string{"password": password}))
			testkit.WantError(t, res, http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
			if got := res.Text(t, "error.message"); got != "The code is wrong, or the account asks for another proof." {
				t.Errorf("message %s", got)
			}
		}
		testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, "/auth/reauthenticate", map[string]string{
			"password": testkit.Password, "code": w.now(p),
		})), http.StatusBadRequest, "VALIDATION_ERROR")
		testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, "/auth/totp", nil)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")

		res := w.Do(t, again(stolen.Access, "recovery", p.recovery[0]))
		if res.Status != http.StatusOK || res.Get(t, "data.level") != 2.0 {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		testkit.WantError(t, w.Do(t, again(stolen.Access, "recovery", p.recovery[0])), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, "/auth/totp", nil)), http.StatusConflict, "TOTP_ON")
		w.both(t, victims, testkit.Password, "totp", w.later(p)) // it is still the one
	})
}

// A code where the account has no second factor proves nothing.
func TestACodeOfNothingProvesNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.setUp(t, owner.Access)
		for _, method := range []string{"totp", "recovery"} {
			testkit.WantError(t, w.Do(t, again(owner.Access, method, w.now(p))), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		}
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, "/auth/recovery-codes", nil)), http.StatusConflict, "CONFLICT")
		testkit.WantError(t, w.Do(t, testkit.Delete(owner.Access, "/auth/totp")), http.StatusNotFound, "NOT_FOUND")
		w.remove(t, owner.Access, "/auth/second-factor", http.StatusOK)
		// Not on until confirmed: nobody is locked out by closing the page.
		w.signIn(t, victims, testkit.Password)
		confirm := func(code string) testkit.Response {
			return w.Do(t, testkit.Post(owner.Access, "/auth/totp/confirm", map[string]string{"code": code}))
		}
		testkit.WantError(t, confirm(p.wrong(w.Clock.Now())), http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		other := w.setUp(t, owner.Access)
		testkit.WantError(t, confirm(w.now(p)), http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		w.Clock.Advance(10 * minute)
		w.post(t, owner.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
		testkit.WantError(t, confirm(w.now(other)), http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		last := w.setUp(t, owner.Access)
		w.Clock.Advance(10*minute - time.Second)
		w.post(t, owner.Access, "/auth/totp/confirm", map[string]string{"code": w.now(last)}, http.StatusOK)
		testkit.WantError(t, confirm(w.later(last)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		w.post(t, owner.Access, "/auth/reauthenticate", map[string]string{"code": w.now(last)}, http.StatusOK)
		w.remove(t, owner.Access, "/auth/totp", http.StatusOK)
		once := w.withApp(t, owner.Access)
		testkit.WantError(t, confirm(w.later(once)), http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
	})
}

// Guesses while confirming count like those of a sign-in.
func TestConfirmingAnAppIsThrottled(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		var p phone
		for i := range 20 {
			if i%5 == 0 {
				p = w.setUp(t, owner.Access) // which forgives nothing
			}
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, "/auth/totp/confirm", map[string]string{
				"code": p.wrong(w.Clock.Now()),
			})), http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		}
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, "/auth/totp/confirm", map[string]string{"code": w.now(p)})),
			http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		w.signIn(t, victims, testkit.Password)
	})
}

// Sessions go on after the factor that they rest on is gone.
func TestASessionKeepsNoLevelWithoutItsFactor(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		byApp := w.both(t, victims, testkit.Password, "totp", w.later(p))
		byCode := w.both(t, victims, testkit.Password, "recovery", strings.ToLower(strings.ReplaceAll(p.recovery[7], "-", " ")))
		bob := w.proven(t, "bob@example.com", "bob")
		w.withApp(t, bob.Access)
		for token, want := range map[string]string{
			owner.Access: "2[pwd otp]", byApp.Access: "2[pwd otp]", byCode.Access: "2[pwd rec]", bob.Access: "2[pwd otp]",
		} {
			if got := w.level(t, token); got != want {
				t.Errorf("before: %s, want %s", got, want)
			}
		}
		w.remove(t, byApp.Access, "/auth/totp", http.StatusOK)
		for token, want := range map[string]string{
			owner.Access: "1[pwd]", byApp.Access: "1[pwd]", byCode.Access: "1[pwd]", bob.Access: "2[pwd otp]",
		} {
			if got := w.level(t, token); got != want {
				t.Errorf("after: %s, want %s", got, want)
			}
		}
		if got := fmt.Sprint(w.account(t, owner.Access).Get(t, "data.secondFactor")); got != "map[advised:false available:true passkeys:0 recoveryCodesLeft:0 required:false totp:false]" {
			t.Errorf("second factor %s", got)
		}
		w.signIn(t, victims, testkit.Password)
	})
}

// Recovery codes: each once, and none of a former set.
func TestARecoveryCodeWorksOnce(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		w.both(t, victims, testkit.Password, "recovery", p.recovery[0])
		if text := w.text(t, "A recovery code was used"); !strings.Contains(text, "7 of them are left") || strings.Contains(text, "#") {
			t.Errorf("the mail: %s", text)
		}
		challenge := w.passwordStep(t, victims, testkit.Password)
		w.refused(t, w.Do(t, step(challenge, "recovery", p.recovery[0])), 4)
		res := w.post(t, owner.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		w.refused(t, w.Do(t, step(challenge, "recovery", p.recovery[1])), 3)
		for i, code := range res.Get(t, "data.recoveryCodes").([]any) {
			text := strings.ReplaceAll(code.(string), "-", "")
			if n := len(text) * 5; n != 120 || len(base32.StdEncoding.EncodeToString(make([]byte, 15))) != len(text) {
				t.Errorf("code %d has %d bits", i, n)
			}
			w.both(t, victims, testkit.Password, "recovery", text)
		}
		res = w.Do(t, testkit.SignIn(victims, testkit.Password))
		if got := fmt.Sprint(res.Get(t, "error.details.methods")); got != "[totp]" {
			t.Errorf("methods %s", got)
		}
		// Another user's code is as wrong as any.
		bob := w.proven(t, "bob@example.com", "bob")
		q := w.withApp(t, bob.Access)
		w.refused(t, w.Do(t, step(challenge, "recovery", q.recovery[0])), 2)
	})
}
