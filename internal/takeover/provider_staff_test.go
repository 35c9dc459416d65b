package takeover_test

import (
	"net/http"
	"testing"

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
