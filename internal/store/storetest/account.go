package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/caller"
	"stoa/internal/errs"
	"stoa/internal/store"
)

// credentials returns a user with every field set.
func credentials(id string) account.Credentials {
	return account.Credentials{PasswordHash: "$hash$" + id, User: account.User{
		ID: id, Email: "E." + id + "@Example.com", Username: "N." + id, Role: caller.RoleUser,
		Avatar: "/media/" + id, Referral: "ref-" + id, Active: true, CreatedAt: T0,
	}}
}

func mustCreateUser(tb testing.TB, s *store.Account, c account.Credentials) account.Credentials {
	tb.Helper()
	if err := s.CreateUser(tb.Context(), c); err != nil {
		tb.Fatal(err)
	}
	return c
}

// mustBe fails the test unless err has that kind.
func mustBe(tb testing.TB, what string, err error, want errs.Kind) {
	tb.Helper()
	if got := errs.KindOf(err); got != want {
		tb.Errorf("%s = %v (kind %q), want kind %q", what, err, got, want)
	}
}

func testAccount(t *testing.T, open Open) {
	t.Run("Users", func(t *testing.T) { t.Parallel(); testUsers(t, open) })
	t.Run("Sessions", func(t *testing.T) { t.Parallel(); testSessions(t, open) })
	t.Run("Sweep", func(t *testing.T) { t.Parallel(); testSweep(t, open) })
	t.Run("Resets", func(t *testing.T) { t.Parallel(); testResets(t, open) })
	t.Run("Administration", func(t *testing.T) { t.Parallel(); testAccountAdmin(t, open) })
	t.Run("Transactions", func(t *testing.T) { t.Parallel(); testAccountTx(t, open) })
}

func testUsers(t *testing.T, open Open) {
	t.Run("User and UserByEmail return what CreateUser stored", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		want := mustCreateUser(t, s, credentials("u1"))
		mustCreateUser(t, s, credentials("u2"))
		got, err := s.User(t.Context(), "u1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("User: %v (-want +got):\n%s", err, diff)
		}
		got, err = s.UserByEmail(t.Context(), account.Key("e.U1@EXAMPLE.COM"))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("UserByEmail: %v (-want +got):\n%s", err, diff)
		}
		_, err = s.User(t.Context(), "u3")
		mustBe(t, "User of an unknown id", err, errs.NotFound)
		_, err = s.UserByEmail(t.Context(), want.Email)
		mustBe(t, "UserByEmail with an address that is not a Key", err, errs.NotFound)
	})
	t.Run("CreateUser refuses what is taken, without regard to case", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustCreateUser(t, s, credentials("ünï"))
		for name, change := range map[string]func(*account.Credentials){
			"id":       func(c *account.Credentials) { c.ID = "ünï" },
			"e-mail":   func(c *account.Credentials) { c.Email = "e.ÜNÏ@example.com" },
			"username": func(c *account.Credentials) { c.Username = "n.U\u0308NI\u0308" },
		} {
			c := credentials("other")
			change(&c)
			mustBe(t, "CreateUser with a taken "+name, s.CreateUser(t.Context(), c), errs.Conflict)
		}
	})
	t.Run("SetPassword and SetActive change one field", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		want := mustCreateUser(t, s, credentials("u1"))
		other := mustCreateUser(t, s, credentials("u2"))
		want.PasswordHash, want.Active = "new", false
		if err := errors.Join(s.SetPassword(t.Context(), "u1", "new"), s.SetActive(t.Context(), "u1", false)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []account.Credentials{want, other} {
			got, err := s.User(t.Context(), want.ID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("User: %v (-want +got):\n%s", err, diff)
			}
		}
		mustBe(t, "SetPassword of nobody", s.SetPassword(t.Context(), "u3", "x"), errs.NotFound)
		mustBe(t, "SetActive of nobody", s.SetActive(t.Context(), "u3", true), errs.NotFound)
	})
	t.Run("HasAdmin looks for active administrators", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		admin := credentials("u2")
		admin.Role = caller.RoleAdmin
		steps := []struct {
			do   func() error
			want bool
		}{
			{func() error { return nil }, false},
			{func() error { return s.CreateUser(t.Context(), credentials("u1")) }, false},
			{func() error { return s.CreateUser(t.Context(), admin) }, true},
			{func() error { return s.SetActive(t.Context(), "u2", false) }, false},
		}
		for i, step := range steps {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			if got, err := s.HasAdmin(t.Context()); got != step.want || err != nil {
				t.Errorf("step %d: HasAdmin = %v, %v; want %v", i, got, err, step.want)
			}
		}
	})
}

func testAccountTx(t *testing.T, open Open) {
	for name, run := range map[string]func(*store.Account, context.Context, func(account.Store) error) error{
		"InTx": (*store.Account).InTx, "InShortTx": (*store.Account).InShortTx,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); testAccountTxBy(t, open, run) })
	}
}

func testAccountTxBy(t *testing.T, open Open, run func(*store.Account, context.Context, func(account.Store) error) error) {
	t.Run("undoes everything when fn fails", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		boom := errors.New("boom")
		err := run(s, t.Context(), func(tx account.Store) error {
			return errors.Join(tx.CreateUser(t.Context(), credentials("u1")), tx.CreateSession(t.Context(), session("s1", "u1")), boom)
		})
		if !errors.Is(err, boom) {
			t.Fatalf("it = %v, want boom", err)
		}
		_, err = s.User(t.Context(), "u1")
		mustBe(t, "User after the failure", err, errs.NotFound)
		_, err = s.Session(t.Context(), "s1")
		mustBe(t, "Session after the failure", err, errs.NotFound)
	})
	t.Run("User and Session stay locked until it ends", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustCreateUser(t, s, credentials("u1"))
		mustCreateSession(t, s, session("s1", "u1"))
		// Each adds one to what it read: an update that another overwrote is missed.
		add := func(ctx context.Context) error {
			return run(s, ctx, func(tx account.Store) error {
				c, err := tx.User(ctx, "u1")
				if err != nil {
					return err
				}
				sess, err := tx.Session(ctx, "s1")
				if err != nil {
					return err
				}
				sess.Refresh.ID += "x"
				return errors.Join(tx.SetPassword(ctx, "u1", c.PasswordHash+"x"), tx.SaveRefresh(ctx, sess))
			})
		}
		const n = 8
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				if err := add(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c, err1 := s.User(t.Context(), "u1")
		sess, err2 := s.Session(t.Context(), "s1")
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if got := len(c.PasswordHash) - len(credentials("u1").PasswordHash); got != n {
			t.Errorf("%d of %d changes of the user are left", got, n)
		}
		if got := len(sess.Refresh.ID) - len(session("s1", "u1").Refresh.ID); got != n {
			t.Errorf("%d of %d changes of the session are left", got, n)
		}
	})
}
