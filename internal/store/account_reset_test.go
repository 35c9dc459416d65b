package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/store"
)

func mustCreateReset(tb testing.TB, s account.Resets, hash, userID string, at time.Time) account.Reset {
	tb.Helper()
	r := account.Reset{Hash: hash, UserID: userID, CreatedAt: at}
	if err := s.CreateReset(tb.Context(), r); err != nil {
		tb.Fatal(err)
	}
	return r
}

// mustBeOpen checks which of the resets in want are open.
func mustBeOpen(tb testing.TB, s *store.Account, want map[string]bool) {
	tb.Helper()
	for hash, open := range want {
		kind := errs.Kind("")
		if !open {
			kind = errs.NotFound
		}
		_, err := s.OpenReset(tb.Context(), hash)
		mustBe(tb, "OpenReset "+hash, err, kind)
	}
}

func testResets(t *testing.T, open Open) {
	t.Run("OpenReset returns what CreateReset stored", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		want := mustCreateReset(t, s, "h1", "u1", T0.Add(time.Millisecond))
		mustCreateReset(t, s, "h2", "u1", T0)
		got, err := s.OpenReset(t.Context(), "h1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("OpenReset: %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("resets that are missing or taken", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		mustCreateReset(t, s, "h1", "u1", T0)
		taken := account.Reset{Hash: "h1", UserID: "u2", CreatedAt: T0}
		mustBe(t, "CreateReset of a taken hash", s.CreateReset(t.Context(), taken), errs.Conflict)
		mustBeOpen(t, s, map[string]bool{"h1": true, "h2": false, "": false})
	})
	t.Run("VoidResets closes all resets of one user", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		mustCreateReset(t, s, "h1", "u1", T0)
		mustCreateReset(t, s, "h2", "u1", T0)
		mustCreateReset(t, s, "h3", "u2", T0)
		for range 2 {
			if err := s.VoidResets(t.Context(), "u1"); err != nil {
				t.Fatal(err)
			}
			mustBeOpen(t, s, map[string]bool{"h1": false, "h2": false, "h3": true})
		}
	})
	t.Run("CountResets counts a user's resets after a moment, including void ones", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		mustCreateReset(t, s, "h1", "u1", T0)
		mustCreateReset(t, s, "h2", "u1", T0.Add(time.Millisecond))
		if err := s.VoidResets(t.Context(), "u1"); err != nil {
			t.Fatal(err)
		}
		mustCreateReset(t, s, "h3", "u1", T0.Add(time.Second))
		mustCreateReset(t, s, "h4", "u2", T0.Add(time.Second))
		for since, want := range map[time.Duration]int{-time.Millisecond: 3, 0: 2, time.Millisecond: 1, time.Second: 0} {
			if n, err := s.CountResets(t.Context(), "u1", T0.Add(since)); err != nil || n != want {
				t.Errorf("CountResets since %v = %d, %v; want %d", since, n, err, want)
			}
		}
	})
	t.Run("DeleteResets deletes the resets of all users up to a moment", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		mustCreateReset(t, s, "h1", "u1", T0)
		mustCreateReset(t, s, "h2", "u2", T0)
		mustCreateReset(t, s, "h3", "u2", T0.Add(time.Millisecond))
		if err := s.DeleteResets(t.Context(), T0); err != nil {
			t.Fatal(err)
		}
		mustBeOpen(t, s, map[string]bool{"h1": false, "h2": false, "h3": true})
		n, err := s.CountResets(t.Context(), "u1", time.Unix(0, 0))
		if err != nil || n != 0 {
			t.Errorf("%d resets of u1 are left, %v", n, err)
		}
	})
	t.Run("under the user's lock a reset is taken once", func(t *testing.T) {
		t.Parallel()
		testTakeReset(t, withUsers(t, open))
	})
}

// takeReset uses the reset h1 as account.Service does.
func takeReset(ctx context.Context, tx account.Store) error {
	if _, err := tx.User(ctx, "u1"); err != nil {
		return err
	}
	r, err := tx.OpenReset(ctx, "h1")
	return errors.Join(err, tx.VoidResets(ctx, r.UserID))
}

func testTakeReset(t *testing.T, s *store.Account) {
	mustCreateReset(t, s, "h1", "u1", T0)
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for range 8 {
		wg.Go(func() {
			ctx := t.Context()
			err := s.InTx(ctx, func(tx account.Store) error { return takeReset(ctx, tx) })
			switch {
			case err == nil:
				taken.Add(1)
			case errs.KindOf(err) != errs.NotFound:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := taken.Load(); n != 1 {
		t.Errorf("taken %d times, want once", n)
	}
}
