package store_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/account/passkey"
	"stoa/internal/base/errs"
	"stoa/internal/store"
)

func testPasskeys(t *testing.T, open Open) {
	t.Run("from the first to the last", func(t *testing.T) { t.Parallel(); testPasskeyRows(t, withUsers(t, open)) })
	t.Run("ceremonies", func(t *testing.T) { t.Parallel(); testCeremonies(t, withUsers(t, open)) })
	t.Run("sessions end with theirs", func(t *testing.T) { t.Parallel(); testSessionsOfPasskeys(t, withUsers(t, open)) })
	t.Run("handles", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		for _, c := range []struct{ user, fresh, want string }{{"u1", "a", "a"}, {"u1", "b", "a"}, {"u2", "c", "c"}} {
			if got, err := s.Handle(t.Context(), c.user, []byte(c.fresh)); err != nil || string(got) != c.want {
				t.Errorf("Handle(%s, %s) = %s, %v", c.user, c.fresh, got, err)
			}
		}
	})
	t.Run("recovery codes since a time", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		must(t, s.PutRecoveryCodes(t.Context(), "u1", []string{"a"}, T0))
		must(t, s.PutRecoveryCodes(t.Context(), "u2", []string{"b"}, T0))
		must(t, s.DeleteRecoveryCodesSince(t.Context(), "u1", T0.Add(time.Millisecond)))
		if f, err := s.SecondFactors(t.Context(), "u1", "example.com"); err != nil || f.RecoveryCodes != 1 {
			t.Errorf("since later: %+v, %v", f, err)
		}
		must(t, s.DeleteRecoveryCodesSince(t.Context(), "u1", T0))
		one, err1 := s.SecondFactors(t.Context(), "u1", "example.com")
		two, err2 := s.SecondFactors(t.Context(), "u2", "example.com")
		if err1 != nil || err2 != nil || one.RecoveryCodes != 0 || two.RecoveryCodes != 1 {
			t.Errorf("%+v, %+v, %v, %v", one, two, err1, err2)
		}
	})
	t.Run("links name their passkey", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		must(t, s.CreateMailToken(t.Context(), account.MailToken{
			Hash: "h", Kind: account.LinkNotMe, UserID: "u1", Passkey: "k1", CreatedAt: T0, ExpiresAt: T0.Add(time.Hour),
		}))
		if got, err := s.MailToken(t.Context(), "h"); err != nil || got.Passkey != "k1" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func testPasskeyRows(t *testing.T, s *store.Account) {
	made := func(id, user string, at time.Time) account.Passkey {
		handle, err := s.Handle(t.Context(), user, []byte("handle of "+user))
		must(t, err)
		return account.Passkey{
			ID: id, UserID: user, Name: "Name " + id, PartyID: "example.com", Handle: handle, CreatedAt: at,
			Credential: passkey.Credential{
				ID: "credential-" + id, PublicKey: []byte{0xa5, 0, 1, 0xff}, Algorithm: passkey.RS256, Counter: 1<<32 - 1,
				AAGUID: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd", BackupEligible: true, Transports: []string{"internal", "hybrid"},
			},
		}
	}
	one, two, other := made("k1", "u1", T0.Add(time.Second)), made("k2", "u1", T0), made("k3", "u2", T0)
	two.Credential.Transports, other.PartyID = nil, "shop.example.com"
	for _, p := range []account.Passkey{one, two, other} {
		must(t, s.CreatePasskey(t.Context(), p))
	}
	again := made("k4", "u2", T0)
	again.Credential.ID = one.Credential.ID
	mustBe(t, "a credential that somebody has", s.CreatePasskey(t.Context(), again), errs.Conflict)
	_, err := s.PasskeyWith(t.Context(), "none")
	mustBe(t, "PasskeyWith of none", err, errs.NotFound)
	is := func(when string, user string, want ...account.Passkey) {
		t.Helper()
		got, err := s.PasskeysOf(t.Context(), user)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", when, err, diff)
		}
		if f, err := s.SecondFactors(t.Context(), user, "example.com"); err != nil || f.Passkeys+f.Foreign != len(want) || f.TOTP {
			t.Errorf("%s: SecondFactors = %+v, %v", when, f, err)
		}
	}
	is("new", "u1", two, one)
	mustBe(t, "RenamePasskey of another user", s.RenamePasskey(t.Context(), "u2", "k1", "Mine"), errs.NotFound)
	must(t, s.RenamePasskey(t.Context(), "u1", "k1", "Phone"))
	must(t, s.UsePasskey(t.Context(), "k1", passkey.Use{Counter: 5, BackedUp: true}, T0.Add(time.Minute)))
	one.Name, one.Credential.Counter, one.Credential.BackedUp, one.LastUsedAt = "Phone", 5, true, T0.Add(time.Minute)
	is("renamed and used", "u1", two, one)
	if got, err := s.PasskeyWith(t.Context(), one.Credential.ID); err != nil || !bytes.Equal(got.Handle, one.Handle) || got.ID != "k1" {
		t.Errorf("PasskeyWith = %+v, %v", got, err)
	}
	for _, c := range []struct {
		user, party   string
		here, foreign int
	}{
		{"u1", "example.com", 2, 0},
		{"u1", "shop.example.com", 0, 2},
		{"u1", "", 0, 2},
		{"u2", "example.com", 0, 1},
		{"u2", "shop.example.com", 1, 0},
	} {
		if f, err := s.SecondFactors(t.Context(), c.user, c.party); err != nil || f.Passkeys != c.here || f.Foreign != c.foreign {
			t.Errorf("SecondFactors(%s, %q) = %+v, %v", c.user, c.party, f, err)
		}
	}
	for party, want := range map[string]int{"example.com": 1, "shop.example.com": 2, "": 3} {
		if n, err := s.ForeignPasskeys(t.Context(), party); err != nil || n != want {
			t.Errorf("ForeignPasskeys(%q) = %d, %v", party, n, err)
		}
	}
	must(t, s.DeletePasskey(t.Context(), "u2", "k1"))
	is("after another user deleted it", "u1", two, one)
	must(t, s.DeletePasskey(t.Context(), "u1", "k1"))
	must(t, s.DeletePasskey(t.Context(), "u1", "k1"))
	is("deleted", "u1", two)
	is("another's", "u2", other)
	must(t, s.RemoveWays(t.Context(), "u1", account.Ways{Factors: true}))
	is("reclaimed", "u1")
	if has, err := s.HasIdentity(t.Context(), "u1"); err != nil || has {
		t.Errorf("HasIdentity = %v, %v", has, err)
	}
}

