package account_test

import (
	"testing"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// Wherever a password is chosen, the policy knows whose it is.
func TestNobodysNameIsTheirPasswordUnderASVS(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	s.Book = account.Fixed{Policy: account.PolicyASVS}
	mine := []string{"grace.hopper", "hopper2031", "GraceHopper!", "AmazingGrace1", "stoa-2031"}
	who := mustRegister(t, s, "amazinggrace").User
	const email = "grace.hopper@navy.example"
	hopper, err := s.Register(t.Context(),
		account.Registration{Email: email, Username: "AmazingGrace-1", Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range mine {
		_, register := s.Register(t.Context(),
			account.Registration{Email: "x." + email, Username: "AmazingGrace", Password: bad})
		_, admin := s.CreateAdmin(t.Context(), "y."+email, "AmazingGrace", bad)
		for name, err := range map[string]error{
			"register": register, "admin": admin, "change": s.ChangePassword(t.Context(), hopper.User.ID, "", secret, bad),
		} {
			if errs.KindOf(err) != errs.Invalid {
				t.Errorf("%s with %q = %v, want VALIDATION_ERROR", name, bad, err)
			}
		}
	}
	if err := s.ChangePassword(t.Context(), who.ID, "", secret, "a walk by the Avon"); err != nil {
		t.Errorf("a good password: %v", err)
	}
}
