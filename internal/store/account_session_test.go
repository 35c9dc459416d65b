package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/store"
)

// session returns a session that was refreshed twice in the last seconds.
func session(id, userID string) account.Session {
	return account.Session{
		ID: id, UserID: userID, CreatedAt: T0,
		Level: 2, Methods: []string{"pwd", "otp"}, AuthenticatedAt: T0.Add(time.Millisecond),
		Address: "203.0.113.9", LastAddress: "2001:db8::1", UserAgent: "a program, with spaces",
		Refresh: account.Refresh{ID: "r3." + id, KeyID: "k2", IssuedAt: T0.Add(time.Minute)},
		Replaced: []account.Replaced{
			{Refresh: account.Refresh{ID: "r1." + id, KeyID: "k1", IssuedAt: T0}, At: T0.Add(time.Minute - time.Millisecond)},
			{Refresh: account.Refresh{ID: "r2." + id, KeyID: "k2", IssuedAt: T0.Add(59 * time.Second)}, At: T0.Add(time.Minute)},
		},
	}
}

func mustCreateSession(tb testing.TB, s *store.Account, sess account.Session) account.Session {
	tb.Helper()
	if err := s.CreateSession(tb.Context(), sess); err != nil {
		tb.Fatal(err)
	}
	return sess
}

// withUsers returns a store with the users u1 and u2.
func withUsers(tb testing.TB, open Open) *store.Account {
	tb.Helper()
	s := store.NewAccount(open(tb))
	mustCreateUser(tb, s, credentials("u1"))
	mustCreateUser(tb, s, credentials("u2"))
	return s
}

func mustHaveSessions(tb testing.TB, s *store.Account, userID string, want ...string) {
	tb.Helper()
	list, err := s.ListSessions(tb.Context(), userID, time.Unix(0, 0), 100)
	if err != nil {
		tb.Fatal(err)
	}
	var got []string
	for _, l := range list {
		got = append(got, l.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("sessions of %s (-want +got):\n%s", userID, diff)
	}
}

func testSessions(t *testing.T, open Open) {
	t.Run("Session returns what CreateSession and SaveRefresh stored", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		want := mustCreateSession(t, s, session("s1", "u1"))
		other := mustCreateSession(t, s, session("s2", "u1"))
		got, err := s.Session(t.Context(), "s1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("created: %v (-want +got):\n%s", err, diff)
		}
		want.Refresh = account.Refresh{ID: "r4", KeyID: "k9", IssuedAt: T0.Add(time.Hour)}
		want.Replaced, want.LastAddress = nil, "203.0.113.10"
		if err := s.SaveRefresh(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		for _, want := range []account.Session{want, other} {
			got, err := s.Session(t.Context(), want.ID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("saved: %v (-want +got):\n%s", err, diff)
			}
		}
		alive, err := s.Alive(t.Context(), "s1")
		if err != nil || !alive.ExpiresAt.Equal(want.ExpiresAt()) {
			t.Errorf("Alive after SaveRefresh = %+v, %v; want the new end", alive, err)
		}
	})
	t.Run("sessions that are missing or taken", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		mustCreateSession(t, s, session("s1", "u1"))
		mustBe(t, "CreateSession again", s.CreateSession(t.Context(), session("s1", "u2")), errs.Conflict)
		_, err := s.Session(t.Context(), "s2")
		mustBe(t, "Session", err, errs.NotFound)
		mustBe(t, "SaveRefresh", s.SaveRefresh(t.Context(), session("s2", "u1")), errs.NotFound)
		_, err = s.Alive(t.Context(), "s2")
		mustBe(t, "Alive", err, errs.NotFound)
		mustBe(t, "DeleteSession of an unknown session", s.DeleteSession(t.Context(), "u1", "s2"), errs.NotFound)
		mustBe(t, "DeleteSession of another user's session", s.DeleteSession(t.Context(), "u2", "s1"), errs.NotFound)
		mustHaveSessions(t, s, "u1", "s1")
	})
	t.Run("Alive returns the current state of the user", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		admin := credentials("u3")
		admin.Role = reqctx.RoleAdmin
		mustCreateUser(t, s, admin)
		sess := mustCreateSession(t, s, session("s1", "u3"))
		want := account.Alive{User: admin.User, ExpiresAt: sess.ExpiresAt(), AuthenticatedAt: sess.AuthenticatedAt, Level: 2, Rights: permission.All(), Rules: "1@0"}
		for _, active := range []bool{true, false} {
			if err := s.SetActive(t.Context(), "u3", active); err != nil {
				t.Fatal(err)
			}
			want.User.Active = active
			got, err := s.Alive(t.Context(), "s1")
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("Alive: %v (-want +got):\n%s", err, diff)
			}
		}
	})
	t.Run("ListSessions returns live sessions, last used first, up to the limit", func(t *testing.T) {
		t.Parallel()
		testSessionList(t, withUsers(t, open))
	})
	t.Run("deletions", func(t *testing.T) { t.Parallel(); testSessionDeletion(t, withUsers(t, open)) })
	t.Run("UsersWithExpired returns each user once, a page at a time", func(t *testing.T) {
		t.Parallel()
		testUsersWithExpired(t, withUsers(t, open))
	})
}