func testCeremonies(t *testing.T, s *store.Account) {
	since := T0.Add(-passkey.Life)
	kinds := []account.Ceremony{
		{Hash: "a", Kind: account.CeremonyRegister, UserID: "u1", SessionID: "s1", CreatedAt: T0},
		{Hash: "b", Kind: account.CeremonySignIn, CreatedAt: T0},
		{Hash: "c", Kind: account.CeremonySecond, UserID: "u1", SignIn: "ch", CreatedAt: T0},
		{Hash: "d", Kind: account.CeremonyReauth, UserID: "u2", SessionID: "s2", CreatedAt: T0},
	}
	for _, c := range kinds {
		must(t, s.CreateCeremony(t.Context(), c))
	}
	for _, c := range kinds {
		for i, other := range []func(*account.Ceremony){
			func(o *account.Ceremony) { o.Hash = "none" },
			func(o *account.Ceremony) { o.Kind += "x" },
			func(o *account.Ceremony) { o.UserID += "x" },
			func(o *account.Ceremony) { o.SessionID += "x" },
			func(o *account.Ceremony) { o.SignIn += "x" },
		} {
			wrong := c
			other(&wrong)
			mustBe(t, fmt.Sprint("another, ", i), s.TakeCeremony(t.Context(), wrong, since), errs.NotFound)
		}
		mustBe(t, "a late one", s.TakeCeremony(t.Context(), c, T0), errs.NotFound)
		if n := wins(t, func() error { return s.TakeCeremony(t.Context(), c, T0.Add(-time.Millisecond)) }); n != 1 {
			t.Errorf("%d callers took %s", n, c.Kind)
		}
	}
}

func testSessionsOfPasskeys(t *testing.T, s *store.Account) {
	for id, methods := range map[string][]string{
		"alone": {"pky:k1"}, "second": {"pwd", "pky:k1"}, "both": {"pky:k1", "otp"}, "hand": {"pwd", "pky:k1"},
		"other": {"pky:k12"}, "third": {"pky:k"}, "password": {"pwd"},
	} {
		sess := session(id, "u1")
		sess.Methods = methods
		mustCreateSession(t, s, sess)
	}
	foreign := session("foreign", "u2")
	foreign.Methods = []string{"pky:k1"}
	mustCreateSession(t, s, foreign)
	must(t, s.EndSessionsBy(t.Context(), "u1", "pky:k1", "hand"))
	for id, want := range map[string]errs.Kind{
		"alone": errs.NotFound, "second": errs.NotFound, "both": errs.NotFound, "hand": "", "other": "", "third": "",
		"password": "", "foreign": "",
	} {
		_, err := s.Session(t.Context(), id)
		mustBe(t, id, err, want)
	}
}
