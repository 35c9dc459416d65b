package takeover_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/account/invite"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

const (
	invitations = "/api/v1/admin/invitations"
	accept      = "/auth/invitations/accept"
	lookUp      = "/auth/invitations/lookup"
)

func invitation(bearer, email, role string) testkit.Request {
	return testkit.Post(bearer, invitations, map[string]string{"email": email, "role": role})
}

// invited invites an address to a role, and returns the invitation's id and the token that was mailed.
func (w *world) invited(t *testing.T, bearer, email, role string) (id, token string) {
	t.Helper()
	res := w.Do(t, invitation(bearer, email, role))
	if res.Status != http.StatusCreated {
		t.Fatalf("inviting %s = %d %s", email, res.Status, res.Body)
	}
	return res.Text(t, "data.id"), w.mustMail(t, email, "invitation")
}

// joins accepts an invitation with a new account.
func joins(token, username string) testkit.Request {
	return testkit.Post("", accept, map[string]string{"token": token, "username": username, "password": chosen})
}

// accepts accepts an invitation in a session.
func accepts(bearer, token string) testkit.Request {
	return testkit.Post(bearer, accept, map[string]string{"token": token})
}

// worthless fails the test unless an invitation is refused everywhere as any wrong one.
func (w *world) worthless(t *testing.T, bearer, token string) {
	t.Helper()
	wrong := strings.Repeat("A", 26)
	for _, of := range []func(token string) testkit.Request{
		func(token string) testkit.Request { return accepts(bearer, token) },
		func(token string) testkit.Request { return joins(token, "somebody") },
		func(token string) testkit.Request { return testkit.Post("", lookUp, map[string]string{"token": token}) },
	} {
		res, none := w.Do(t, of(token)), w.Do(t, of(wrong))
		testkit.WantError(t, res, http.StatusBadRequest, "INVALID_LINK")
		if string(res.Body) != string(none.Body) {
			t.Errorf("it is told from a wrong one: %s", res.Body)
		}
	}
}

// has fails the test unless the user of a session has a role.
func (w *world) has(t *testing.T, bearer, role string) {
	t.Helper()
	if got := w.Do(t, testkit.Me(bearer)).Text(t, "data.role"); got != role {
		t.Errorf("the role is %s, want %s", got, role)
	}
}

// T11: whoever registers the invited address first gets nothing, and leaves nothing.
func TestAnInvitationIsNotForWhoRegisteredTheAddressFirst(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		early := w.register(t, victims, "squatter")
		w.Clock.Advance(2 * time.Minute)
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		// Even with the token: the session proves no mailbox.
		testkit.WantError(t, w.Do(t, accepts(early.Access, token)), http.StatusForbidden, "INVITATION_MISMATCH")
		w.has(t, early.Access, "USER")

		mine := testkit.TokensOf(t, w.Do(t, joins(token, "victim")), http.StatusCreated)
		w.has(t, mine.Access, "SUPPORT")
		w.isProven(t, mine.Access, true)
		w.shutOut(t, early, victims, testkit.Password)
		again := w.signIn(t, victims, chosen)
		if got := w.Do(t, testkit.Me(again.Access)).Text(t, "data.username"); got != "victim" {
			t.Errorf("the name is %s", got)
		}
		w.worthless(t, again.Access, token)
	})
}

// T11, T12: an invitation is for its mailbox, byte for byte, and for an account that has proven it. It is not used up
// by others.
func TestAnInvitationIsForItsMailboxOnly(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, eve := w.Admin(t, "root"), w.proven(t, attackers, "eve")
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		testkit.WantError(t, w.Do(t, accepts(eve.Access, token)), http.StatusForbidden, "INVITATION_MISMATCH")
		w.has(t, eve.Access, "USER")
		w.Clock.Advance(2 * time.Minute)
		owner := w.proven(t, victims, "ada")
		res := w.Do(t, accepts(owner.Access, token))
		if res.Status != http.StatusOK || res.Text(t, "data.user.role") != "SUPPORT" {
			t.Fatalf("accepting = %d %s", res.Status, res.Body)
		}
		w.has(t, owner.Access, "SUPPORT")
		w.worthless(t, owner.Access, token)

		// Equal for a human, and to what decides which addresses are taken: another mailbox.
		near := w.proven(t, "strasse@example.org", "near")
		_, token = w.invited(t, root.Access, "straße@example.org", "SUPPORT")
		testkit.WantError(t, w.Do(t, accepts(near.Access, token)), http.StatusForbidden, "INVITATION_MISMATCH")
		testkit.WantError(t, w.Do(t, joins(token, "far")), http.StatusBadRequest, "REGISTRATION_FAILED")
		w.has(t, near.Access, "USER")
	})
}

