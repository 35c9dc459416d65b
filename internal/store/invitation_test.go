package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/account/invite"
	"stoa/internal/account/mailbox"
	"stoa/internal/base/errs"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

// invitationTo returns an invitation with something in every field. u1 is who made it.
func invitationTo(id, email string, at time.Time) invite.Invitation {
	return invite.Invitation{
		ID: id, Email: email, Role: "SUPPORT", Inviter: audit.Actor{Kind: audit.User, ID: "u1", Name: credentials("u1").Username},
		Printed: true, Hash: "hash of " + id, CreatedAt: at, ExpiresAt: at.Add(72 * time.Hour),
	}
}

func mustInvite(tb testing.TB, s invite.Store, list ...invite.Invitation) {
	tb.Helper()
	for _, in := range list {
		if err := s.CreateInvitation(tb.Context(), in); err != nil {
			tb.Fatal(err)
		}
	}
}

func testInvitations(t *testing.T, open Open) {
	t.Run("An open one is found by id, link and mailbox", func(t *testing.T) {
		t.Parallel()

		s := store.Invitations{Account: withUsers(t, open)}
		want := invitationTo("i1", "Ada@BÜCHER.example", T0)
		mustInvite(t, s, want)
		for name, find := range map[string]func() (invite.Invitation, error){
			"Invitation":       func() (invite.Invitation, error) { return s.Invitation(t.Context(), "i1") },
			"InvitationByLink": func() (invite.Invitation, error) { return s.InvitationByLink(t.Context(), want.Hash) },
			"InvitationTo": func() (invite.Invitation, error) {
				return s.InvitationTo(t.Context(), mailbox.Key("ada@xn--bcher-kva.example"))
			},
		} {
			if got, err := find(); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s = %v\n%s", name, err, cmp.Diff(want, got))
			}
		}
		// Names are those of users only, as they are now.
		other := invitationTo("i2", "eve@example.com", T0)
		other.Inviter = audit.Actor{Kind: audit.Service, ID: "u1"}
		mustInvite(t, s, other)
		if got, err := s.Invitation(t.Context(), "i2"); err != nil || got.Inviter != other.Inviter {
			t.Errorf("a service's = %+v, %v", got.Inviter, err)
		}
		_, err := s.Invitation(t.Context(), "i9")
		mustBe(t, "an unknown one", err, errs.NotFound)
		_, err = s.InvitationByLink(t.Context(), "")
		mustBe(t, "one without a link", err, errs.NotFound)
	})
	t.Run("HasLink knows links of invitations that work", func(t *testing.T) {
		t.Parallel()

		s := store.Invitations{Account: withUsers(t, open)}
		for hash, kind := range map[string]account.LinkKind{"an invitation's": account.LinkInvite, "another's": account.LinkSignUp} {
			link := account.MailToken{Hash: hash, Kind: kind, Address: "ada@example.com", CreatedAt: T0, ExpiresAt: T0.Add(time.Hour)}
			if err := s.CreateMailToken(t.Context(), link); err != nil {
				t.Fatal(err)
			}
		}
		end := T0.Add(time.Hour)
		for _, tt := range []struct {
			hash string
			at   time.Time
			want bool
		}{
			{"an invitation's", T0, true},
			{"an invitation's", end.Add(-time.Millisecond), true},
			{"an invitation's", end, false},
			{"another's", T0, false},
			{"nobody's", T0, false},
		} {
			if got, err := s.HasLink(t.Context(), tt.hash, tt.at); got != tt.want || err != nil {
				t.Errorf("HasLink(%s, %v) = %t, %v", tt.hash, tt.at, got, err)
			}
		}
	})
	t.Run("SetUsername", func(t *testing.T) { t.Parallel(); testSetUsername(t, withUsers(t, open)) })
	testInvitationLists(t, open)
	testInvitationEnds(t, open)
}

