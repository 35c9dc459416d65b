package takeover_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/message/mail"
	"stoa/internal/testkit"
)

const keepFactor = "/auth/second-factor/reset/cancel"

// removal is the address of the removal of somebody's second factors that administrators plan.
func removal(userID string) string { return "/api/v1/admin/users/" + userID + "/second-factor/reset" }

// planned has an administrator plan the removal of a user's second factors, and returns when it is due.
func (w *world) planned(t *testing.T, admin, userID string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, w.post(t, admin, removal(userID), nil, http.StatusAccepted).Text(t, "data.at"))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// until moves the clock to a time.
func (w *world) until(at time.Time) { w.Clock.Advance(at.Sub(w.Clock.Now())) }

// logged returns the actions about a user in the audit log with a part in their name, the oldest first.
func (w *world) logged(t *testing.T, admin, userID, part string) (all []string) {
	t.Helper()
	for _, e := range w.Do(t, testkit.Get(admin, "/api/v1/admin/audit?limit=100")).Get(t, "data.items").([]any) {
		entry := e.(map[string]any)
		if action := entry["action"].(string); entry["target"].(map[string]any)["id"] == userID && strings.Contains(action, part) {
			all = append(all, fmt.Sprint(action, " ", entry["actor"].(map[string]any)["kind"]))
		}
	}
	slices.Reverse(all)
	return all
}

// The attacker reads the victim's mail and knows the password, and tells an operator that the phone is lost.
func TestAMailboxAloneHasNoSecondFactorRemoved(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		w.Clock.Advance(minute)
		w.moved(t, owner.Access, victims, "ada@example.org") // victims is the former address for 7 days
		w.Clock.Advance(day)
		admin := w.Admin(t, "root")

		// Nobody else plans it, nor an administrator who left the desk.
		testkit.WantError(t, w.Do(t, testkit.Post("", removal(owner.UserID), nil)), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, removal(owner.UserID), nil)), http.StatusForbidden, "FORBIDDEN")
		w.Clock.Advance(11 * minute)
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, removal(owner.UserID), nil)),
			http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		admin = w.signIn(t, "root@example.com", testkit.Password)

		at := w.planned(t, admin.Access, owner.UserID)
		if want := w.Clock.Now().Add(day).Truncate(time.Millisecond); !at.Equal(want) {
			t.Errorf("it is due at %s, want %s", at, want)
		}
		for _, to := range []string{"ada@example.org", victims} {
			w.mustMail(t, to, "keep-second-factor")
		}
		w.read(t)
		before := len(w.mails)
		if again := w.planned(t, admin.Access, owner.UserID); !again.Equal(at) || len(w.read(t)) != before {
			t.Errorf("planning it again moves it to %s, and mails %d", again, len(w.mails)-before)
		}
		w.until(at.Add(-time.Millisecond))
		challenge := w.passwordStep(t, "ada@example.org", testkit.Password)

		// Its owner did not stop it for a day: it was true.
		w.until(at)
		in := w.signIn(t, "ada@example.org", testkit.Password)
		if got := w.level(t, in.Access); got != "1[pwd]" {
			t.Errorf("the session is %s", got)
		}
		w.refused(t, w.Do(t, step(challenge, "recovery", p.recovery[0])), -1)
		for _, to := range []string{"ada@example.org", victims} {
			w.dead(t, "", keepFactor, w.mustMail(t, to, "keep-second-factor"))
		}
		if !slices.ContainsFunc(w.read(t)[before:], func(m mail.Message) bool { return m.To == "ada@example.org" }) {
			t.Error("nobody was told that the factor is gone")
		}
		admin = w.signIn(t, "root@example.com", testkit.Password)
		if got := fmt.Sprint(w.logged(t, admin.Access, owner.UserID, "reset")); got != "[user.start_reset user user.reset_factor system]" {
			t.Errorf("the log has %s", got)
		}
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, removal(owner.UserID), nil)), http.StatusConflict, "CONFLICT")
		testkit.WantError(t, w.Do(t, testkit.Delete(admin.Access, removal(owner.UserID))), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, removal("nobody"), nil)), http.StatusNotFound, "USER_NOT_FOUND")
		testkit.WantError(t, w.Do(t, testkit.Delete(admin.Access, removal("nobody"))), http.StatusNotFound, "USER_NOT_FOUND")
	})
}

