package account_test

import (
	"errors"
	"fmt"
	"testing"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit/clocktest"
)

func mustOpenSetup(tb testing.TB, s *account.Service) string {
	tb.Helper()
	token, err := s.OpenSetup(tb.Context())
	if err != nil || len(token) < 26 {
		tb.Fatalf("OpenSetup = %q, %v; want a token of 130 bits", token, err)
	}
	return token
}

func setup(token, name string) account.Setup {
	return account.Setup{Token: token, Email: name + "@example.com", Username: name, Password: secret}
}

func TestSetUpMakesTheFirstAdministratorOnce(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		ctx := t.Context()
		token := mustOpenSetup(t, a)
		results := make(chan error, 6)
		for i := range cap(results) {
			go func() {
				tokens, err := []*account.Service{a, b}[i%2].SetUp(ctx, setup(token, fmt.Sprint("admin", i)))
				if err == nil {
					if who, authErr := a.Authenticate(ctx, tokens.Access); authErr != nil || !who.IsAdmin() {
						t.Errorf("Authenticate = %+v, %v; want an administrator", who, authErr)
					}
				}
				results <- err
			}()
		}
		won := 0
		for range cap(results) {
			switch err := <-results; {
			case err == nil:
				won++
			case !errors.Is(err, account.ErrSetup):
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d set-ups succeeded with one token, want 1", won)
		}
		users, _, err := a.ListUsers(ctx, account.UserQuery{Limit: 10})
		if err != nil || len(users) != 1 || users[0].Role != reqctx.RoleAdmin {
			t.Fatalf("users = %+v, %v; want one administrator", users, err)
		}
		if token, err := b.OpenSetup(ctx); token != "" || err != nil {
			t.Errorf("OpenSetup with an administrator there = %q, %v; want none", token, err)
		}
	})
}

func TestSetUpTokenEnds(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]func(t *testing.T, s *account.Service){
		"when another is made": func(t *testing.T, s *account.Service) { t.Helper(); mustOpenSetup(t, s) },
		"when an administrator is created": func(t *testing.T, s *account.Service) {
			t.Helper()
			mustCreateAdmin(t, s, "root")
		},
		"when a user is promoted": func(t *testing.T, s *account.Service) {
			t.Helper()
			mustRegister(t, s, "ada")
			if _, err := s.Promote(t.Context(), "ada@example.com"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
				token := mustOpenSetup(t, a)
				end(t, b)
				if _, err := a.SetUp(t.Context(), setup(token, "eve")); !errors.Is(err, account.ErrSetup) {
					t.Errorf("SetUp = %v, want ErrSetup", err)
				}
				// Not even when there is no administrator again, by the database's hand.
				admins, err := a.Store.LockAdmins(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range admins {
					if err := a.Store.SetActive(t.Context(), id, false); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := a.SetUp(t.Context(), setup(token, "eve")); !errors.Is(err, account.ErrSetup) {
					t.Errorf("without administrators: SetUp = %v, want ErrSetup", err)
				}
			})
		})
	}
}

// The administrator is checked for as well as the token.
func TestSetUpNeedsThatThereIsNoAdministrator(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		token := mustOpenSetup(t, s)
		root := account.Credentials{
			User: account.User{
				ID:        "root",
				Email:     "r@example.com",
				Username:  "root",
				Role:      reqctx.RoleAdmin,
				Active:    true,
				CreatedAt: t0,
			},
		}
		if err := s.Store.CreateUser(t.Context(), root); err != nil { // past the service
			t.Fatal(err)
		}
		if _, err := s.SetUp(t.Context(), setup(token, "eve")); !errors.Is(err, account.ErrSetup) {
			t.Errorf("SetUp = %v, want ErrSetup", err)
		}
	})
}

func TestSetUpRefuses(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		ctx := t.Context()
		for _, wrong := range []string{"x", "\x00", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
			if _, err := s.SetUp(ctx, setup(wrong, "eve")); !errors.Is(err, account.ErrSetup) {
				t.Errorf("before a token was made: SetUp(%q) = %v, want ErrSetup", wrong, err)
			}
		}
		token := mustOpenSetup(t, s)
		if _, err := s.SetUp(ctx, setup(token+"A", "eve")); !errors.Is(err, account.ErrSetup) {
			t.Errorf("wrong token: SetUp = %v, want ErrSetup", err)
		}
		err := errsOf(s.SetUp(ctx, account.Setup{Email: "x", Username: "y", Password: "z"}))
		if e, ok := errors.AsType[*errs.Error](err); !ok || len(e.Details["issues"].([]errs.Issue)) != 4 {
			t.Errorf("SetUp with four faults = %v", err)
		}
		mustRegister(t, s, "ada")
		if _, err := s.SetUp(ctx, setup(token, "ada")); !errors.Is(err, account.ErrTaken) {
			t.Errorf("with the address of a user: SetUp = %v, want ErrTaken", err)
		}
		if _, err := s.SetUp(ctx, setup(token, "root")); err != nil {
			t.Errorf("after errors the token works as it did: SetUp = %v", err)
		}
	})
}

func errsOf(_ account.Tokens, err error) error { return err }
