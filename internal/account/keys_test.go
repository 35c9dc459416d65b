package account_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/account/token"
	"stoa/internal/base/errs"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/trust/keyring"
)

func mustRotate(tb testing.TB, s *account.Service, atOnce bool) keyring.Rotation {
	tb.Helper()
	r, err := s.Ring.Rotate(tb.Context(), atOnce)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := s.PluginRing.Rotate(tb.Context(), atOnce); err != nil {
		tb.Fatal(err)
	}
	return r
}

// The keys of plugins' tokens sign nothing else, and no other key signs those (contract 7.1).
func TestKeysOfPluginTokensAreApartFromUsers(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, _ *account.Service, _ *clocktest.Clock) {
		sign := func(ring *keyring.Ring, kind token.Kind, claims token.Claims) string {
			key, err := ring.Signer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			claims.ID, claims.IssuedAt, claims.ExpiresAt = "forged", t0, t0.Add(time.Minute)
			raw, err := token.Sign(key, kind, claims)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		plugin := token.Claims{Subject: "installation-1"}
		if _, err := a.VerifyPluginToken(t.Context(), sign(a.PluginRing, token.Plugin, plugin)); err != nil {
			t.Fatalf("a plugin token of the right key = %v", err)
		}
		if _, err := a.VerifyPluginToken(t.Context(), sign(a.Ring, token.Plugin, plugin)); !errors.Is(err, account.ErrPluginToken) {
			t.Errorf("a plugin token signed with a key for users' tokens = %v, want ErrPluginToken", err)
		}
		ada := mustRegister(t, a, "ada")
		session, err := a.Authenticate(t.Context(), ada.Access)
		if err != nil {
			t.Fatal(err)
		}
		user := token.Claims{UserID: session.UserID, SessionID: session.SessionID, Role: "ADMIN"}
		if _, err := a.Authenticate(t.Context(), sign(a.PluginRing, token.Access, user)); !errors.Is(err, account.ErrToken) {
			t.Errorf("an access token signed with a key for plugin tokens = %v, want ErrToken", err)
		}
		published, err := a.Ring.PublicKeys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		key, err := a.PluginRing.Signer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range published {
			if k.Equal(key.Public()) {
				t.Error("the JWKS has a key that signs plugin tokens")
			}
		}
	})
}

func TestOtherReplicasTakeTokensRightAfterTwoRotations(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		for i := range 3 {
			mustRotate(t, a, true)
			mustRotate(t, a, true)
			raw, _, err := a.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: "installation-1"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.VerifyPluginToken(t.Context(), raw); err != nil {
				t.Errorf("round %d: VerifyPluginToken = %v at the other replica", i, err)
			}
		}
	})
}

func TestPluginTokens(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		raw, expires, err := a.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: "installation-1"})
		if err != nil || !expires.Equal(t0.Truncate(time.Second).Add(10*time.Minute)) {
			t.Fatalf("IssuePluginToken: %v, expires %s", err, expires)
		}
		if got, err := b.VerifyPluginToken(t.Context(), raw); got.InstallationID != "installation-1" || err != nil {
			t.Errorf("VerifyPluginToken = %+v, %v", got, err)
		}
		user := mustRegister(t, a, "ada")
		for name, other := range map[string]string{"access": user.Access, "refresh": user.Refresh, "none": ""} {
			if got, err := a.VerifyPluginToken(t.Context(), other); got.InstallationID != "" || errs.KindOf(err) != errs.Unauthenticated {
				t.Errorf("VerifyPluginToken of %s token = %+v, %v; want ErrPluginToken", name, got, err)
			}
		}
		if _, err := a.Authenticate(t.Context(), raw); !errors.Is(err, account.ErrToken) {
			t.Errorf("Authenticate with a plugin token = %v, want ErrToken", err)
		}
		if _, err := a.Refresh(t.Context(), raw); !errors.Is(err, account.ErrRefresh) {
			t.Errorf("Refresh with a plugin token = %v, want ErrRefresh", err)
		}
		c.Advance(11 * time.Minute)
		if _, err := a.VerifyPluginToken(t.Context(), raw); !errors.Is(err, account.ErrPluginToken) {
			t.Errorf("VerifyPluginToken of an old token = %v, want ErrPluginToken", err)
		}
	})
}

// A hook's token works until its delivery ends, to the second, and says what it is for.
func TestTokensOfHooks(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		c.Advance(300 * time.Millisecond)
		want := account.PluginToken{
			InstallationID: "installation-1", OnChannel: true, Hook: "d-1", Permissions: []string{"storage:read", "users:read"},
		}
		asked := want
		asked.Life, asked.Enabling = 10*time.Second, 7
		raw, expires, err := a.IssuePluginToken(t.Context(), asked)
		if err != nil || !expires.Equal(t0.Truncate(time.Second).Add(11*time.Second)) {
			t.Fatalf("IssuePluginToken: %v, expires %s", err, expires)
		}
		got, err := b.VerifyPluginToken(t.Context(), raw)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("VerifyPluginToken: %v (-want +got)\n%s", err, diff)
		}
		c.Advance(11*time.Second + token.Leeway)
		if _, err := a.VerifyPluginToken(t.Context(), raw); !errors.Is(err, account.ErrPluginToken) {
			t.Errorf("after its time: %v, want ErrPluginToken", err)
		}
	})
}

