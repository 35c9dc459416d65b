package takeover_test

import (
	"net/http"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// T46: an account at a provider that is not for staff lets no staff in, so it is no way that is left to them.
func TestStaffKeepAWayInThatIsForStaff(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		o := w.provider(t, "op", nil)
		(&traveler{w: w, bearer: owner.Access}).links(t, o, "op", "ada")
		w.isRemovable(t, owner.Access, true)
		w.promotes(t, w.admin.Access, owner.UserID, "SUPPORT")
		w.lastWay(t, owner.Access, ownPassword)
		w.isRemovable(t, owner.Access, false)

		// With two passkeys the password goes, and then they are all there is.
		_, id := w.withKey(t, owner.Access)
		w.withKey(t, owner.Access)
		w.remove(t, owner.Access, ownPassword, http.StatusOK)
		w.lastWay(t, owner.Access, "/auth/second-factor")
		w.lastWay(t, owner.Access, keys+"/"+id)

		o.put(t, "op", func(form map[string]any) { form["staff"] = true })
		w.remove(t, owner.Access, "/auth/second-factor", http.StatusOK)
		testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
	})
}

// T88: what a provider may do is asked at the second step, too, which may come minutes after the first.
func TestWhatAProviderMayDoIsAskedAtTheSecondStep(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "ada")
		app := w.withApp(t, owner.Access)
		o := w.provider(t, "op", func(form map[string]any) { form["staff"] = true })
		(&traveler{w: w, bearer: owner.Access}).links(t, o, "op", "ada")
		refused := func(change func(form map[string]any)) {
			t.Helper()
			due := (&traveler{w: w}).through(t, o, "op", "sign-in", nobody)
			testkit.WantError(t, due, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
			o.put(t, "op", change)
			before := w.seen(t, owner.Access)
			w.refused(t, w.Do(t, step(detailsOf(t, due, "challenge"), "totp", w.later(app))), -1)
			if after := w.seen(t, owner.Access); after != before {
				t.Errorf("a refused sign-in leaves %s, before it was %s", after, before)
			}
		}
		refused(func(form map[string]any) { form["enabled"] = false })
		o.put(t, "op", func(form map[string]any) { form["enabled"] = true })
		w.promotes(t, w.admin.Access, owner.UserID, "SUPPORT")
		refused(func(form map[string]any) { form["staff"] = false })
	})
}

// A provider proves that somebody is there for those alone who have nothing better, and to staff if it is for staff.
func TestAProviderProvesNothingForThoseWhoHaveSomethingBetter(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		b := &traveler{w: w}
		ada := b.honest(t, o, "ada", victims, "ada")
		b.bearer = ada.Access
		b.visit(t, o, "op", "reauthenticate")
		app := w.withApp(t, ada.Access)
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		again := map[string]string{"mode": "reauthenticate"}
		other := &traveler{w: w, bearer: ada.Access}
		res := other.post(t, "/auth/oidc/op/start", again)
		testkit.WantError(t, res, http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		w.Clock.Advance(30 * time.Second)
		w.proves(t, ada.Access, "totp", w.now(app))
		w.remove(t, ada.Access, "/auth/totp", http.StatusOK)
		if res := b.post(t, completeFlow, nobody); res.Status != http.StatusOK {
			t.Errorf("a refusal ended the way: %d %s", res.Status, res.Body)
		}
		w.post(t, ada.Access, ownPassword, map[string]string{"newPassword": chosen}, http.StatusOK)
		res = other.post(t, "/auth/oidc/op/start", again)
		testkit.WantError(t, res, http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
	})
}

// Staff prove only at a provider for staff that they are there, as they sign in only there.
func TestStaffProveThatTheyAreThereAtAProviderForStaffOnly(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", func(form map[string]any) { form["staff"] = true })
		w.provider(t, "own", nil)
		b := &traveler{w: w}
		ada := b.honest(t, o, "ada", victims, "ada")
		w.promotes(t, w.admin.Access, ada.UserID, "SUPPORT")
		b.bearer = ada.Access
		b.visit(t, o, "op", "reauthenticate")
		o.put(t, "op", func(form map[string]any) { form["staff"] = false })
		testkit.WantError(t, b.post(t, completeFlow, nobody), http.StatusForbidden, "STAFF_METHOD")
		other := &traveler{w: w, bearer: ada.Access}
		for slug, mode := range map[string]string{"op": "reauthenticate", "own": "link"} {
			res := other.post(t, "/auth/oidc/"+slug+"/start", map[string]string{"mode": mode})
			testkit.WantError(t, res, http.StatusForbidden, "STAFF_METHOD")
		}
		w.Clock.Advance(11 * time.Minute)
		res := w.Do(t, testkit.Post(ada.Access, ownPassword, map[string]string{"newPassword": chosen}))
		testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if ways := detailsOf(t, res, "methods"); ways != "[email]" {
			t.Errorf("methods = %v", ways)
		}
	})
}

// A stolen session of an administrator has stoa ask no provider.
func TestProvidersAreManagedBySomebodyWhoIsThere(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.provider(t, "op", nil)
		const op = "/api/v1/admin/identity-providers/op"
		w.post(t, w.admin.Access, op+"/test", nil, http.StatusOK)
		w.Clock.Advance(11 * time.Minute)
		for _, req := range []testkit.Request{
			testkit.Post(w.admin.Access, op+"/test", nil), testkit.Delete(w.admin.Access, op),
			{Method: http.MethodPut, Path: op, Token: w.admin.Access, Body: map[string]any{}},
		} {
			testkit.WantError(t, w.Do(t, req), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
	})
}
