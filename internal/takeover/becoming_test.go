package takeover_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// comesByMail signs in with a mailed link. The mailbox had its last mail a minute ago.
func (w *world) comesByMail(t *testing.T, email string) testkit.Tokens {
	t.Helper()
	w.Clock.Advance(minute)
	b := w.asks(t, email)
	token, _ := w.mailedIn(t, email)
	return testkit.TokensOf(t, w.opens(t, b, token), http.StatusOK)
}

// promotes has an administrator give somebody a role.
func (w *world) promotes(t *testing.T, bearer, id, role string) {
	t.Helper()
	res := w.Do(t, testkit.Patch(bearer, "/api/v1/admin/users/"+id, map[string]string{"role": role}))
	if res.Status != http.StatusOK {
		t.Fatalf("PATCH = %d %s", res.Status, res.Body)
	}
}

// Whoever reads the mail of a customer, or is them at a provider, waits in a session until they are staff.
func TestAnInvitationIsNotAcceptedInASessionThatStaffMayNotBegin(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.Admin(t, "root")
		owner := w.settled(t, victims, "ada")
		o := w.provider(t, "op", nil)
		(&traveler{w: w, bearer: owner.Access}).links(t, o, "op", "ada")
		mailed := w.comesByMail(t, victims)
		foreign := testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
		other := w.signIn(t, victims, testkit.Password)
		w.Clock.Advance(minute)
		root := w.Login(t, "root")
		_, token := w.invited(t, root.Access, victims, "SUPPORT")
		for _, closed := range []testkit.Tokens{mailed, foreign} {
			testkit.WantError(t, w.Do(t, accepts(closed.Access, token)), http.StatusForbidden, "STAFF_METHOD")
			w.has(t, closed.Access, "USER") // nothing changed
		}
		if res := w.Do(t, accepts(owner.Access, token)); res.Status != http.StatusOK {
			t.Fatalf("accepting = %d %s", res.Status, res.Body)
		}
		w.has(t, owner.Access, "SUPPORT")
		for what, before := range map[string]testkit.Tokens{"by mail": mailed, "by a provider": foreign, "by password": other} {
			w.dies(t, what, before)
		}
	})
}

// The same, where an administrator gives the role.
func TestWhoeverBecomesStaffLosesSessionsThatStaffMayNotBegin(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "ada")
		o := w.provider(t, "op", nil)
		own := w.provider(t, "own", func(form map[string]any) { form["staff"] = true })
		(&traveler{w: w, bearer: owner.Access}).links(t, o, "op", "ada")
		(&traveler{w: w, bearer: owner.Access}).links(t, own, "own", "ada")
		mailed := w.comesByMail(t, victims)
		foreign := testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
		staffs := testkit.TokensOf(t, (&traveler{w: w}).through(t, own, "own", "sign-in", nobody), http.StatusOK)
		boss := w.Login(t, "boss")
		w.promotes(t, boss.Access, owner.UserID, "SUPPORT")
		w.dies(t, "by mail", mailed)
		w.dies(t, "by a provider", foreign)
		w.has(t, owner.Access, "SUPPORT")
		w.has(t, staffs.Access, "SUPPORT")
		w.promotes(t, boss.Access, owner.UserID, "CATALOG") // nobody becomes staff
		w.has(t, owner.Access, "CATALOG")

		// A second step that was due when the first was done by a customer.
		eve := w.settled(t, attackers, "eve")
		app := w.withApp(t, eve.Access)
		w.Clock.Advance(minute)
		b := w.asks(t, attackers)
		link, _ := w.mailedIn(t, attackers)
		res := w.opens(t, b, link)
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		w.promotes(t, boss.Access, eve.UserID, "SUPPORT")
		res = w.Do(t, step(detailsOf(t, res, "challenge"), "totp", w.later(app)))
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
	})
}

// links links somebody at a provider to the account of the browser's session.
func (b *traveler) links(t *testing.T, o *elsewhere, slug, sub string) {
	t.Helper()
	o.Change(func() { o.Person = person(sub, "elsewhere@example.org") })
	if res := b.through(t, o, slug, "link", nobody); res.Status != http.StatusOK {
		t.Fatalf("linking = %d %s", res.Status, res.Body)
	}
}