func TestTokensOutliveTheKeyThatSignedThem(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		old := mustRegister(t, a, "ada")
		plugin, _, err := a.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: "installation-1"})
		if err != nil {
			t.Fatal(err)
		}
		// One was refreshed just before the rotation: its successor is made again
		// with the key of then.
		before, err := a.Refresh(t.Context(), mustLogin(t, a, "ada").Refresh)
		if err != nil {
			t.Fatal(err)
		}
		lost := mustLogin(t, a, "ada")
		answer, err := a.Refresh(t.Context(), lost.Refresh)
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(account.RefreshGrace / 2)
		mustRotate(t, a, true)
		mustRotate(t, a, true)
		for name, s := range map[string]*account.Service{"this": a, "the other": b} {
			if _, err := s.Authenticate(t.Context(), old.Access); err != nil {
				t.Errorf("access token of the old key at %s process: %v", name, err)
			}
			if _, err := s.VerifyPluginToken(t.Context(), plugin); err != nil {
				t.Errorf("plugin token of the old key at %s process: %v", name, err)
			}
			again, err := s.Refresh(t.Context(), lost.Refresh)
			if err != nil || again.Refresh != answer.Refresh {
				t.Errorf("a lost answer asked for again at %s process: %v, same successor: %t", name, err,
					again.Refresh == answer.Refresh)
			}
		}
		// A process that has not noticed yet accepts what the new key signed: the
		// key was published to it, or is looked for.
		c.Advance(5 * time.Second)
		fresh := mustLogin(t, a, "ada")
		if _, err := b.Authenticate(t.Context(), fresh.Access); err != nil {
			t.Errorf("access token of the new key at the other process: %v", err)
		}
		// To the last second of the refresh token, and no key is gone by then.
		c.Advance(account.RefreshLife - account.RefreshGrace/2 - 7*time.Second)
		if r := mustRotate(t, b, false); !r.Rotated || len(r.Dropped) != 0 {
			t.Errorf("RotateKeys = %+v, want no key dropped while a token needs it", r)
		}
		next, err := b.Refresh(t.Context(), before.Refresh)
		if err != nil {
			t.Fatalf("refresh token of the old key in its last seconds: %v", err)
		}
		if _, err := a.Authenticate(t.Context(), next.Access); err != nil {
			t.Error(err)
		}
	})
}

func TestTokensOfDroppedKeysAreRefused(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		old := mustRegister(t, a, "ada")
		c.Advance(account.KeyPurpose.Lead)
		mustRotate(t, a, false)
		c.Advance(account.KeyPurpose.Retention)
		if r := mustRotate(t, b, false); len(r.Dropped) != 1 {
			t.Fatalf("Rotate when the retention is over = %+v, want a key dropped", r)
		}
		c.Advance(time.Minute)
		for name, s := range map[string]*account.Service{"this": b, "the other": a} {
			if _, err := s.Refresh(t.Context(), old.Refresh); !errors.Is(err, account.ErrRefresh) {
				t.Errorf("token of a dropped key at %s process = %v, want ErrRefresh", name, err)
			}
		}
	})
}

// signer returns the id of the key with which s signs.
func signer(tb testing.TB, s *account.Service) string {
	tb.Helper()
	k, err := s.Ring.Signer(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return k.ID
}

// A token that was verified a moment ago, and is remembered, is no exception.
func TestWithdrawnKeysSignEverybodyOut(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clocktest.Clock) {
		old := mustRegister(t, a, "ada")
		plugin, _, err := a.IssuePluginToken(t.Context(), account.PluginToken{InstallationID: "installation-1"})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*account.Service{a, b} {
			if _, err := s.Authenticate(t.Context(), old.Access); err != nil {
				t.Fatal(err)
			}
		}
		for _, ring := range []*keyring.Ring{a.Ring, a.PluginRing} {
			if _, err := ring.Withdraw(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		c.Advance(time.Minute)
		for name, s := range map[string]*account.Service{"this": a, "the other": b} {
			if _, err := s.Authenticate(t.Context(), old.Access); !errors.Is(err, account.ErrToken) {
				t.Errorf("access token at %s process = %v, want ErrToken", name, err)
			}
			if _, err := s.Refresh(t.Context(), old.Refresh); !errors.Is(err, account.ErrRefresh) {
				t.Errorf("refresh token at %s process = %v, want ErrRefresh", name, err)
			}
			if _, err := s.VerifyPluginToken(t.Context(), plugin); !errors.Is(err, account.ErrPluginToken) {
				t.Errorf("plugin token at %s process = %v, want ErrPluginToken", name, err)
			}
		}
		if _, err := b.Authenticate(t.Context(), mustLogin(t, a, "ada").Access); err != nil {
			t.Errorf("after signing in again: %v", err)
		}
	})
}
