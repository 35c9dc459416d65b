package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/account/impersonate"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/store"
)

// impersonation is one of u2 by u1, as it is read.
func impersonation(id string, since time.Time) impersonate.Impersonation {
	return impersonate.Impersonation{
		ID: id, Staff: impersonate.Person{ID: "u1", Name: "N.u1"}, User: impersonate.Person{ID: "u2", Name: "N.u2"},
		Reason: "A reason, “with” 1 line\nand 1 more", Writable: id == "i2", CreatedAt: since, EndsAt: since.Add(time.Millisecond),
	}
}

func testImpersonations(t *testing.T, open Open) {
	t.Run("List selects, counts, and has the latest first", func(t *testing.T) { t.Parallel(); testListImpersonations(t, open) })
	t.Run("the end is noted once", func(t *testing.T) { t.Parallel(); testNoteEnd(t, open) })
	t.Run("a session says who acts in it", func(t *testing.T) { t.Parallel(); testStandInSession(t, open) })
	t.Run("a session ends with the one it began in, and leaves a row of its own", func(t *testing.T) {
		t.Parallel()
		testParentEnds(t, open)
	})
	t.Run("InTx undoes all of it", func(t *testing.T) {
		t.Parallel()

		s, undo := store.NewImpersonations(withUsers(t, open)), errors.New("undo")
		err := s.InTx(t.Context(), func(tx impersonate.Store) error {
			return errors.Join(tx.AddImpersonation(t.Context(), impersonation("i1", T0)),
				tx.CreateSession(t.Context(), session("i1", "u2")), undo)
		})
		if !errors.Is(err, undo) {
			t.Errorf("InTx: %v", err)
		}
		_, err = s.Impersonation(t.Context(), "i1")
		wantKind(t, err, errs.NotFound)
		mustHaveSessions(t, s.Account, "u2")
	})
}