// The owner stops it, in each of the ways.
func TestAPlannedRemovalIsCalledOff(t *testing.T) {
	t.Parallel()

	for name, stop := range map[string]func(t *testing.T, w *world, userID string, p phone){
		"by the link": func(t *testing.T, w *world, _ string, _ phone) {
			t.Helper()
			link := w.mustMail(t, victims, "keep-second-factor")
			w.works(t, "", keepFactor, link)
			w.dead(t, "", keepFactor, link)
		},
		"by the link of another address": func(t *testing.T, w *world, _ string, _ phone) {
			t.Helper()
			w.works(t, "", keepFactor, w.mustMail(t, "former@example.com", "keep-second-factor"))
			w.dead(t, "", keepFactor, w.mustMail(t, victims, "keep-second-factor"))
		},
		"by a second step": func(t *testing.T, w *world, _ string, p phone) {
			t.Helper()
			w.both(t, victims, testkit.Password, "recovery", p.recovery[7])
			w.dead(t, "", keepFactor, w.mustMail(t, victims, "keep-second-factor"))
		},
		"by an administrator": func(t *testing.T, w *world, userID string, _ phone) {
			t.Helper()
			w.Clock.Advance(11 * minute) // which needs no proof: it takes nothing away
			w.remove(t, w.admin.Access, removal(userID), http.StatusOK)
			w.dead(t, "", keepFactor, w.mustMail(t, victims, "keep-second-factor"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			attack(t, func(t *testing.T, w *world) {
				owner := w.proven(t, "former@example.com", "ada")
				p := w.withApp(t, owner.Access)
				w.Clock.Advance(minute)
				w.moved(t, owner.Access, "former@example.com", victims)
				w.admin = w.Admin(t, "root")
				at := w.planned(t, w.admin.Access, owner.UserID)
				stop(t, w, owner.UserID, p)
				w.until(at)
				w.passwordStep(t, victims, testkit.Password)
				w.admin = w.signIn(t, "root@example.com", testkit.Password)
				if log := w.logged(t, w.admin.Access, owner.UserID, "reset"); len(log) != 2 || !strings.HasPrefix(log[1], "user.cancel_reset_factor") {
					t.Errorf("the log has %s", log)
				}
				// Another one is a plan of its own.
				if next := w.planned(t, w.admin.Access, owner.UserID); !next.After(at) {
					t.Errorf("the next is due at %s", next)
				}
			})
		})
	}
}

// What was planned and forgotten does not open the account months later.
func TestAPlannedRemovalEndsByItself(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.withApp(t, owner.Access)
		admin := w.Admin(t, "root")
		at := w.planned(t, admin.Access, owner.UserID)
		link := w.mustMail(t, victims, "keep-second-factor")
		w.until(at.Add(7 * day))
		w.passwordStep(t, victims, testkit.Password)
		w.dead(t, "", keepFactor, link)
		admin = w.signIn(t, "root@example.com", testkit.Password)
		testkit.WantError(t, w.Do(t, testkit.Delete(admin.Access, removal(owner.UserID))), http.StatusNotFound, "NOT_FOUND")
		at = w.planned(t, admin.Access, owner.UserID)
		w.until(at.Add(7*day - time.Millisecond))
		w.signIn(t, victims, testkit.Password)
	})
}

// Sign-ins at the same time carry it out once, and all succeed.
func TestOfManySignInsOneCarriesARemovalOut(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.withApp(t, owner.Access)
		admin := w.Admin(t, "root")
		w.until(w.planned(t, admin.Access, owner.UserID))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if res := w.Do(t, testkit.SignIn(victims, testkit.Password)); res.Status != http.StatusOK {
					t.Errorf("a sign-in is answered %d %s", res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		admin = w.signIn(t, "root@example.com", testkit.Password)
		if got := fmt.Sprint(w.logged(t, admin.Access, owner.UserID, "reset_factor")); got != "[user.reset_factor system]" {
			t.Errorf("the log has %s", got)
		}
	})
}