// T13: of the invitations of an address, the latest works.
func TestAnInvitationThatWasReplacedRevokedOrExpiredIsDead(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.Admin(t, "root")
		root := w.Login(t, "root")
		eve := w.proven(t, attackers, "eve")
		_, first := w.invited(t, root.Access, victims, "SUPPORT")
		w.Clock.Advance(2 * time.Minute)
		id, second := w.invited(t, root.Access, "VICTIM@example.com", "CATALOG")
		w.worthless(t, eve.Access, first)
		w.Clock.Advance(2 * time.Minute)
		if res := w.Do(t, testkit.Delete(root.Access, invitations+"/"+id)); res.Status != http.StatusOK {
			t.Fatalf("revoking = %d %s", res.Status, res.Body)
		}
		w.worthless(t, eve.Access, second)
		testkit.WantError(t, w.Do(t, testkit.Delete(root.Access, invitations+"/"+id)), http.StatusNotFound, "NOT_FOUND")
		_, third := w.invited(t, root.Access, victims, "SUPPORT")
		w.Clock.Advance(72*time.Hour - time.Millisecond)
		if res := w.Do(t, testkit.Post("", lookUp, map[string]string{"token": third})); res.Text(t, "data.role") != "SUPPORT" {
			t.Errorf("the last moment = %d %s", res.Status, res.Body)
		}
		w.Clock.Advance(time.Millisecond)
		w.worthless(t, w.signIn(t, attackers, testkit.Password).Access, third)
	})
}

// T14: what the page shows is what the token gives.
func TestThePageShowsTheInvitationOfItsToken(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		_, one := w.invited(t, root.Access, victims, "SUPPORT")
		_, other := w.invited(t, root.Access, attackers, "CATALOG")
		for token, want := range map[string][2]string{one: {victims, "SUPPORT"}, other: {attackers, "CATALOG"}} {
			res := w.post(t, "", lookUp, map[string]string{"token": token}, http.StatusOK)
			if res.Text(t, "data.email") != want[0] || res.Text(t, "data.role") != want[1] || res.Text(t, "data.invitedBy") != "root" {
				t.Errorf("the page shows %s, want %s", res.Body, want)
			}
		}
		// No field names another invitation, address or role.
		for _, extra := range []string{"id", "email", "role"} {
			res := w.Do(t, testkit.Post("", accept, map[string]string{
				"token": other, "username": "eve", "password": chosen, extra: "SUPPORT",
			}))
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		}
		mine := testkit.TokensOf(t, w.Do(t, joins(other, "eve")), http.StatusCreated)
		w.has(t, mine.Access, "CATALOG")
	})
}

// T15: an address that matches adopts nothing, whichever way its account is entered.
func TestNoInvitationIsAdoptedWithoutItsToken(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		w.Clock.Advance(2 * time.Minute)
		owner := w.proven(t, victims, "ada")
		w.has(t, owner.Access, "USER")
		w.has(t, w.signIn(t, victims, testkit.Password).Access, "USER")
		w.reset(t, victims)
		w.has(t, w.signIn(t, victims, chosen).Access, "USER")
		if got := w.Do(t, testkit.Get(root.Access, invitations)).Get(t, "data.pagination.total"); got != 1.0 {
			t.Errorf("%v invitations are open", got)
		}
		// A link of another kind is no invitation, and the other way round.
		w.dead(t, owner.Access, "/auth/email/disown", token)
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": victims}, http.StatusOK)
	})
}

