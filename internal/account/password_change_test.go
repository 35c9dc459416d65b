package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

func TestChangePasswordEndsAllOtherSessions(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		keep, gone, bob := mustRegister(t, s, "ada"), mustLogin(t, other, "ada"), mustRegister(t, s, "bob")
		who, err := s.Authenticate(t.Context(), keep.Access)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ChangePassword(t.Context(), who.UserID, who.SessionID, "wrong", "another secret"); !errors.Is(err,
			account.ErrPassword) {
			t.Errorf("with a wrong password = %v, want ErrPassword", err)
		}
		if _, err := s.Authenticate(t.Context(), gone.Access); err != nil {
			t.Errorf("a change that failed ended a session: %v", err)
		}
		if err := s.ChangePassword(t.Context(), who.UserID, who.SessionID, secret, "another secret"); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, access string
			want         error
		}{
			{"the calling session", keep.Access, nil},
			{"the other session", gone.Access, account.ErrToken},
			{"somebody else's", bob.Access, nil},
		} {
			if _, err := other.Authenticate(t.Context(), tt.access); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		if _, err := s.Refresh(t.Context(), gone.Refresh); !errors.Is(err, account.ErrRefresh) {
			t.Errorf("Refresh in the other session = %v, want ErrRefresh", err)
		}
		if _, err := s.Refresh(t.Context(), keep.Refresh); err != nil {
			t.Errorf("Refresh in the calling session = %v", err)
		}
		if _, err := s.Login(t.Context(), "ada@example.com", secret); !errors.Is(err, account.ErrLogin) {
			t.Errorf("Login with the old password = %v, want ErrLogin", err)
		}
		if _, err := s.Login(t.Context(), "ada@example.com", "another secret"); err != nil {
			t.Errorf("Login with the new password = %v", err)
		}
	})
}

// Of two changes from the same password only one may succeed.
func TestASecondPasswordChangeAtOnceFails(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		id := mustRegister(t, s, "ada").User.ID
		s.Store = &slowStore{Store: s.Store, between: func() {
			if err := other.ChangePassword(t.Context(), id, "", secret, "the quicker one"); err != nil {
				t.Error(err)
			}
		}}
		if err := s.ChangePassword(t.Context(), id, "", secret, "the slower one"); !errors.Is(err, account.ErrPassword) {
			t.Errorf("ChangePassword = %v, want ErrPassword", err)
		}
		if _, err := s.Login(t.Context(), "ada@example.com", "the quicker one"); err != nil {
			t.Error(err)
		}
	})
}

func TestChangePasswordOfNobody(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	if err := s.ChangePassword(t.Context(), "nobody", "", secret, secret); !errors.Is(err, account.ErrNoUser) {
		t.Errorf("ChangePassword = %v, want ErrNoUser", err)
	}
	if err := s.SetActive(t.Context(), "nobody", true); !errors.Is(err, account.ErrNoUser) {
		t.Errorf("SetActive = %v, want ErrNoUser", err)
	}
}

// broken is a database that fails when something is to be changed.
type broken struct{ account.Store }

var errOutage = errors.New("disk full")

func (broken) InTx(context.Context, func(account.Store) error) error { return errOutage }

func TestChangePasswordFailsWithItsOwnCode(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	id := mustRegister(t, s, "ada").User.ID
	s.Store = broken{s.Store}
	err := s.ChangePassword(t.Context(), id, "", secret, "another secret")
	if !errors.Is(err, account.ErrChangePassword) || !errors.Is(err, errOutage) || errs.KindOf(err) != errs.Internal {
		t.Errorf("ChangePassword = %v, want ErrChangePassword because of the outage", err)
	}
}

func TestEndSessionIsForOnesOwn(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		ada, bob := mustRegister(t, s, "ada"), mustRegister(t, s, "bob")
		who, err := s.Authenticate(t.Context(), ada.Access)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{who.SessionID, "nothing"} {
			if err := s.EndSession(t.Context(), bob.User.ID, id); !errors.Is(err, account.ErrNoSession) {
				t.Errorf("EndSession(%q) of somebody else = %v, want ErrNoSession", id, err)
			}
		}
		if err := s.EndSession(t.Context(), ada.User.ID, who.SessionID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Authenticate(t.Context(), ada.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("Authenticate = %v, want ErrToken", err)
		}
	})
}

func TestEnsureAdmin(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		ctx := t.Context()
		if created, err := s.EnsureAdmin(ctx, "", ""); created || err != nil {
			t.Errorf("without settings = %v, %v", created, err)
		}
		for _, half := range [][2]string{
			{"root@example.com", ""},
			{"", secret},
			{"root@example.com", "short"},
			{"root", secret},
		} {
			if created, err := s.EnsureAdmin(ctx, half[0], half[1]); created || err == nil {
				t.Errorf("with %q: created %v, no error", half[0], created)
			} else if half[1] != "" && strings.Contains(err.Error(), half[1]) {
				t.Error("the error tells the password")
			}
		}
		mustRegister(t, s, "bob")
		if _, err := s.EnsureAdmin(ctx, "BOB@example.com", secret); !errors.Is(err, account.ErrAdminTaken) {
			t.Errorf("with the address of a user = %v, want ErrAdminTaken", err)
		}

		results := make(chan bool, 4)
		for i := range cap(results) {
			go func() {
				created, err := []*account.Service{s, other}[i%2].EnsureAdmin(ctx, "bob@example.org",
					secret) // username bob is taken
				if err != nil {
					t.Error(err)
				}
				results <- created
			}()
		}
		n := 0
		for range cap(results) {
			if <-results {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d administrators created, want 1", n)
		}
		tokens, err := s.Login(ctx, "bob@example.org", secret)
		if err != nil || tokens.User.Role != reqctx.RoleAdmin {
			t.Fatalf("Login = %+v, %v; want an administrator", tokens.User, err)
		}
		if who, err := s.Authenticate(ctx, tokens.Access); err != nil || !who.IsAdmin() {
			t.Errorf("Authenticate = %+v, %v; want an administrator", who, err)
		}
		if created, err := s.EnsureAdmin(ctx, "second@example.com", secret); created || err != nil {
			t.Errorf("while there is one = %v, %v; want nothing done", created, err)
		}
	})
}

func TestCreateAdmin(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	u, err := s.CreateAdmin(t.Context(), "jo@example.com", "", secret)
	if err != nil || u.Role != reqctx.RoleAdmin || u.Username != "admin-jo" {
		t.Errorf("CreateAdmin = %+v, %v", u, err)
	}
	if _, err := s.CreateAdmin(t.Context(), "JO@example.com", "other", secret); !errors.Is(err, account.ErrTaken) {
		t.Errorf("CreateAdmin again = %v, want ErrTaken", err)
	}
	if _, err := s.CreateAdmin(t.Context(), "jo", "a b", "x"); errs.KindOf(err) != errs.Invalid {
		t.Errorf("CreateAdmin with faults = %v, want VALIDATION_ERROR", err)
	}
}