func testInvitationEnds(t *testing.T, open Open) {
	t.Run("CloseInvitation closes once", func(t *testing.T) {
		t.Parallel()

		s := store.Invitations{Account: withUsers(t, open)}
		for _, how := range []invite.Closing{invite.Accepted, invite.Revoked} {
			in := invitationTo(string(how), "ada@example.com", T0)
			mustInvite(t, s, in)
			if err := s.CloseInvitation(t.Context(), in.ID, how, T0); err != nil {
				t.Fatal(err)
			}
			mustBe(t, "again", s.CloseInvitation(t.Context(), in.ID, invite.Revoked, T0), errs.NotFound)
			_, err := s.InvitationByLink(t.Context(), in.Hash)
			mustBe(t, "its link", err, errs.NotFound)
			_, err = s.InvitationTo(t.Context(), mailbox.Key(in.Email))
			mustBe(t, "its mailbox", err, errs.NotFound)
		}
		if list, total, err := s.ListInvitations(t.Context(), 10, 0); err != nil || total != 0 || len(list) != 0 {
			t.Errorf("ListInvitations = %v, %d, %v", list, total, err)
		}
	})
	t.Run("A role is offered until the invitation ends", func(t *testing.T) {
		t.Parallel()

		a := withUsers(t, open)
		s, roles := store.Invitations{Account: a}, store.NewStaff(a)
		in := invitationTo("i1", "a@example.com", T0)
		mustInvite(t, s, in)
		for _, tt := range []struct {
			role string
			at   time.Time
			want bool
		}{
			{"SUPPORT", in.ExpiresAt.Add(-time.Millisecond), true}, {"SUPPORT", in.ExpiresAt, false}, {"CATALOG", T0, false},
		} {
			if got, err := roles.IsOffered(t.Context(), tt.role, tt.at); err != nil || got != tt.want {
				t.Errorf("IsOffered(%s, %s) = %t, %v", tt.role, tt.at, got, err)
			}
		}
		if err := s.CloseInvitation(t.Context(), "i1", invite.Revoked, T0); err != nil {
			t.Fatal(err)
		}
		if got, err := roles.IsOffered(t.Context(), "SUPPORT", T0); err != nil || got {
			t.Errorf("a revoked one offers: %t, %v", got, err)
		}
	})
	t.Run("DeleteStale keeps them for 30 days", func(t *testing.T) {
		t.Parallel()

		s := store.Invitations{Account: withUsers(t, open)}
		in := invitationTo("i1", "a@example.com", T0)
		mustInvite(t, s, in)
		end := in.ExpiresAt.Add(30 * 24 * time.Hour)
		for _, tt := range []struct {
			at   time.Time
			want errs.Kind
		}{{end.Add(-time.Millisecond), ""}, {end, errs.NotFound}} {
			if err := s.DeleteStale(t.Context(), tt.at); err != nil {
				t.Fatal(err)
			}
			_, err := s.Invitation(t.Context(), "i1")
			mustBe(t, "at "+tt.at.String(), err, tt.want)
		}
	})
}

func testSetUsername(t *testing.T, a *store.Account) {
	if err := a.SetUsername(t.Context(), "u1", "Another"); err != nil {
		t.Fatal(err)
	}
	if c, err := a.User(t.Context(), "u1"); err != nil || c.Username != "Another" {
		t.Errorf("it is %s, %v", c.Username, err)
	}
	mustBe(t, "a taken name", a.SetUsername(t.Context(), "u2", "aNOTHER"), errs.Conflict)
	mustBe(t, "of nobody", a.SetUsername(t.Context(), "u9", "nobody"), errs.NotFound)
}

func testInvitationLists(t *testing.T, open Open) {
	t.Run("ListInvitations has pages, the newest first", func(t *testing.T) {
		t.Parallel()

		s := store.Invitations{Account: withUsers(t, open)}
		mustInvite(t, s, invitationTo("i1", "a@example.com", T0), invitationTo("i2", "b@example.com", T0.Add(time.Second)),
			invitationTo("i3", "c@example.com", T0))
		var got []string
		for offset := range 3 {
			list, total, err := s.ListInvitations(t.Context(), 1, offset)
			if err != nil || total != 3 || len(list) != 1 {
				t.Fatalf("ListInvitations = %v, %d, %v", list, total, err)
			}
			got = append(got, list[0].ID)
		}
		if want := []string{"i2", "i1", "i3"}; !cmp.Equal(got, want) {
			t.Errorf("they are %v, want %v", got, want)
		}
	})
	t.Run("In is part of the transaction of accounts", func(t *testing.T) {
		t.Parallel()

		s := store.Invitations{Account: withUsers(t, open)}
		undo := errors.New("undo")
		err := s.Account.InTx(t.Context(), func(tx account.Store) error {
			mustInvite(t, s.In(tx), invitationTo("i1", "a@example.com", T0))
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
		_, err = s.Invitation(t.Context(), "i1")
		mustBe(t, "what was undone", err, errs.NotFound)
	})
}