// T16: the rights are those of the inviter when the invitation is accepted.
func TestAnInviterWhoLostTheRightInvitesNobody(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		for name, permissions := range map[string][]string{
			"HIRING": {"staff:read", "staff:write", "orders:read", "orders:refund"}, "PAYER": {"orders:read", "orders:refund"},
			"LESS": {"staff:read", "staff:write", "orders:read"}, "NONE": {"staff:read", "orders:read", "orders:refund"},
		} {
			w.post(t, root.Access, roles, map[string]any{"name": name, "permissions": permissions}, http.StatusCreated)
		}
		eve := w.proven(t, attackers, "eve")
		for i, lose := range []func(t *testing.T, inviter testkit.Tokens){
			func(t *testing.T, inviter testkit.Tokens) { t.Helper(); w.role(t, inviter.UserID, "LESS") },
			func(t *testing.T, inviter testkit.Tokens) { t.Helper(); w.role(t, inviter.UserID, "NONE") },
			func(t *testing.T, inviter testkit.Tokens) { t.Helper(); w.role(t, inviter.UserID, "GONE") },
			func(t *testing.T, inviter testkit.Tokens) {
				t.Helper()
				if err := w.Accounts.SetActive(t.Context(), inviter.UserID, false); err != nil {
					t.Fatal(err)
				}
			},
			func(t *testing.T, inviter testkit.Tokens) {
				t.Helper()
				name := w.Do(t, testkit.Me(inviter.Access)).Text(t, "data.username")
				w.post(t, root.Access, "/api/v1/admin/users/"+inviter.UserID+"/erase", map[string]string{"username": name}, http.StatusOK)
			},
		} {
			name := "hirer" + string(rune('a'+i))
			inviter := w.staff(t, name+"@example.com", name, "HIRING")
			_, token := w.invited(t, inviter.Access, name+"s-friend@example.com", "PAYER")
			lose(t, inviter)
			w.worthless(t, eve.Access, token)
		}
		// A role that grew is above whoever invited to it.
		inviter := w.staff(t, "hirer@example.com", "hirer", "HIRING")
		_, token := w.invited(t, inviter.Access, victims, "PAYER")
		w.post(t, "", lookUp, map[string]string{"token": token}, http.StatusOK)
		if res := w.Do(t, testkit.Patch(root.Access, roles+"/PAYER", `{"permissions":["orders:read","users:erase"]}`)); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		w.worthless(t, eve.Access, token)
	})
}

// T103: nobody invites to, replaces or revokes what is above them.
func TestNobodyInvitesAboveThemselves(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		w.post(t, root.Access, roles, map[string]any{"name": "HIRING", "permissions": []string{"staff:read", "staff:write", "orders:read"}}, http.StatusCreated)
		w.post(t, root.Access, roles, map[string]any{"name": "READER", "permissions": []string{"orders:read"}}, http.StatusCreated)
		eve, ada := w.staff(t, attackers, "eve", "HIRING"), w.proven(t, "ada@example.com", "ada")
		w.refuse(t, invitation(eve.Access, victims, "ADMIN"), "staff:write")
		w.refuse(t, invitation(eve.Access, victims, "SUPPORT"), "overview:read")
		w.refuse(t, invitation(ada.Access, victims, "READER"), "staff:write")
		w.refuse(t, testkit.Get(ada.Access, invitations), "staff:read")
		id, token := w.invited(t, root.Access, victims, "SUPPORT")
		w.Clock.Advance(2 * time.Minute)
		w.refuse(t, invitation(eve.Access, victims, "READER"), "overview:read")
		w.refuse(t, testkit.Delete(eve.Access, invitations+"/"+id), "overview:read")
		w.post(t, "", lookUp, map[string]string{"token": token}, http.StatusOK) // it lives

		// Roles of customers and of nobody, and those who are staff already.
		for _, role := range []string{"USER", "NOBODY", ""} {
			testkit.WantError(t, w.Do(t, invitation(root.Access, victims, role)), http.StatusBadRequest, "VALIDATION_ERROR")
		}
		testkit.WantError(t, w.Do(t, invitation(root.Access, attackers, "READER")), http.StatusConflict, "CONFLICT")
		// A role that somebody is invited to stays; without users:email, addresses are masked.
		w.invited(t, eve.Access, "reader@example.com", "READER")
		testkit.WantError(t, w.Do(t, testkit.Delete(root.Access, roles+"/READER")), http.StatusConflict, "ROLE_IN_USE")
		if res := w.Do(t, testkit.Get(eve.Access, invitations)); strings.Contains(string(res.Body), "reader@") {
			t.Errorf("without users:email: %s", res.Body)
		}
		// Whoever may not invite is told that first, whether a mail would arrive or not.
		mails := w.Invitations.Outbox
		w.Invitations.Outbox = nil
		w.refuse(t, invitation(eve.Access, "new@example.com", "ADMIN"), "staff:write")
		w.refuse(t, invitation(eve.Access, victims, "READER"), "overview:read")
		testkit.WantError(t, w.Do(t, invitation(eve.Access, "new@example.com", "READER")), http.StatusConflict, "CONFLICT")
		w.Invitations.Outbox = mails
		w.Clock.Advance(72 * time.Hour)
		root = w.Login(t, "root")
		if res := w.Do(t, testkit.Delete(root.Access, roles+"/READER")); res.Status != http.StatusOK {
			t.Errorf("a role whose invitation ended = %d %s", res.Status, res.Body)
		}
	})
}

