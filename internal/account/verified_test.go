package account_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// A token that was verified before, on this process, is as good as what the
// database says about its session and user at the moment, whoever changed that.
func TestAVerifiedTokenIsRevokedAtOnceOnEveryReplica(t *testing.T) {
	t.Parallel()

	for name, revoke := range map[string]func(ctx context.Context, s *account.Service, u account.Tokens,
		session string) error{
		"logout": func(ctx context.Context, s *account.Service, u account.Tokens, _ string) error {
			return s.Logout(ctx, u.Access)
		},
		"ended session": func(ctx context.Context, s *account.Service, u account.Tokens, session string) error {
			return s.EndSession(ctx, u.User.ID, session)
		},
		"deactivated user": func(ctx context.Context, s *account.Service, u account.Tokens, _ string) error {
			return s.SetActive(ctx, u.User.ID, false)
		},
		"changed password": func(ctx context.Context, s *account.Service, u account.Tokens, _ string) error {
			return s.ChangePassword(ctx, u.User.ID, "", secret, secret+"2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
				u := mustRegister(t, a, "ada")
				var who reqctx.Caller
				for range 2 { // the second time from memory
					for _, s := range []*account.Service{a, b} {
						var err error
						if who, err = s.Authenticate(t.Context(), u.Access); err != nil || who.UserID != u.User.ID {
							t.Fatalf("Authenticate = %+v, %v", who, err)
						}
					}
				}
				if err := revoke(t.Context(), b, u, who.SessionID); err != nil {
					t.Fatal(err)
				}
				for _, s := range []*account.Service{a, b} {
					if _, err := s.Authenticate(t.Context(), u.Access); !errors.Is(err, account.ErrToken) {
						t.Errorf("Authenticate = %v, want ErrToken", err)
					}
					if _, err := s.Me(t.Context(), u.Access); !errors.Is(err, account.ErrToken) {
						t.Errorf("Me = %v, want ErrToken", err)
					}
				}
			})
		})
	}
}

func TestAVerifiedTokenShowsTheRoleOfTheMoment(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		u := mustRegister(t, a, "ada")
		for _, want := range []reqctx.Role{reqctx.RoleUser, reqctx.RoleAdmin} {
			if _, err := b.UpdateUser(t.Context(), u.User.ID, account.UserChange{Role: want}); err != nil {
				t.Fatal(err)
			}
			if who, err := a.Authenticate(t.Context(), u.Access); err != nil || who.Role != want {
				t.Errorf("Authenticate = %+v, %v; want role %s", who, err, want)
			}
			if me, err := a.Me(t.Context(), u.Access); err != nil || me.Role != want {
				t.Errorf("Me = %+v, %v; want role %s", me, err, want)
			}
		}
	})
}

func TestAVerifiedTokenPassesForNothingElse(t *testing.T) {
	t.Parallel()

	c := clocktest.New(t0)
	s := service(t, dbtest.SQLite(t), c)
	u := mustRegister(t, s, "ada")
	plugin, _, err := s.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: "installation-1"})
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]func(string) error{
		"access": func(raw string) error { _, err := s.Authenticate(t.Context(), raw); return err },
		"plugin": func(raw string) error { _, err := s.VerifyPluginToken(t.Context(), raw); return err },
		// Last: the token is replaced by it.
		"refresh": func(raw string) error { _, err := s.Refresh(t.Context(), raw); return err },
	}
	tokens := map[string]string{"access": u.Access, "plugin": plugin, "refresh": u.Refresh}
	for kind, raw := range tokens {
		if _, _, err := s.SessionKey(t.Context(), raw); err != nil {
			t.Fatal(err)
		}
		for _, use := range []string{kind, "access", "plugin", "refresh", kind} {
			if err := uses[use](raw); (err == nil) != (use == kind) {
				t.Errorf("a verified %s token as %s token: %v", kind, use, err)
			}
		}
		// Whatever is changed about it is another token.
		last := raw[len(raw)-1]
		for name, forged := range map[string]string{
			"one character changed":  raw[:len(raw)-2] + string('A'+(raw[len(raw)-2]-'A'+1)%26) + string(last),
			"its signature left out": raw[:strings.LastIndexByte(raw, '.')+1],
			"a space at the end":     raw + " ",
			"something at the end":   raw + "A",
		} {
			if err := uses[kind](forged); errs.KindOf(err) != errs.Unauthenticated {
				t.Errorf("a verified %s token, %s: %v", kind, name, err)
			}
		}
	}
}

func TestAVerifiedTokenExpires(t *testing.T) {
	t.Parallel()

	c := clocktest.New(t0)
	s := service(t, dbtest.SQLite(t), c)
	u := mustRegister(t, s, "ada")
	end := t0.Truncate(time.Second).Add(account.AccessLife + token.Leeway)
	for _, tt := range []struct {
		at   time.Time
		want error
	}{{t0, nil}, {end.Add(-time.Millisecond), nil}, {end, account.ErrToken}, {end.Add(-time.Millisecond), nil}} {
		c.Advance(tt.at.Sub(c.Now()))
		if _, err := s.Authenticate(t.Context(), u.Access); !errors.Is(err, tt.want) {
			t.Errorf("Authenticate at %s = %v, want %v", tt.at, err, tt.want)
		}
	}
}

func TestAVerifiedTokenEndsWithItsKey(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		u := mustRegister(t, a, "ada")
		if _, err := a.Authenticate(t.Context(), u.Access); err != nil {
			t.Fatal(err)
		}
		first := signer(t, a)
		mustRotate(t, b, true)
		if err := b.Ring.Store.DeletePreviousKey(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Minute)
		if _, err := a.Authenticate(t.Context(), u.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("Authenticate without the key = %v, want ErrToken", err)
		}
	})
}

// oneQuery has nothing but Alive: any other call panics.
type oneQuery struct {
	account.Store // nil

	real  account.Store
	alive atomic.Int64
}

func (o *oneQuery) Alive(ctx context.Context, id string) (account.Alive, error) {
	o.alive.Add(1)
	return o.real.Alive(ctx, id)
}

func TestMeAsksTheDatabaseOnce(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	u := mustRegister(t, s, "ada")
	o := &oneQuery{real: s.Store}
	s.Store = o
	for i := range int64(3) {
		if me, err := s.Me(t.Context(), u.Access); err != nil || me != u.User {
			t.Errorf("Me = %+v, %v; want %+v", me, err, u.User)
		}
		if n := o.alive.Load(); n != i+1 {
			t.Errorf("%d calls asked the database %d times", i+1, n)
		}
	}
}
