package takeover_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

const (
	verify  = "/auth/email/verify"
	disown  = "/auth/email/disown"
	confirm = "/auth/email/change/confirm"
	revert  = "/auth/email/change/revert"
)

// The attacker registers the victim's address and keeps the session alive until the victim comes.
func TestASessionFromBeforeDiesWhenTheMailboxIsProven(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		held := w.register(t, victims, "mallory")
		held = testkit.TokensOf(t, w.Do(t, testkit.Refresh(held.Refresh)), http.StatusOK)
		w.reset(t, victims)
		w.shutOut(t, held, victims, testkit.Password)
		w.isProven(t, w.signIn(t, victims, chosen).Access, true)
	})
}

// The attacker asks for another address first, and confirms it once the victim has the account.
func TestAChangeOfAddressFromBeforeDiesWithRecovery(t *testing.T) {
	t.Parallel()

	for name, recover := range map[string]func(t *testing.T, w *world, held testkit.Tokens) testkit.Tokens{
		"a reset": func(t *testing.T, w *world, _ testkit.Tokens) testkit.Tokens {
			t.Helper()
			w.reset(t, victims)
			return w.signIn(t, victims, chosen)
		},
		"a change of the password": func(t *testing.T, w *world, held testkit.Tokens) testkit.Tokens {
			t.Helper()
			w.post(t, held.Access, "/auth/change-password", map[string]string{
				"currentPassword": testkit.Password, "newPassword": chosen,
			}, http.StatusOK)
			return held
		},
		"a deactivation": func(t *testing.T, w *world, held testkit.Tokens) testkit.Tokens {
			t.Helper()
			for _, active := range []bool{false, true} {
				if err := w.Accounts.SetActive(t.Context(), held.UserID, active); err != nil {
					t.Fatal(err)
				}
			}
			return w.signIn(t, victims, testkit.Password)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			attack(t, func(t *testing.T, w *world) {
				held := w.register(t, victims, "mallory")
				w.post(t, held.Access, "/auth/email/change", map[string]string{"newEmail": attackers}, http.StatusAccepted)
				link := w.mustMail(t, attackers, "change-email")
				owner := recover(t, w, held)
				w.dead(t, owner.Access, confirm, link)
				if got := w.account(t, owner.Access).Text(t, "data.user.email"); got != victims {
					t.Errorf("the address is %s", got)
				}
				if got := w.account(t, owner.Access).Get(t, "data.pendingEmail"); got != nil {
					t.Errorf("%v is still wanted", got)
				}
			})
		})
	}
}

// The victim opens the link in the mail that the attacker's registration caused, out of curiosity, signed in
// to another account or to none.
func TestALinkThatProvesAnAddressNeedsASessionOfItsAccount(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		held := w.register(t, victims, "mallory")
		link := w.mustMail(t, victims, "verify-email")
		other := w.register(t, "bob@example.com", "bob")
		if res := w.Fetch(t, "/verify-email"); res.Status != http.StatusOK {
			t.Fatalf("the page: %d", res.Status)
		}
		testkit.WantError(t, w.link(t, "", verify, link), http.StatusUnauthorized, "UNAUTHORIZED")
		w.dead(t, other.Access, verify, link)
		w.isProven(t, held.Access, false)
		w.isProven(t, other.Access, false)
		w.works(t, held.Access, verify, link) // nobody used it up
		w.isProven(t, held.Access, true)
		w.dead(t, held.Access, verify, link)
	})
}

// Whoever finds the link "It was not me" in an old mail shuts an account that its owner has proven.
func TestALinkThatShutsAnAccountIsDeadOnceItIsProvenOrUsed(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		link := w.mustMail(t, victims, "disown")
		w.works(t, owner.Access, verify, w.mustMail(t, victims, "verify-email"))
		w.dead(t, "", disown, link)

		w.register(t, "bob@example.com", "bob")
		byReset := w.mustMail(t, "bob@example.com", "disown")
		w.reset(t, "bob@example.com")
		w.dead(t, "", disown, byReset)

		w.register(t, "eve@example.com", "eve")
		twice := w.mustMail(t, "eve@example.com", "disown")
		w.works(t, "", disown, twice)
		w.dead(t, "", disown, twice)

		staff := w.register(t, "dan@example.com", "dan")
		promoted := w.mustMail(t, "dan@example.com", "disown")
		if _, err := w.Accounts.Promote(t.Context(), "dan@example.com"); err != nil {
			t.Fatal(err)
		}
		w.dead(t, "", disown, promoted)
		w.isProven(t, staff.Access, false)

		w.register(t, "old@example.com", "old")
		late := w.mustMail(t, "old@example.com", "disown")
		w.Clock.Advance(7 * day)
		w.dead(t, "", disown, late)
	})
}

// Somebody made an account with the victim's address, and goes on using it after the victim said no.
func TestAnAccountThatItsMailboxDisownsOpensNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		held := w.register(t, victims, "mallory")
		link := w.mustMail(t, victims, "disown")
		w.works(t, "", disown, link)
		w.shutOut(t, held, victims, testkit.Password)

		// The address is free, and its owner finds nothing of the former account.
		owner := w.register(t, victims, "victoria")
		if owner.UserID == held.UserID {
			t.Errorf("the account is the same")
		}
		w.shutOut(t, held, victims, "no password of anybody")
		w.isProven(t, owner.Access, false)
		res := w.Do(t, testkit.Get(owner.Access, "/api/marketplace/orders"))
		if strings.Contains(string(res.Body), held.UserID) {
			t.Errorf("the new owner sees %s", res.Body)
		}

		// It is shut, and whoever opens it again by mistake lets nobody in.
		shut := w.Do(t, testkit.Get(w.Admin(t, "root").Access, "/api/v1/admin/users/"+held.UserID))
		if got := shut.Get(t, "data.active"); got != false {
			t.Errorf("it is active: %v", got)
		}
		if err := w.Accounts.SetActive(t.Context(), held.UserID, true); err != nil {
			t.Fatal(err)
		}
		w.dies(t, "the former holder's session", held)
	})
}

// The attacker takes the address that the account would get once its mailbox disowns it.
func TestAnAccountCannotBeKeptFromBeingDisowned(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		held := w.register(t, victims, "mallory")
		link := w.mustMail(t, victims, "disown")
		w.register(t, held.UserID+"@disowned.invalid", "mallory2")
		w.works(t, "", disown, link)
		w.shutOut(t, held, victims, testkit.Password)
	})
}

// A mail is an answer to nobody: programs open its links before people do.
func TestOpeningALinkChangesNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		w.Clock.Advance(2 * minute)
		back := w.moved(t, owner.Access, victims, "ada@example.org")
		w.Clock.Advance(2 * minute)
		w.post(t, owner.Access, "/auth/email/change", map[string]string{"newEmail": "third@example.org"}, http.StatusAccepted)
		next := w.mustMail(t, "third@example.org", "change-email")
		for _, page := range []string{"verify-email", "disown", "change-email", "revert-email"} {
			for _, address := range []string{"/" + page, "/" + page + "?token=" + back, "/" + page + "?token=" + next} {
				if res := w.Fetch(t, address); res.Status != http.StatusOK || strings.Contains(string(res.Body), back) {
					t.Errorf("GET %s = %d", address, res.Status)
				}
			}
		}
		if got := w.account(t, owner.Access).Text(t, "data.user.email"); got != "ada@example.org" {
			t.Errorf("the address is %s", got)
		}
		w.works(t, owner.Access, confirm, next)
		w.works(t, "", revert, back)
	})
}