// Whoever becomes staff meanwhile is given nothing by an invitation from before: it could not be made now.
func TestAnInvitationChangesNoRoleOfStaff(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.proven(t, victims, "ada")
		w.Clock.Advance(2 * time.Minute)
		_, token := w.invited(t, root.Access, victims, "ADMIN")
		w.role(t, ada.UserID, "SUPPORT")
		testkit.WantError(t, w.Do(t, accepts(ada.Access, token)), http.StatusBadRequest, "INVALID_LINK")
		w.has(t, ada.Access, "SUPPORT")
	})
}

// Accounts that a link does not take over stay as they are, and the invitation with them.
func TestAnInvitationTakesNoAccountOverThatSomebodyHas(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, owner := w.Admin(t, "root"), w.proven(t, victims, "ada")
		w.Clock.Advance(2 * time.Minute)
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		testkit.WantError(t, w.Do(t, joins(token, "eve")), http.StatusBadRequest, "REGISTRATION_FAILED")
		w.has(t, w.signIn(t, victims, testkit.Password).Access, "USER")
		testkit.WantError(t, w.Do(t, joins(token, "root")), http.StatusBadRequest, "REGISTRATION_FAILED") // the name, too
		if res := w.Do(t, accepts(owner.Access, token)); res.Status != http.StatusOK {
			t.Fatalf("accepting = %d %s", res.Status, res.Body)
		}
		// One that is shut is nobody's to take.
		blocked := w.register(t, attackers, "blocked")
		if err := w.Accounts.SetActive(t.Context(), blocked.UserID, false); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(2 * time.Minute)
		_, token = w.invited(t, root.Access, attackers, "SUPPORT")
		testkit.WantError(t, w.Do(t, joins(token, "eve")), http.StatusBadRequest, "REGISTRATION_FAILED")
		testkit.WantError(t, w.Do(t, testkit.SignIn(attackers, chosen)), http.StatusUnauthorized, "LOGIN_FAILED")
	})
}

// A link that was printed proves no mailbox: it reclaims nothing, and makes an account that is not proven.
func TestAPrintedInvitationProvesNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		print := func(email string) string {
			t.Helper()
			_, link, err := w.Invitations.Print(t.Context(), invite.Form{Email: email, Role: "SUPPORT"})
			if err != nil {
				t.Fatal(err)
			}
			_, token, _ := strings.Cut(link, "/invitation#")
			return token
		}
		early := w.register(t, victims, "ada")
		token := print(victims)
		testkit.WantError(t, w.Do(t, joins(token, "eve")), http.StatusBadRequest, "REGISTRATION_FAILED")
		testkit.WantError(t, w.Do(t, accepts(early.Access, token)), http.StatusForbidden, "INVITATION_MISMATCH")
		w.works(t, early.Access, verify, w.mustMail(t, victims, "verify-email"))
		if res := w.Do(t, accepts(early.Access, token)); res.Status != http.StatusOK {
			t.Fatalf("accepting = %d %s", res.Status, res.Body)
		}
		mine := testkit.TokensOf(t, w.Do(t, joins(print("new@example.com"), "new")), http.StatusCreated)
		w.has(t, mine.Access, "SUPPORT")
		w.isProven(t, mine.Access, false)
		w.mustMail(t, "new@example.com", "verify-email")

		// Where no mail is sent, nothing can be proven, and a session of the address is enough.
		w.Accounts.NoMail, w.Invitations.Outbox = true, nil
		other := w.register(t, attackers, "other")
		root := w.Admin(t, "root")
		testkit.WantError(t, w.Do(t, invitation(root.Access, attackers, "SUPPORT")), http.StatusConflict, "CONFLICT")
		if res := w.Do(t, accepts(other.Access, print(attackers))); res.Status != http.StatusOK {
			t.Errorf("accepting = %d %s", res.Status, res.Body)
		}
	})
}

