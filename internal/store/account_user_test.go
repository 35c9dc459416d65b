package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/store"
)

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
		_, err = s.User(t.Context(), "u3")
		mustBe(t, "User of an unknown id", err, errs.NotFound)
		testByAddress(t, s, want)
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
	t.Run("SetPasswordOnce holds until SetPassword", func(t *testing.T) { t.Parallel(); testPasswordOnce(t, store.NewAccount(open(t))) })
	t.Run("HasAdmin looks for active administrators", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		admin := credentials("u2")
		admin.Role = reqctx.RoleAdmin
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

func testUserAdmin(t *testing.T, open Open) {
	t.Run("ListUsers returns whole users, the newest first", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		old, b, c := credentials("a"), credentials("b"), credentials("c")
		old.CreatedAt = T0.Add(-time.Hour)
		for _, u := range []account.Credentials{b, old, c} {
			mustCreateUser(t, s, u)
		}
		got, total, err := s.ListUsers(t.Context(), account.UserQuery{Limit: 10})
		if diff := cmp.Diff([]account.User{c.User, b.User, old.User}, got); err != nil || total != 3 || diff != "" {
			t.Errorf("ListUsers: total %d, %v (-want +got):\n%s", total, err, diff)
		}
		got, total, err = s.ListUsers(t.Context(), account.UserQuery{Limit: 2, Offset: 2})
		if err != nil || total != 3 || len(got) != 1 || got[0].ID != "a" {
			t.Errorf("second page = %+v of %d, %v; want a of 3", got, total, err)
		}
	})
	t.Run("ListUsers filters", func(t *testing.T) { t.Parallel(); testUserFilters(t, open) })
	t.Run("SetRole changes one field", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		want := mustCreateUser(t, s, credentials("u1"))
		want.Role = reqctx.RoleAdmin
		if err := s.SetRole(t.Context(), "u1", reqctx.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		got, err := s.User(t.Context(), "u1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("User: %v (-want +got):\n%s", err, diff)
		}
		mustBe(t, "SetRole of nobody", s.SetRole(t.Context(), "u2", reqctx.RoleUser), errs.NotFound)
	})
	t.Run("LockAdmins returns active administrators only, sorted", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		for id, change := range map[string]func(*account.Credentials){
			"b": func(c *account.Credentials) { c.Role = reqctx.RoleAdmin },
			"a": func(c *account.Credentials) { c.Role = reqctx.RoleAdmin },
			"c": func(c *account.Credentials) { c.Role, c.Active = reqctx.RoleAdmin, false },
			"d": func(*account.Credentials) {},
		} {
			c := credentials(id)
			change(&c)
			mustCreateUser(t, s, c)
		}
		if got, err := s.LockAdmins(t.Context()); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("LockAdmins = %q, %v; want a and b", got, err)
		}
	})
	t.Run("LockAdmins waits for other transactions that called it, and sees their changes", func(t *testing.T) {
		t.Parallel()
		testLockAdmins(t, open)
	})
}

