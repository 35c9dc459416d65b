package takeover_test

import (
	"net/http"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

// Who may not add a way in learns nothing of what is wrong with one: refusals come in one order everywhere.
func TestFaultsOfAWayInAreToldToThoseWhoMayAddIt(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		ways := []string{apiKeys, keys, apiKeys + "/none/rotate"}
		refused := func(path string, status int, code string) {
			t.Helper()
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, path, `{"name":7}`)), status, code)
		}
		for _, path := range ways {
			refused(path, http.StatusForbidden, "EMAIL_UNVERIFIED")
		}
		w.Clock.Advance(account.RecentLife + minute)
		for _, path := range ways {
			refused(path, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
		w.works(t, owner.Access, verify, w.mustMail(t, victims, "verify-email"))
		owner = w.signIn(t, victims, testkit.Password)
		refused(apiKeys, http.StatusBadRequest, "VALIDATION_ERROR")
		refused(keys, http.StatusBadRequest, "VALIDATION_ERROR")
		refused(apiKeys+"/none/rotate", http.StatusNotFound, "NOT_FOUND")
	})
}

// Staff who lack the factor that staff need here are told so first: no other proof would help.
func TestStaffAreAskedForTheirFactorBeforeTheyProveToBeThere(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.staff(t, "root@example.com", "root", "ADMIN")
		id, _ := w.key(t, root.Access, "orders:read")
		w.rules(func(r *account.Rules) { r.Safeguards.StaffFactor = account.StaffFactorRequired })
		w.Clock.Advance(account.RecentLife + minute)
		for _, path := range []string{apiKeys, apiKeys + "/" + id + "/rotate"} {
			res := w.Do(t, testkit.Post(root.Access, path, keyForm("orders:read")))
			testkit.WantError(t, res, http.StatusForbidden, "STAFF_FACTOR_REQUIRED")
		}
	})
}
