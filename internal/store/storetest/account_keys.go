package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/errs"
	"stoa/internal/store"
)

// mustAddKeys adds a key of each stage, named after it, created in that order.
func mustAddKeys(tb testing.TB, s *store.Account, stages ...account.Stage) {
	tb.Helper()
	for i, stage := range stages {
		k := account.StoredKey{ID: string(stage), Stage: stage, Sealed: "s", CreatedAt: T0.Add(time.Duration(i) * time.Second), StageSince: T0}
		if err := s.AddKeyOnce(tb.Context(), k); err != nil {
			tb.Fatal(err)
		}
	}
}

func testKeyStages(t *testing.T, open Open) {
	t.Run("MoveKey changes the stage and its time, from the stage that is named only", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustAddKeys(t, s, account.StageCurrent, account.StageNext)
		later := T0.Add(time.Hour)
		mustBe(t, "MoveKey from another stage", s.MoveKey(t.Context(), "current", account.StageNext, account.StagePrevious, later), errs.NotFound)
		mustBe(t, "MoveKey of no key", s.MoveKey(t.Context(), "other", account.StageNext, account.StagePrevious, later), errs.NotFound)
		mustBe(t, "MoveKey to a second current key", s.MoveKey(t.Context(), "next", account.StageNext, account.StageCurrent, later), errs.Conflict)
		if err := s.MoveKey(t.Context(), "current", account.StageCurrent, account.StagePrevious, later); err != nil {
			t.Fatal(err)
		}
		want := []account.StoredKey{
			{ID: "current", Stage: account.StagePrevious, Sealed: "s", CreatedAt: T0, StageSince: later},
			{ID: "next", Stage: account.StageNext, Sealed: "s", CreatedAt: T0.Add(time.Second), StageSince: T0},
		}
		got, err := s.ListKeys(t.Context())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ListKeys: %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("of several who move a key one succeeds", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustAddKeys(t, s, account.StageCurrent)
		var (
			wg    sync.WaitGroup
			moved atomic.Int64
		)
		for range 8 {
			wg.Go(func() {
				err := s.InTx(t.Context(), func(tx account.Store) error {
					// Locked by the first, although nothing changes: the others wait for
					// what it does next.
					if err := tx.MoveKey(t.Context(), "current", account.StageCurrent, account.StageCurrent, T0); err != nil {
						return err
					}
					return tx.MoveKey(t.Context(), "current", account.StageCurrent, account.StagePrevious, T0)
				})
				if err == nil {
					moved.Add(1)
				} else {
					mustBe(t, "MoveKey of a key that was moved", err, errs.NotFound)
				}
			})
		}
		wg.Wait()
		if n := moved.Load(); n != 1 {
			t.Errorf("%d moved the key, want 1", n)
		}
	})
	t.Run("DeletePreviousKey deletes no other", func(t *testing.T) {
		t.Parallel()

		s := store.NewAccount(open(t))
		mustAddKeys(t, s, account.StagePrevious, account.StageCurrent, account.StageNext)
		for _, id := range []string{"previous", "previous", "current", "next", "other"} {
			if err := s.DeletePreviousKey(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := s.ListKeys(t.Context())
		if err != nil || len(keys) != 2 || keys[0].ID != "current" || keys[1].ID != "next" {
			t.Errorf("ListKeys = %+v, %v; want the current and the next", keys, err)
		}
	})
}