func testUserFilters(t *testing.T, open Open) {
	s := store.NewAccount(open(t))
	for i, u := range []struct {
		email, name string
		role        reqctx.Role
		active      bool
	}{
		{"Ann@example.com", "Queen_A", reqctx.RoleAdmin, true},
		{"bob@example.com", "straße", reqctx.RoleUser, false},
		{"100%@example.org", "qxeen", reqctx.RoleUser, true},
	} {
		c := credentials(fmt.Sprint(i))
		c.Email, c.Username, c.Role, c.Active = u.email, u.name, u.role, u.active
		c.CreatedAt = T0.Add(time.Duration(i) * time.Second)
		mustCreateUser(t, s, c)
	}
	yes, no := true, false
	for _, tt := range []struct {
		name string
		q    account.UserQuery
		want string
	}{
		{"part of an address, in any case", account.UserQuery{Search: "aNN@EX"}, "0"},
		{"part of a name, with Unicode case folding", account.UserQuery{Search: "STRASSE"}, "1"},
		{"part of either", account.UserQuery{Search: "example"}, "210"},
		{"a percent sign is itself", account.UserQuery{Search: "%"}, "2"},
		{"an underscore is itself", account.UserQuery{Search: "q_een"}, ""},
		{"an underscore is found", account.UserQuery{Search: "queen_"}, "0"},
		{"a backslash is itself", account.UserQuery{Search: `\`}, ""},
		{"a tilde is itself", account.UserQuery{Search: `~`}, ""},
		{"a quote is itself", account.UserQuery{Search: `'`}, ""},
		{"by role", account.UserQuery{Role: reqctx.RoleUser}, "21"},
		{"the active", account.UserQuery{Active: &yes}, "20"},
		{"the inactive", account.UserQuery{Active: &no}, "1"},
		{"all at once", account.UserQuery{Search: "example", Role: reqctx.RoleUser, Active: &yes}, "2"},
	} {
		tt.q.Limit = 10
		list, total, err := s.ListUsers(t.Context(), tt.q)
		got := ""
		for _, u := range list {
			got += u.ID
		}
		if err != nil || got != tt.want || total != len(tt.want) {
			t.Errorf("%s: %q of %d, %v; want %q", tt.name, got, total, err, tt.want)
		}
	}
}

// Each transaction demotes one administrator while there are two or more: exactly
// one must remain. From the second round on, the connections are open, so all
// transactions start together.
func testLockAdmins(t *testing.T, open Open) {
	s := store.NewAccount(open(t))
	ids := []string{"a", "b", "c", "d", "e", "f"}
	for _, id := range ids {
		mustCreateUser(t, s, credentials(id))
	}
	for range 4 {
		for _, id := range ids {
			if err := s.SetRole(t.Context(), id, reqctx.RoleAdmin); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for _, id := range ids {
			wg.Go(func() {
				err := s.InTx(t.Context(), func(tx account.Store) error {
					admins, err := tx.LockAdmins(t.Context())
					if err != nil || len(admins) < 2 {
						return err
					}
					return tx.SetRole(t.Context(), id, reqctx.RoleUser)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if left, err := s.LockAdmins(t.Context()); err != nil || len(left) != 1 {
			t.Fatalf("administrators left: %q, %v; want one", left, err)
		}
	}
}

func testPasswordOnce(t *testing.T, s *store.Account) {
	t.Helper()
	mustCreateUser(t, s, credentials("u1"))
	other := mustCreateUser(t, s, credentials("u2"))
	for i, do := range []func() error{
		func() error { return s.SetPasswordOnce(t.Context(), "u1") },
		func() error { return s.SetPassword(t.Context(), "u1", "new") },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if got, err := s.User(t.Context(), "u1"); err != nil || got.PasswordOnce != (i == 0) {
			t.Errorf("step %d: once is %v, %v", i, got.PasswordOnce, err)
		}
		got, err := s.User(t.Context(), "u2")
		if diff := cmp.Diff(other, got); err != nil || diff != "" {
			t.Errorf("step %d: another user: %v (-want +got):\n%s", i, err, diff)
		}
	}
	mustBe(t, "SetPasswordOnce of nobody", s.SetPasswordOnce(t.Context(), "u3"), errs.NotFound)
}

// testByAddress checks that want is found by the address e.u1@example.com, and nobody by another.
func testByAddress(t *testing.T, s *store.Account, want account.Credentials) {
	t.Helper()
	got, err := s.UserByEmail(t.Context(), account.Key("e.U1@EXAMPLE.COM"))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("UserByEmail: %v (-want +got):\n%s", err, diff)
	}
	got, err = s.Candidate(t.Context(), account.Key("e.U1@EXAMPLE.COM"))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Candidate: %v (-want +got):\n%s", err, diff)
	}
	if got, err = s.Candidate(t.Context(), "nobody@example.com"); err != nil || got.ID != "" || got.PasswordHash != "" {
		t.Errorf("Candidate of nobody = %+v, %v", got, err)
	}
}
