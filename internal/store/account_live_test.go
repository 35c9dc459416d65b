package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/live"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/store"
)

func newLive(tb testing.TB, db *database.DB) *store.Live {
	tb.Helper()
	l, err := store.NewLive(tb.Context(), db)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// Everything that ends a session or changes what a request sees of a user leaves rows, whoever does it.
func testRevocations(t *testing.T, open Open) {
	db := open(t)
	s, l := store.NewAccount(db), newLive(t, db)
	mustCreateUser(t, s, credentials("u1"))
	mustCreateUser(t, s, credentials("u2"))
	for _, id := range []string{"a", "b", "c", "d"} {
		if err := s.CreateSession(t.Context(), session(id, "u1")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CreateSession(t.Context(), session("e", "u2")); err != nil {
		t.Fatal(err)
	}
	undone := errors.New("undone")
	number := int64(1)
	for _, tt := range []struct {
		name string
		do   func(ctx context.Context) error
		want string
	}{
		{"a refresh", func(ctx context.Context) error { return s.SaveRefresh(ctx, session("a", "u1")) }, "[]"},
		{"a new hash", func(ctx context.Context) error { return s.SetPassword(ctx, "u1", "h") }, "[]"},
		{"the same role", func(ctx context.Context) error { return s.SetRole(ctx, "u1", credentials("u1").Role) }, "[]"},
		{"one session", func(ctx context.Context) error { return s.DeleteSession(ctx, "u1", "a") }, "[{2 a u1}]"},
		{"a role", func(ctx context.Context) error { return s.SetRole(ctx, "u1", reqctx.RoleAdmin) }, "[{3  u1}]"},
		{"a state", func(ctx context.Context) error { return s.SetActive(ctx, "u1", false) }, "[{4  u1}]"},
		{"what is undone", func(ctx context.Context) error {
			err := s.InTx(ctx, func(tx account.Store) error {
				return errors.Join(tx.DeleteSession(ctx, "u1", "b"), undone)
			})
			if errors.Is(err, undone) {
				err = nil
			}
			return err
		}, "[]"},
		{"the others", func(ctx context.Context) error { return s.DeleteSessionsExcept(ctx, "u1", "d") }, "[{5 b u1} {6 c u1}]"},
		{"a level", set(db, `UPDATE sessions SET level = 1 WHERE id = 'd'`), "[{7 d u1}]"},
		{"an end", set(db, `UPDATE sessions SET ends_at_ms = 1 WHERE id = 'd'`), "[{8 d u1}]"},
		{"the same end", set(db, `UPDATE sessions SET ends_at_ms = 1, last_address = 'x' WHERE id = 'd'`), "[]"},
		{"a proof to be there", func(ctx context.Context) error { return s.SetReauthenticated(ctx, "d", T0) }, "[]"},
		{"a proven mailbox", set(db, `UPDATE users SET email_proven_at_ms = 1 WHERE id = 'u1'`), "[{9  u1}]"},
		{"a planned deletion", set(db, `UPDATE users SET deletion_at_ms = 1 WHERE id = 'u1'`), "[{10  u1}]"},
		{"a generation", func(ctx context.Context) error { return s.RaiseGeneration(ctx, "u1") }, "[]"},
		{"a removed user", func(ctx context.Context) error {
			_, err := db.Conn().Write.ExecContext(ctx, `DELETE FROM users WHERE id = 'u2'`)
			return err
		}, "of u2"},
	} {
		if err := tt.do(t.Context()); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		news, err := l.Changes(t.Context(), "me", number)
		if err != nil || !news.Whole || news.Number != number+int64(len(news.Rows)) {
			t.Fatalf("%s: %+v, %v", tt.name, news, err)
		}
		number = news.Number
		if tt.want == "of u2" { // in either order
			rows := map[string]bool{}
			for _, r := range news.Rows {
				rows[r.Session+r.User] = true
			}
			if len(rows) != 2 || !rows["eu2"] || !rows["u2"] {
				t.Errorf("%s left %v", tt.name, news.Rows)
			}
		} else if got := fmt.Sprint(news.Rows); got != tt.want {
			t.Errorf("%s left %s, want %s", tt.name, got, tt.want)
		}
	}
	for range 1001 {
		_ = s.SetActive(t.Context(), "u1", true)
		_ = s.SetActive(t.Context(), "u1", false)
	}
	news, err := l.Changes(t.Context(), "me", number)
	if err != nil || news.Whole || len(news.Rows) != 1000 || news.Number != number+2002 {
		t.Errorf("of 2002 rows: %d, whole: %t, number %d, %v", len(news.Rows), news.Whole, news.Number, err)
	}
	if news, err = l.Changes(t.Context(), "me", news.Number-1000); err != nil || !news.Whole {
		t.Errorf("1000 rows: whole: %t, %v", news.Whole, err)
	}
}

func set(db *database.DB, query string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := db.Conn().Write.ExecContext(ctx, query)
		return err
	}
}

// Who has to be told that sessions ended is told after the commit, and before the method returns.
func testSettling(t *testing.T, open Open) {
	db := open(t)
	s, l := store.NewAccount(db), newLive(t, db)
	mustCreateUser(t, s, credentials("u1"))
	for _, id := range []string{"a", "b"} {
		if err := s.CreateSession(t.Context(), session(id, "u1")); err != nil {
			t.Fatal(err)
		}
	}
	var seen []int64
	s.OnEnd(func(ctx context.Context) {
		news, err := l.Changes(ctx, "me", 0)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, news.Number)
	})
	ctx := t.Context()
	_ = s.DeleteSession(ctx, "u1", "a")
	_ = s.InTx(ctx, func(tx account.Store) error {
		return errors.Join(tx.SetActive(ctx, "u1", false), tx.SetRole(ctx, "u1", reqctx.RoleAdmin), tx.DeleteSessionsExcept(ctx, "u1", ""))
	})
	_ = s.InShortTx(ctx, func(tx account.Store) error { return tx.SetActive(ctx, "u1", true) })
	_ = s.InTx(ctx, func(tx account.Store) error { return tx.SetPassword(ctx, "u1", "h") })
	_ = s.InTx(ctx, func(tx account.Store) error {
		tx.Settle(ctx)
		return errors.New("there is nothing to end")
	})
	if got := fmt.Sprint(seen); got != "[2 5 6 6]" {
		t.Errorf("told after the rows %s", got)
	}
}

// How far each process is. On SQLite one process at most may remember sessions, and others see that.
func testReaders(t *testing.T, open Open) {
	db := open(t)
	a, b := newLive(t, db), newLive(t, db)
	ctx := t.Context()
	must := func(what string, got bool, err error, want bool) {
		t.Helper()
		if got != want || err != nil {
			t.Errorf("%s: %t, %v; want %t", what, got, err, want)
		}
	}
	sqlite := db.Engine() == "sqlite"
	behind := func(l *store.Live, reader string, number int64, want bool) {
		t.Helper()
		got, err := l.Behind(ctx, reader, number)
		must(reader+" finds others behind", got, err, want)
	}
	behind(a, "a", 5, false)
	ok, err := a.Join(ctx, "a")
	must("a joins", ok, err, true)
	behind(a, "a", 5, false)
	behind(b, "b", 5, true)
	ok, err = b.Join(ctx, "b")
	must("b joins", ok, err, !sqlite)
	ok, err = a.Took(ctx, "a", 5)
	must("a is known", ok, err, true)
	ok, err = b.Took(ctx, "b", 4)
	must("b is known", ok, err, !sqlite)
	news, err := a.Changes(ctx, "a", 1)
	must("a is known", news.Known && (sqlite || news.Taken == 5), err, true)
	behind(b, "b", 5, sqlite) // which never tells what it has taken
	behind(a, "a", 5, !sqlite)
	behind(a, "a", 4, false)
	if err := a.Drop(ctx, "a", 5); err != nil {
		t.Error(err)
	}
	behind(a, "a", 9, false)
	ok, err = b.Took(ctx, "b", 6)
	must("b is known after it was dropped", ok, err, false)
	news, err = b.Changes(ctx, "b", 1)
	must("b is known after it was dropped", news.Known, err, false)
	if err := errors.Join(a.Leave(ctx, "a"), a.Leave(ctx, "a")); err != nil {
		t.Error(err)
	}
	behind(b, "b", 9, false)
	ok, err = b.Join(ctx, "b")
	must("b joins", ok, err, true)
	if err := b.Leave(ctx, "b"); err != nil {
		t.Error(err)
	}
}

var _ live.Log = (*store.Live)(nil)