func testSessionList(t *testing.T, s *store.Account) {
	for id, age := range map[string]time.Duration{"new": 0, "old": time.Hour, "older": 2 * time.Hour} {
		sess := session(id, "u1")
		sess.Refresh.IssuedAt = T0.Add(-age)
		mustCreateSession(t, s, sess)
	}
	mustCreateSession(t, s, session("other", "u2"))
	end := T0.Add(-2 * time.Hour).Add(account.RefreshLife) // of the oldest
	for _, tt := range []struct {
		now   time.Time
		limit int
		want  []string
	}{
		{end.Add(-time.Millisecond), 5, []string{"new", "old", "older"}},
		{end, 5, []string{"new", "old"}},
		{end, 1, []string{"new"}},
	} {
		list, err := s.ListSessions(t.Context(), "u1", tt.now, tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range list {
			got = append(got, l.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("at %s, limit %d (-want +got):\n%s", tt.now, tt.limit, diff)
		}
	}
}

func testSessionDeletion(t *testing.T, s *store.Account) {
	for _, id := range []string{"a", "b", "c", "d"} {
		mustCreateSession(t, s, session(id, "u1"))
	}
	mustCreateSession(t, s, session("other", "u2"))
	old := session("e", "u1")
	old.Refresh.IssuedAt = T0.Add(-time.Hour)
	mustCreateSession(t, s, old)

	if err := errors.Join(s.DeleteExpired(t.Context(), "u1", old.ExpiresAt().Add(-time.Millisecond)),
		s.DeleteExpired(t.Context(), "u2", old.ExpiresAt())); err != nil {
		t.Fatal(err)
	}
	mustHaveSessions(t, s, "u1", "a", "b", "c", "d", "e")
	err := errors.Join(s.DeleteExpired(t.Context(), "u1", old.ExpiresAt()), s.DeleteSession(t.Context(), "u1", "a"))
	if err != nil {
		t.Fatal(err)
	}
	mustHaveSessions(t, s, "u1", "b", "c", "d")
	if err := s.DeleteSessionsExcept(t.Context(), "u1", "c"); err != nil {
		t.Fatal(err)
	}
	mustHaveSessions(t, s, "u1", "c")
	err = errors.Join(s.DeleteSessionsExcept(t.Context(), "u1", ""), s.DeleteSessionsExcept(t.Context(), "u1", ""))
	if err != nil {
		t.Fatal(err)
	}
	mustHaveSessions(t, s, "u1")
	mustHaveSessions(t, s, "u2", "other")
}

func testUsersWithExpired(t *testing.T, s *store.Account) {
	mustCreateUser(t, s, credentials("u3"))
	for _, id := range []string{"u1", "u2", "u3"} {
		mustCreateSession(t, s, session(id+"-a", id))
		mustCreateSession(t, s, session(id+"-b", id))
	}
	late := session("u2-late", "u2")
	late.Refresh.IssuedAt = T0.Add(time.Hour)
	mustCreateSession(t, s, late)
	over := session("", "").ExpiresAt()
	for _, tt := range []struct {
		now   time.Time
		after string
		limit int
		want  []string
	}{
		{over.Add(-time.Millisecond), "", 10, nil},
		{over, "", 10, []string{"u1", "u2", "u3"}},
		{over, "", 2, []string{"u1", "u2"}},
		{over, "u2", 2, []string{"u3"}},
		{over, "u3", 2, nil},
	} {
		got, err := s.UsersWithExpired(t.Context(), tt.now, tt.after, tt.limit)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("at %s after %q, at most %d: %v (-want +got):\n%s", tt.now, tt.after, tt.limit, err, diff)
		}
	}
}