// withImpersonations returns a store with i1 to i3, each a second after the one before. The user of i3 is gone.
func withImpersonations(t *testing.T, open Open) *store.Impersonations {
	t.Helper()
	s := store.NewImpersonations(withUsers(t, open))
	for i := range 3 {
		one := impersonation(fmt.Sprintf("i%d", i+1), T0.Add(time.Duration(i)*time.Second))
		if i == 2 {
			one.User = impersonate.Person{ID: "gone"}
		}
		if err := s.AddImpersonation(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func testListImpersonations(t *testing.T, open Open) {
	s := withImpersonations(t, open)
	got, err := s.Impersonation(t.Context(), "i2")
	if diff := cmp.Diff(impersonation("i2", T0.Add(time.Second)), got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = s.Impersonation(t.Context(), "i9")
	wantKind(t, err, errs.NotFound)
	if _, err := s.NoteEnd(t.Context(), "i2", T0.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		q     impersonate.Query
		want  []string
		total int
	}{
		{"all", impersonate.Query{Limit: 9}, []string{"i3", "i2", "i1"}, 3},
		{"a page", impersonate.Query{Limit: 1, Offset: 1}, []string{"i2"}, 3},
		{"behind the end", impersonate.Query{Limit: 9, Offset: 3}, nil, 3},
		{"of a user", impersonate.Query{UserID: "u2", Limit: 9}, []string{"i2", "i1"}, 2},
		{"by a user", impersonate.Query{UserID: "u1", Limit: 9}, nil, 0},
		{"open", impersonate.Query{Open: true, Limit: 9}, []string{"i3", "i1"}, 2},
		{"open, of a user", impersonate.Query{UserID: "u2", Open: true, Limit: 9}, []string{"i1"}, 1},
	} {
		list, total, err := s.ListImpersonations(t.Context(), tt.q)
		var ids []string
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		if !slices.Equal(ids, tt.want) || total != tt.total || err != nil {
			t.Errorf("%s: %q of %d, %v; want %q of %d", tt.name, ids, total, err, tt.want, tt.total)
		}
	}
	if gone, err := s.Impersonation(t.Context(), "i3"); err != nil || gone.User != (impersonate.Person{ID: "gone"}) {
		t.Errorf("whoever is gone is %+v, %v", gone.User, err)
	}
}

func testNoteEnd(t *testing.T, open Open) {
	s := withImpersonations(t, open)
	for i, want := range []bool{true, false} {
		first, err := s.NoteEnd(t.Context(), "i1", T0.Add(time.Duration(i+1)*time.Minute))
		if first != want || err != nil {
			t.Errorf("the %d. note: %t, %v", i+1, first, err)
		}
	}
	if first, err := s.NoteEnd(t.Context(), "i9", T0); first || err != nil {
		t.Errorf("of none: %t, %v", first, err)
	}
	if one, err := s.Impersonation(t.Context(), "i1"); err != nil || !one.EndedAt.Equal(T0.Add(time.Minute)) {
		t.Errorf("it ended at %s, %v", one.EndedAt, err)
	}
	if _, err := s.NoteEnd(t.Context(), "i2", T0.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteImpersonations(t.Context(), T0.Add(time.Second)); err != nil { // when i2 began
		t.Fatal(err)
	}
	if err := s.DeleteImpersonations(t.Context(), T0.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if list, _, err := s.ListImpersonations(t.Context(), impersonate.Query{Limit: 9}); err != nil || len(list) != 1 || list[0].ID != "i3" {
		t.Errorf("those are left that have not ended: %+v, %v", list, err)
	}
}

// standIn returns a session of u2 in which u1 acts, begun in the session p.
func standIn(id string) account.Session {
	s := session(id, "u2")
	s.EndsAt = T0.Add(time.Minute)
	s.StandIn = account.StandIn{ID: "u1", Parent: "p", Writable: true}
	return s
}

func testStandInSession(t *testing.T, open Open) {
	s := withUsers(t, open)
	mustCreateSession(t, s, session("p", "u1"))
	want := mustCreateSession(t, s, standIn("i"))
	want.StandIn.Name = "N.u1"
	if got, err := s.Session(t.Context(), "i"); err != nil || got.StandIn != want.StandIn || !got.EndsAt.Equal(want.EndsAt) {
		t.Errorf("Session = %+v until %s, %v", got.StandIn, got.EndsAt, err)
	}
	if err := s.SetRole(t.Context(), "u1", "SUPPORT"); err != nil {
		t.Fatal(err)
	}
	alive, err := s.Alive(t.Context(), "i")
	if err != nil || alive.User.ID != "u2" || alive.StandIn.ID != "u1" || !alive.StandIn.Writable || alive.StandInRole != "SUPPORT" {
		t.Errorf("Alive = %+v, %v", alive, err)
	}
	if !alive.StandInRights.Has(permission.Impersonate) || alive.StandInRights.Has(permission.ImpersonateToWrite) || alive.Rights.Has(permission.Impersonate) {
		t.Errorf("who acts may %v, the user %v", alive.StandInRights, alive.Rights)
	}
	if err := s.SetRole(t.Context(), "u1", reqctx.RoleUser); err != nil {
		t.Fatal(err)
	}
	if alive, err = s.Alive(t.Context(), "i"); err != nil || alive.StandInRights.Has(permission.Impersonate) {
		t.Errorf("after the demotion: %v, %v", alive.StandInRights, err)
	}
	if own, err := s.Alive(t.Context(), "p"); err != nil || own.StandIn.Any() {
		t.Errorf("nobody else acts in a session of one's own: %+v, %v", own.StandIn, err)
	}
}

func testParentEnds(t *testing.T, open Open) {
	db := open(t)
	s, l := store.NewAccount(db), newLive(t, db)
	for _, id := range []string{"u1", "u2"} {
		mustCreateUser(t, s, credentials(id))
	}
	mustCreateSession(t, s, session("p", "u1"))
	mustCreateSession(t, s, session("own", "u2"))
	mustCreateSession(t, s, standIn("i"))
	if err := s.DeleteSession(t.Context(), "u1", "p"); err != nil {
		t.Fatal(err)
	}
	mustHaveSessions(t, s, "u2", "own")
	changes, err := l.Changes(t.Context(), "me", 1)
	var ended []string
	for _, row := range changes.Rows {
		ended = append(ended, row.Session+" of "+row.User)
	}
	slices.Sort(ended)
	if want := []string{"i of u2", "p of u1"}; !slices.Equal(ended, want) || err != nil {
		t.Errorf("replicas are told of %q, %v; want %q", ended, err, want)
	}
}
