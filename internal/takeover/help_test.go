package takeover_test

import (
	"net/http"
	"slices"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

// help is the address of what administrators do for a user.
func help(userID, what string) string { return "/api/v1/admin/users/" + userID + "/" + what }

// An operator helps somebody in, and learns no password; a stolen session of an operator helps nobody.
func TestAdministratorsMailALinkAndChooseNoPassword(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		path := help(owner.UserID, "password-reset")
		w.Clock.Advance(minute)
		admin := w.Admin(t, "root")
		w.post(t, admin.Access, path, nil, http.StatusAccepted)
		link := w.mustMail(t, victims, "reset-password")
		before := len(w.read(t))
		w.post(t, admin.Access, path, nil, http.StatusAccepted) // one a minute
		if got := len(w.read(t)); got != before {
			t.Errorf("%d mails beyond the budget", got-before)
		}
		w.signIn(t, victims, testkit.Password) // nothing has changed
		w.post(t, "", "/auth/reset-password", map[string]string{"token": link, "newPassword": chosen}, http.StatusOK)
		if got := w.logged(t, admin.Access, owner.UserID, "mail_reset"); !slices.Equal(got, []string{"user.mail_reset user"}) {
			t.Errorf("recorded is %q", got)
		}

		for _, what := range []string{"password-reset", "email/revert"} {
			path := help(owner.UserID, what)
			testkit.WantError(t, w.Do(t, testkit.Post("", path, nil)), http.StatusUnauthorized, "UNAUTHORIZED")
			testkit.WantError(t, w.Do(t, testkit.Post(w.signIn(t, victims, chosen).Access, path, nil)), http.StatusForbidden, "FORBIDDEN")
			testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, help("tz4a98xxat96iws9zmbrgj3a", what), nil)), http.StatusNotFound, "USER_NOT_FOUND")
		}
		w.Do(t, testkit.Request{
			Method: http.MethodPatch, Path: "/api/v1/admin/users/" + owner.UserID, Token: admin.Access, Body: map[string]bool{"active": false},
		})
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, path, nil)), http.StatusConflict, "CONFLICT")
		w.Clock.Advance(account.RecentLife + minute)
		for _, what := range []string{"password-reset", "email/revert"} {
			res := w.Do(t, testkit.Post(admin.Access, help(owner.UserID, what), nil))
			testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
	})
}

// A thief changed the address, and its owner lost the mail with the link.
func TestAdministratorsTakeAChangeOfAddressBackWhileItsLinkWorks(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		thief := w.proven(t, victims, "ada")
		w.Clock.Advance(minute)
		path := help(thief.UserID, "email/revert")
		admin := w.Admin(t, "root")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, path, nil)), http.StatusConflict, "CONFLICT")
		back := w.moved(t, thief.Access, victims, attackers)
		w.post(t, admin.Access, path, nil, http.StatusOK)
		w.dies(t, "the thief's session", thief)
		w.dead(t, "", revert, back)
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, path, nil)), http.StatusConflict, "CONFLICT") // once
		link := w.mustMail(t, victims, "reset-password")
		w.post(t, "", "/auth/reset-password", map[string]string{"token": link, "newPassword": chosen}, http.StatusOK)
		owner := w.signIn(t, victims, chosen)

		w.Clock.Advance(minute)
		w.moved(t, owner.Access, victims, attackers)
		w.Clock.Advance(7*day + minute)
		admin = w.Login(t, "root")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, path, nil)), http.StatusConflict, "CONFLICT")
	})
}

// A thief who moved the account away plans its deletion, too.
func TestAdministratorsTakeAChangeOfAddressBackWhileTheAccountIsLeaving(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		thief := w.settled(t, victims, "ada")
		admin := w.Admin(t, "root")
		w.moved(t, thief.Access, victims, attackers)
		at := w.left(t, thief.Access, "ada")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, help(thief.UserID, "password-reset"), nil)), http.StatusConflict, "CONFLICT")
		w.post(t, admin.Access, help(thief.UserID, "email/revert"), nil, http.StatusOK)
		w.post(t, "", "/auth/reset-password", map[string]string{
			"token": w.mustMail(t, victims, "reset-password"), "newPassword": chosen,
		}, http.StatusOK)
		w.signIn(t, victims, chosen)
		w.until(at)
		if n := w.sweep(t); n != 0 {
			t.Errorf("%d removed", n)
		}
	})
}
