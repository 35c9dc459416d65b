package keyring_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/keyring"
	"stoa/internal/trust/seal"
)

func TestReplicasThatStartTogetherShareTheKeys(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, _ *keyring.Ring, c *clocktest.Clock) {
		keys := a.Store
		var (
			wg   sync.WaitGroup
			kids [6]string
		)
		for i := range kids {
			wg.Go(func() {
				r := &keyring.Ring{Purpose: purpose, Store: keys, Box: box(t), Now: c.Now}
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

	c := clocktest.New(t0)
	s := ring(t, dbtest.SQLite(t), c)
	stored, err := s.Store.ListKeys(t.Context(), purpose.Name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := s.Signer(t.Context())
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
	r := &keyring.Ring{Purpose: purpose, Store: s.Store, Box: other.Box(purpose.Box()), Now: c.Now}
	if err := r.Init(t.Context()); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("Init with another master key = %v, want seal.ErrOpen", err)
	}
}

// countingKeys counts how often the database is asked.
type countingKeys struct {
	keyring.Store

	asked atomic.Int64
	fail  atomic.Bool
}

func (k *countingKeys) ListKeys(ctx context.Context, purpose string) ([]keyring.StoredKey, error) {
	k.asked.Add(1)
	if k.fail.Load() {
		return nil, errors.New("database down")
	}
	return k.Store.ListKeys(ctx, purpose)
}

func TestRingLearnsOfNewKeysAtOnce(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *keyring.Ring, c *clocktest.Clock) {
		ctx := t.Context()
		keys := &countingKeys{Store: s.Store}
		r := &keyring.Ring{Purpose: purpose, Store: keys, Box: box(t), Now: c.Now}
		if err := r.Init(ctx); err != nil {
			t.Fatal(err)
		}
		fresh := keyring.GenerateKey() // by another replica
		add := keyring.StoredKey{
			ID: fresh.ID, Purpose: purpose.Name, Stage: keyring.StagePrevious,
			Sealed: box(t).Seal(fresh.Seed(), fresh.ID), CreatedAt: t0, StageSince: t0,
		}
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

// Clients can forge key ids.
func TestForgedKeyIDsRarelyReachTheDatabase(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *keyring.Ring, c *clocktest.Clock) {
		keys := &countingKeys{Store: s.Store}
		r := &keyring.Ring{Purpose: purpose, Store: keys, Box: box(t), Now: c.Now}
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
			{3 * time.Second, 1}, // with the two seconds left of the twelve
			{time.Hour, 5},
			{0, 0},
		} {
			c.Advance(step.wait)
			before := keys.asked.Load()
			for i := range 100 {
				if _, err := r.Key(t.Context(), fmt.Sprint("made up ", i)); !errors.Is(err, keyring.ErrUnknown) {
					t.Fatalf("Key = %v, want ErrUnknown", err)
				}
			}
			if n := keys.asked.Load() - before; n != step.want {
				t.Errorf("%s later: made-up ids asked the database %d times, want %d", step.wait, n, step.want)
			}
		}
	})
}

func TestRingKeepsItsKeysDuringAnOutage(t *testing.T) {
	t.Parallel()

	c := clocktest.New(t0)
	s := ring(t, dbtest.SQLite(t), c)
	keys := &countingKeys{Store: s.Store}
	keys.fail.Store(true)
	r := &keyring.Ring{Purpose: purpose, Store: keys, Box: box(t), Now: c.Now}
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
