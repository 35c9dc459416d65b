package account_test

import (
	"errors"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit/clocktest"
)

// A thief's request is under way when the owner chooses a new password, which ends the thief's session: it leaves no
// pending address, no recovery codes and no password behind.
func TestWhatASessionWasAboutToDoEndsWithIt(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		owner := mustRegister(t, a, "ada").User
		if _, err := a.ReplacePassword(t.Context(), owner.Email, "once only once only"); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Login(t.Context(), owner.Email, "once only once only"); err != nil { // the password is gone with it
			t.Fatal(err)
		}
		list, err := b.Sessions(t.Context(), owner.ID)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d sessions, %v", len(list), err)
		}
		stolen := list[0].ID
		if err := b.EndSession(t.Context(), owner.ID, stolen); err != nil {
			t.Fatal(err)
		}
		for what, do := range map[string]func() error{
			"another address": func() error { return a.ChangeEmail(t.Context(), owner.ID, stolen, "thief@example.net") },
			"recovery codes": func() error {
				_, err := a.NewRecoveryCodes(t.Context(), owner.ID, stolen)
				return err
			},
			"a password":           func() error { return a.SetPassword(t.Context(), owner.ID, stolen, "chosen by a thief") },
			"the address":          func() error { return a.ConfirmEmail(t.Context(), owner.ID, stolen, "whatever") },
			"without the password": func() error { return a.RemovePassword(t.Context(), owner.ID, stolen) },
			"without the app":      func() error { return a.RemoveTOTP(t.Context(), owner.ID, stolen) },
			"without a passkey":    func() error { return a.RemovePasskey(t.Context(), owner.ID, stolen, "p") },
			"without factors":      func() error { return a.RemoveFactors(t.Context(), owner.ID, stolen) },
			"without a provider":   func() error { return a.RemoveIdentity(t.Context(), owner.ID, stolen, "i") },
		} {
			if err := do(); !errors.Is(err, account.ErrToken) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
