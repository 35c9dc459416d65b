package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/keyring"
)

// mustAddKeys adds a key of each stage, named after it, created in that order.
func mustAddKeys(tb testing.TB, s *store.Keyring, stages ...keyring.Stage) {
	tb.Helper()
	for i, stage := range stages {
		k := keyring.StoredKey{
			ID: string(stage), Stage: stage, Purpose: "account", Sealed: "s",
			CreatedAt: T0.Add(time.Duration(i) * time.Second), StageSince: T0,
		}
		if err := s.AddKeyOnce(tb.Context(), k); err != nil {
			tb.Fatal(err)
		}
	}
}

func testKeyring(t *testing.T, open Open) {
	t.Run("Keys", func(t *testing.T) { t.Parallel(); testKeys(t, open) })
	t.Run("Stages", func(t *testing.T) { t.Parallel(); testKeyStages(t, open) })
	t.Run("InTx undoes everything if fn fails, the audit entry included", func(t *testing.T) {
		t.Parallel()

		db := open(t)
		s := store.NewKeyring(db)
		mustAddKeys(t, s, keyring.StageCurrent)
		failed := errors.New("no")
		for _, fails := range []error{failed, nil} {
			err := s.InTx(t.Context(), func(tx keyring.Store) error {
				if err := tx.MoveKey(t.Context(), "current", keyring.StageCurrent, keyring.StagePrevious, T0); err != nil {
					return err
				}
				target := audit.Target{Type: "signing_key", ID: "k"}
				if err := tx.Record(t.Context(), audit.New(t.Context(), T0, audit.KeysRotate, target, nil)); err != nil {
					return err
				}
				return fails
			})
			if !errors.Is(err, fails) {
				t.Fatalf("InTx = %v, want %v", err, fails)
			}
			keys, err := s.ListKeys(t.Context(), "account")
			_, entries, err2 := store.NewAudit(db).ListEntries(t.Context(), audit.Query{Limit: 10})
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if done := fails == nil; (keys[0].Stage == keyring.StagePrevious) != done || (entries == 1) != done {
				t.Errorf("InTx that ends in %v left %+v and %d entries", fails, keys, entries)
			}
		}
	})
}

