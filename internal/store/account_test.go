package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/store"
)

// credentials returns a user with every field set.
func credentials(id string) account.Credentials {
	return account.Credentials{PasswordHash: "$hash$" + id, User: account.User{
		ID: id, Email: "E." + id + "@Example.com", Username: "N." + id, Role: reqctx.RoleUser,
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

func testAccount(t *testing.T, open Open) {
	t.Run("Users", func(t *testing.T) { t.Parallel(); testUsers(t, open) })
	t.Run("Breached", func(t *testing.T) { t.Parallel(); testBreached(t, open) })
	t.Run("Mailboxes", func(t *testing.T) { t.Parallel(); testMailboxes(t, open) })
	t.Run("Links", func(t *testing.T) { t.Parallel(); testMailLinks(t, open) })
	t.Run("Bounds of links and mails", func(t *testing.T) { t.Parallel(); testMailBounds(t, open) })
	t.Run("Ways", func(t *testing.T) { t.Parallel(); testWays(t, open) })
	t.Run("Factors", func(t *testing.T) { t.Parallel(); testFactors(t, open) })
	t.Run("Passkeys", func(t *testing.T) { t.Parallel(); testPasskeys(t, open) })
	t.Run("Stale", func(t *testing.T) { t.Parallel(); testStale(t, open) })
	t.Run("Sessions", func(t *testing.T) { t.Parallel(); testSessions(t, open) })
	t.Run("Federation", func(t *testing.T) { t.Parallel(); testFederation(t, open) })
	t.Run("Visits", func(t *testing.T) { t.Parallel(); testVisits(t, open) })
	t.Run("Devices", func(t *testing.T) { t.Parallel(); testDevices(t, open) })
	t.Run("Resets", func(t *testing.T) { t.Parallel(); testResets(t, open) })
	t.Run("Administration", func(t *testing.T) { t.Parallel(); testUserAdmin(t, open) })
	t.Run("the set-up token", func(t *testing.T) { t.Parallel(); testSetupToken(t, store.NewAccount(open(t))) })
	t.Run("Transactions", func(t *testing.T) { t.Parallel(); testAccountTx(t, open) })
}

// accountTx is store.Account.InTx or InShortTx.
type accountTx func(*store.Account, context.Context, func(account.Store) error) error

func testAccountTx(t *testing.T, open Open) {
	for name, run := range map[string]accountTx{"InTx": (*store.Account).InTx, "InShortTx": (*store.Account).InShortTx} {
		t.Run(name, func(t *testing.T) { t.Parallel(); testAccountTxBy(t, open, run) })
	}
}

func testAccountTxBy(t *testing.T, open Open, run accountTx) {
	t.Run("undoes everything when fn fails", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		boom := errors.New("boom")
		err := run(s, t.Context(), func(tx account.Store) error {
			return errors.Join(tx.CreateUser(t.Context(), credentials("u1")),
				tx.CreateSession(t.Context(), session("s1", "u1")), boom)
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
		// Each adds a character to what it read, so an overwritten update would be missing.
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
			t.Errorf("%d of %d changes to the user are left", got, n)
		}
		if got := len(sess.Refresh.ID) - len(session("s1", "u1").Refresh.ID); got != n {
			t.Errorf("%d of %d changes to the session are left", got, n)
		}
	})
}