// A stolen session, a key, and whoever fills mailboxes.
func TestInvitationsNeedSomebodyWhoIsThere(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) {
		cfg.ServiceIssuer, cfg.ServiceSecret = testkit.ServiceIssuer, testkit.ServiceSecret
	}, func(t *testing.T, w *world) {
		root := w.staff(t, "root@example.com", "root", "ADMIN")
		id, _ := w.invited(t, root.Access, "first@example.com", "SUPPORT")
		_, key := w.key(t, root.Access, "orders:read", "users:read")
		for _, req := range []testkit.Request{
			testkit.Get(key, invitations), invitation(key, victims, "SUPPORT"), testkit.Delete(key, invitations+"/"+id), accepts(key, "x"),
		} {
			testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "NOT_FOR_KEYS")
		}
		w.Clock.Advance(10*time.Minute + time.Second)
		for _, req := range []testkit.Request{invitation(root.Access, victims, "SUPPORT"), testkit.Delete(root.Access, invitations+"/"+id)} {
			testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
		now := w.Clock.Now()
		service := testkit.ServiceToken(t, jwt.MapClaims{
			"sub": "hiring", "iss": testkit.ServiceIssuer, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		})
		w.invited(t, service, victims, "ADMIN")
		res := w.Do(t, invitation(service, victims, "SUPPORT")) // the mailbox had a mail a moment ago
		testkit.WantError(t, res, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		if got := res.Header.Get("Retry-After"); got != "60" {
			t.Errorf("Retry-After is %q", got)
		}
		token := w.mustMail(t, victims, "invitation")
		if got := w.post(t, "", lookUp, map[string]string{"token": token}, http.StatusOK).Text(t, "data.role"); got != "ADMIN" {
			t.Errorf("the invitation from before is to %s", got) // nothing was made, nothing was revoked
		}
		w.Accounts.Services = nil // and with them, what they may do
		w.worthless(t, w.signIn(t, "root@example.com", testkit.Password).Access, token)
	})
}

// Of many that accept an invitation at once, one does.
func TestOfManyThatAcceptAnInvitationOneDoes(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		const racers = 8
		var wg sync.WaitGroup
		results := make([]testkit.Response, racers)
		for i := range racers {
			wg.Go(func() { results[i] = w.Do(t, joins(token, "racer"+string(rune('a'+i)))) })
		}
		wg.Wait()
		won := 0
		for _, res := range results {
			if res.Status == http.StatusCreated {
				won++
				continue
			}
			testkit.WantError(t, res, http.StatusBadRequest, "INVALID_LINK")
		}
		if won != 1 {
			t.Errorf("%d accepted it", won)
		}
	})
}

// Whoever is erased is in no invitation, and in nothing that the audit log has of one.
func TestAnErasedUserIsInNoInvitation(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		mine := testkit.TokensOf(t, w.Do(t, joins(token, "ada")), http.StatusCreated)
		w.Clock.Advance(2 * time.Minute)
		w.invited(t, root.Access, attackers, "SUPPORT")
		w.post(t, root.Access, "/api/v1/admin/users/"+mine.UserID+"/erase", map[string]string{"username": "ada"}, http.StatusOK)
		log := string(w.Do(t, testkit.Get(root.Access, "/api/v1/admin/audit?limit=100")).Body)
		if strings.Contains(log, victims) || !strings.Contains(log, "staff.invite") || !strings.Contains(log, "staff.accept") ||
			!strings.Contains(log, attackers) {
			t.Errorf("the audit log is %s", log)
		}
	})
}