func testKeyStages(t *testing.T, open Open) {
	t.Run("MoveKey changes the stage and its time, only from the given stage", func(t *testing.T) {
		t.Parallel()

		s := store.NewKeyring(open(t))
		mustAddKeys(t, s, keyring.StageCurrent, keyring.StageNext)
		later := T0.Add(time.Hour)
		for _, tt := range []struct {
			name, id string
			to       keyring.Stage
			want     errs.Kind
		}{
			{"MoveKey from another stage", "current", keyring.StagePrevious, errs.NotFound},
			{"MoveKey of an unknown key", "other", keyring.StagePrevious, errs.NotFound},
			{"MoveKey to a second current key", "next", keyring.StageCurrent, errs.Conflict},
		} {
			mustBe(t, tt.name, s.MoveKey(t.Context(), tt.id, keyring.StageNext, tt.to, later), tt.want)
		}
		if err := s.MoveKey(t.Context(), "current", keyring.StageCurrent, keyring.StagePrevious, later); err != nil {
			t.Fatal(err)
		}
		want := []keyring.StoredKey{
			{
				ID: "current", Stage: keyring.StagePrevious, Purpose: "account", Sealed: "s",
				CreatedAt: T0, StageSince: later,
			},
			{
				ID: "next", Stage: keyring.StageNext, Purpose: "account", Sealed: "s",
				CreatedAt: T0.Add(time.Second), StageSince: T0,
			},
		}
		got, err := s.ListKeys(t.Context(), "account")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ListKeys: %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("of several who move a key, one succeeds", func(t *testing.T) {
		t.Parallel()
		testMoveRace(t, store.NewKeyring(open(t)))
	})
	t.Run("DeletePreviousKey deletes previous keys only", func(t *testing.T) {
		t.Parallel()

		s := store.NewKeyring(open(t))
		mustAddKeys(t, s, keyring.StagePrevious, keyring.StageCurrent, keyring.StageNext)
		for _, id := range []string{"previous", "previous", "current", "next", "other"} {
			if err := s.DeletePreviousKey(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := s.ListKeys(t.Context(), "account")
		if err != nil || len(keys) != 2 || keys[0].ID != "current" || keys[1].ID != "next" {
			t.Errorf("ListKeys = %+v, %v; want the current and the next", keys, err)
		}
	})
}

func testKeys(t *testing.T, open Open) {
	t.Run("AddKeyOnce leaves one key of each stage, however many call at once", func(t *testing.T) {
		t.Parallel()

		s := store.NewKeyring(open(t))
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for _, stage := range []keyring.Stage{keyring.StageCurrent, keyring.StageNext} {
					k := keyring.StoredKey{
						ID: fmt.Sprint(stage, i), Stage: stage, Purpose: "account", Sealed: "s", CreatedAt: T0, StageSince: T0,
					}
					if err := s.AddKeyOnce(t.Context(), k); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		keys, err := s.ListKeys(t.Context(), "account")
		if err != nil || len(keys) != 2 || keys[0].Stage == keys[1].Stage {
			t.Errorf("ListKeys = %+v, %v; want one current and one next", keys, err)
		}
	})
	t.Run("each purpose has its own keys", func(t *testing.T) {
		t.Parallel()

		s := store.NewKeyring(open(t))
		purposes := []string{"account", "license"}
		for _, purpose := range purposes {
			for _, stage := range []keyring.Stage{keyring.StageCurrent, keyring.StageNext, keyring.StagePrevious} {
				k := keyring.StoredKey{
					ID: purpose + " " + string(stage), Purpose: purpose, Stage: stage, Sealed: "s", CreatedAt: T0, StageSince: T0,
				}
				if err := s.AddKeyOnce(t.Context(), k); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, purpose := range purposes {
			keys, err := s.ListKeys(t.Context(), purpose)
			if err != nil || len(keys) != 3 {
				t.Fatalf("ListKeys(%q) = %+v, %v; want a key of each stage", purpose, keys, err)
			}
			for _, k := range keys {
				if k.Purpose != purpose || k.ID != purpose+" "+string(k.Stage) {
					t.Errorf("ListKeys(%q) has %+v", purpose, k)
				}
			}
		}
		if keys, err := s.ListKeys(t.Context(), "other"); err != nil || len(keys) != 0 {
			t.Errorf("ListKeys of another purpose = %+v, %v", keys, err)
		}
	})
	t.Run("ListKeys returns whole keys of all stages, oldest first", func(t *testing.T) {
		t.Parallel()

		s := store.NewKeyring(open(t))
		want := []keyring.StoredKey{
			{ID: "c", Stage: keyring.StagePrevious, Sealed: "1", CreatedAt: T0},
			{ID: "b", Stage: keyring.StagePrevious, Sealed: "2", CreatedAt: T0.Add(time.Second)},
			{ID: "a", Stage: keyring.StageCurrent, Sealed: "3", CreatedAt: T0.Add(2 * time.Second)},
		}
		for i := range want {
			want[i].Purpose, want[i].StageSince = "account", T0.Add(time.Hour)
		}
		for _, i := range []int{2, 0, 1} {
			if err := s.AddKeyOnce(t.Context(), want[i]); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.ListKeys(t.Context(), "account")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ListKeys: %v (-want +got):\n%s", err, diff)
		}
	})
}

func testMoveRace(t *testing.T, s *store.Keyring) {
	mustAddKeys(t, s, keyring.StageCurrent)
	var (
		wg    sync.WaitGroup
		moved atomic.Int64
	)
	for range 8 {
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx keyring.Store) error {
				// This locks the key although it changes nothing, so the others wait for what
				// the first does next.
				if err := tx.MoveKey(t.Context(), "current", keyring.StageCurrent, keyring.StageCurrent, T0); err != nil {
					return err
				}
				return tx.MoveKey(t.Context(), "current", keyring.StageCurrent, keyring.StagePrevious, T0)
			})
			if err == nil {
				moved.Add(1)
			} else {
				mustBe(t, "MoveKey of a moved key", err, errs.NotFound)
			}
		})
	}
	wg.Wait()
	if n := moved.Load(); n != 1 {
		t.Errorf("%d moved the key, want 1", n)
	}
}
