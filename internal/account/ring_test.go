package account_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/token"
	"stoa/internal/errs"
	"stoa/internal/seal"
)

func TestReplicasThatStartTogetherShareTheKeys(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, _ *account.Service, c *clock) {
		keys := a.Ring.Store
		var (
			wg   sync.WaitGroup
			kids [6]string
		)
		for i := range kids {
			wg.Go(func() {
				r := &account.Ring{Store: keys, Box: box(t), Now: c.Now}
				if err := r.Init(t.Context()); err != nil {
					t.Error(err)
					return
				}
				k, err := r.Signer(t.Context())
				if err != nil {
					t.Error(err)
				}
				kids[i] = k.ID
			})
		}
		wg.Wait()
		for _, kid := range kids {
			if kid != kids[0] {
				t.Fatalf("signing keys differ: %q", kids)
			}
		}
		if set, err := a.JWKS(t.Context()); err != nil || len(set) != 2 {
			t.Errorf("JWKS = %d keys, %v; want the current and the next", len(set), err)
		}
	})
}

func TestSigningKeysAreSealed(t *testing.T) {
	t.Parallel()

	c := &clock{now: t0}
	s := service(t, sqliteURL(t), c)
	stored, err := s.Ring.Store.ListKeys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signer, err := s.Ring.Signer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range stored {
		if strings.Contains(k.Sealed, string(signer.Seed())) || !strings.HasPrefix(k.Sealed, "s1.") {
			t.Error("a key lies open in the database")
		}
	}
	other, err := seal.ParseKey(seal.GenerateKey())
	if err != nil {
		t.Fatal(err)
	}
	r := &account.Ring{Store: s.Ring.Store, Box: other.Box(account.RingPurpose), Now: c.Now}
	if err := r.Init(t.Context()); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("Init with another master key = %v, want seal.ErrOpen", err)
	}
}

// countingKeys counts how often the database is asked.
type countingKeys struct {
	account.Keys

	asked atomic.Int64
	fail  atomic.Bool
}

func (k *countingKeys) ListKeys(ctx context.Context) ([]account.StoredKey, error) {
	k.asked.Add(1)
	if k.fail.Load() {
		return nil, errors.New("database down")
	}
	return k.Keys.ListKeys(ctx)
}

func TestRingLearnsOfNewKeysAtOnce(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, c *clock) {
		ctx := t.Context()
		keys := &countingKeys{Keys: s.Ring.Store}
		r := &account.Ring{Store: keys, Box: box(t), Now: c.Now}
		if err := r.Init(ctx); err != nil {
			t.Fatal(err)
		}
		fresh := token.GenerateKey() // by another replica
		add := account.StoredKey{ID: fresh.ID, Stage: account.StagePrevious, Sealed: box(t).Seal(fresh.Seed(), fresh.ID), CreatedAt: t0, StageSince: t0}
		if err := keys.AddKeyOnce(ctx, add); err != nil {
			t.Fatal(err)
		}
		before := keys.asked.Load()
		for range 100 {
			if k, err := r.Key(ctx, fresh.ID); err != nil || !k.Public().Equal(fresh.Public()) {
				t.Fatalf("Key = %v, want the new key", err)
			}
		}
		if n := keys.asked.Load() - before; n != 1 {
			t.Errorf("the new key asked the database %d times, want once", n)
		}
		if set, err := r.JWKS(ctx); err != nil || len(set) != 3 {
			t.Errorf("JWKS = %d keys, %v; want all stages", len(set), err)
		}
	})
}

// Anybody can make up key ids.
func TestMadeUpKeyIDsHardlyAskTheDatabase(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, c *clock) {
		keys := &countingKeys{Keys: s.Ring.Store}
		r := &account.Ring{Store: keys, Box: box(t), Now: c.Now}
		if err := r.Init(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			wait time.Duration
			want int64
		}{
			{0, 5},
			{5*time.Second - time.Nanosecond, 0},
			{time.Nanosecond, 1},
			{12 * time.Second, 2},
			{3 * time.Second, 1}, // what was left of the twelve counts
			{time.Hour, 5},
			{0, 0},
		} {
			c.Advance(step.wait)
			before := keys.asked.Load()
			for i := range 100 {
				if _, err := r.Key(t.Context(), fmt.Sprint("made up ", i)); !errors.Is(err, token.ErrInvalid) {
					t.Fatalf("Key = %v, want ErrInvalid", err)
				}
			}
			if n := keys.asked.Load() - before; n != step.want {
				t.Errorf("%s later: made-up ids asked the database %d times, want %d", step.wait, n, step.want)
			}
		}
	})
}

func TestOtherReplicasTakeTokensRightAfterTwoRotations(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clock) {
		for i := range 3 {
			mustRotate(t, a, true)
			mustRotate(t, a, true)
			raw, _, err := a.IssuePluginToken(t.Context(), "installation-1")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.VerifyPluginToken(t.Context(), raw); err != nil {
				t.Errorf("round %d: VerifyPluginToken = %v at the other replica", i, err)
			}
		}
	})
}

func TestRingOutlivesAnOutage(t *testing.T) {
	t.Parallel()

	c := &clock{now: t0}
	s := service(t, sqliteURL(t), c)
	keys := &countingKeys{Keys: s.Ring.Store}
	keys.fail.Store(true)
	r := &account.Ring{Store: keys, Box: box(t), Now: c.Now}
	if err := r.Init(t.Context()); err == nil {
		t.Error("Init without a database succeeded")
	}
	keys.fail.Store(false)
	if err := r.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys.fail.Store(true)
	c.Advance(time.Hour)
	if _, err := r.Signer(t.Context()); err != nil {
		t.Errorf("Signer during an outage = %v, want the key that is known", err)
	}
}

func TestPluginTokens(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clock) {
		raw, expires, err := a.IssuePluginToken(t.Context(), "installation-1")
		if err != nil || !expires.Equal(t0.Truncate(time.Second).Add(10*time.Minute)) {
			t.Fatalf("IssuePluginToken: %v, expires %s", err, expires)
		}
		if id, err := b.VerifyPluginToken(t.Context(), raw); id != "installation-1" || err != nil {
			t.Errorf("VerifyPluginToken = %q, %v", id, err)
		}
		user := mustRegister(t, a, "ada")
		for name, other := range map[string]string{"access": user.Access, "refresh": user.Refresh, "none": ""} {
			if id, err := a.VerifyPluginToken(t.Context(), other); id != "" || errs.KindOf(err) != errs.Unauthenticated {
				t.Errorf("VerifyPluginToken of %s token = %q, %v; want ErrPluginToken", name, id, err)
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
