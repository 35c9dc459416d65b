package account_test

import (
	"encoding/base32"
	"errors"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/totp"
	"stoa/internal/testkit/clocktest"
)

// A replica of a release that knows no second factors signs in with the password alone. Such a session is recent, and
// changes no factor all the same.
func TestASessionWithoutTheSecondFactorIsRecentByACodeOnly(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		user := mustRegister(t, a, "ada").User.ID
		list, err := a.Sessions(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		session := list[0].ID
		app, err := a.SetUpTOTP(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := base32.StdEncoding.DecodeString(app.Secret)
		if err != nil {
			t.Fatal(err)
		}
		code := func() string { return totp.Code(secret, totp.Step(c.Now())) }
		if _, err := a.ConfirmTOTP(t.Context(), user, session, account.TypedCode{Code: code()}); err != nil {
			t.Fatal(err)
		}
		if err := b.RequireRecent(t.Context(), user, session); err != nil {
			t.Errorf("the session that switched it on: %v", err)
		}
		if err := a.Store.SetLevel(t.Context(), session, 1, []string{account.MethodPassword}); err != nil {
			t.Fatal(err)
		}
		if err := b.RequireRecent(t.Context(), user, session); !errors.Is(err, account.ErrNotRecentCode) {
			t.Errorf("with the password alone: %v", err)
		}
		c.Advance(account.RecentLife)
		if _, err := b.Reauthenticate(t.Context(), user, session, account.Reauthentication{Code: code()}); err != nil {
			t.Fatal(err)
		}
		if err := a.RequireRecent(t.Context(), user, session); err != nil {
			t.Errorf("with a code: %v", err)
		}
	})
}
