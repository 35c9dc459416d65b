package takeover_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/passkeytest"
)

// Whoever knows the password waits for a removal that somebody planned, whose user has the factor after all: each way
// in which that shows stops it.
func TestAPlannedRemovalEndsWhereItsUserShowsAFactor(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		// app says that the account has one before; it has a passkey in any case.
		app  bool
		show func(t *testing.T, w *world, in testkit.Tokens, p phone, key *passkeytest.Passkey)
	}{
		"a code": {true, func(t *testing.T, w *world, in testkit.Tokens, p phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.proves(t, in.Access, "totp", w.later(p))
		}},
		"a recovery code": {true, func(t *testing.T, w *world, in testkit.Tokens, p phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.proves(t, in.Access, "recovery", p.recovery[0])
		}},
		"a passkey": {false, func(t *testing.T, w *world, in testkit.Tokens, _ phone, key *passkeytest.Passkey) {
			t.Helper()
			w.post(t, in.Access, "/auth/reauthenticate", proof(key.Get(w.ask(t, in.Access, againAsk, nil))), http.StatusOK)
		}},
		"another passkey": {true, func(t *testing.T, w *world, in testkit.Tokens, _ phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.withKey(t, in.Access)
		}},
		"an app": {false, func(t *testing.T, w *world, in testkit.Tokens, _ phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.withApp(t, in.Access)
		}},
		"new recovery codes": {false, func(t *testing.T, w *world, in testkit.Tokens, _ phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.post(t, in.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		}},
		"one less": {true, func(t *testing.T, w *world, in testkit.Tokens, _ phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.remove(t, in.Access, "/auth/totp", http.StatusOK)
		}},
		"the link that says it was somebody else": {true, func(t *testing.T, w *world, _ testkit.Tokens, _ phone, _ *passkeytest.Passkey) {
			t.Helper()
			w.works(t, "", notMe, w.mustMail(t, victims, "not-me")) // the passkey
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			onKeys(t, func(t *testing.T, w *world) {
				owner := w.proven(t, victims, "ada")
				var p phone
				if c.app {
					p = w.withApp(t, owner.Access)
				}
				key, _ := w.withKey(t, owner.Access)
				admin := w.Admin(t, "root")
				at := w.planned(t, admin.Access, owner.UserID)
				c.show(t, w, owner, p, key)
				w.dead(t, "", keepFactor, w.mustMail(t, victims, "keep-second-factor"))
				log := w.logged(t, admin.Access, owner.UserID, "reset_factor")
				if len(log) != 1 || !strings.HasPrefix(log[0], "user.cancel_reset_factor") {
					t.Errorf("the log has %s", log)
				}
				w.until(at)
				w.passwordStep(t, victims, testkit.Password)
			})
		})
	}
}

// Whoever reads the mail of staff, and plans the removal of their factor, does not void the link that stops it.
func TestReclaimOfStaffKeepsTheLinkThatStopsARemoval(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		const boss = "boss@example.com"
		admin, victim := w.Admin(t, "root"), w.Admin(t, "boss")
		w.Accounts.NoMail = true // where nobody can prove a mailbox, nothing asks for it
		w.withApp(t, victim.Access)
		w.Accounts.NoMail = false
		at := w.planned(t, admin.Access, victim.UserID)
		w.reset(t, boss) // by somebody who is not signed in: the account was not proven
		w.works(t, "", keepFactor, w.mustMail(t, boss, "keep-second-factor"))
		w.until(at)
		w.passwordStep(t, boss, chosen)
	})
}

// What nobody is told of, nobody stops.
func TestNoRemovalIsPlannedWithoutMail(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		admin := w.Admin(t, "root")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, removal(owner.UserID), nil)), http.StatusConflict, "CONFLICT")
		w.withApp(t, owner.Access)
		w.Accounts.NoMail = true
		res := w.Do(t, testkit.Post(admin.Access, removal(owner.UserID), nil))
		testkit.WantError(t, res, http.StatusConflict, "CONFLICT")
		if text := res.Text(t, "error.message"); !strings.Contains(text, "sends no mail") {
			t.Errorf("the reason is %q", text)
		}
		testkit.WantError(t, w.Do(t, testkit.Delete(admin.Access, removal(owner.UserID))), http.StatusNotFound, "NOT_FOUND")
		if log := w.logged(t, admin.Access, owner.UserID, "reset"); len(log) != 0 {
			t.Errorf("the log has %s", log)
		}
		w.Clock.Advance(2 * day)
		w.passwordStep(t, victims, testkit.Password)
	})
}

// Its owner must find what is said to be lost, and what else would go.
func TestTheMailOfARemovalNamesWhatGoes(t *testing.T) {
	t.Parallel()

	for want, with := range map[string]struct{ app, key bool }{
		"lost: the app and the recovery codes.":               {app: true},
		"lost: all passkeys and recovery codes.":              {key: true},
		"lost: the app, all passkeys and the recovery codes.": {app: true, key: true},
	} {
		onKeys(t, func(t *testing.T, w *world) {
			owner := w.proven(t, victims, "ada")
			if with.app {
				w.withApp(t, owner.Access)
			}
			if with.key {
				w.withKey(t, owner.Access)
			}
			w.planned(t, w.Admin(t, "root").Access, owner.UserID)
			if text := w.text(t, "Your second step at sign-in will be removed"); !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		})
	}
}
