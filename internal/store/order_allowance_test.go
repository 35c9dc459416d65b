package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testAllowances(t *testing.T, open Open) {
	t.Run("an allowance", func(t *testing.T) { t.Parallel(); testAllowance(t, store.NewClaims(open(t))) })
	t.Run("an allowance is exact when many ask", func(t *testing.T) {
		t.Parallel()
		testAllowanceRace(t, store.NewClaims(open(t)))
	})
	t.Run("allowances that are whole again are deleted", func(t *testing.T) {
		t.Parallel()

		s := store.NewReceipts(open(t))
		a := order.Allowance{AtOnce: 1, Every: time.Hour}
		for _, want := range []bool{true, false, true} {
			later, err := s.Allow(t.Context(), "x", a, T0)
			if err != nil || later.IsZero() != want {
				t.Fatalf("Allow = %v, %v; want %v", later, err, want)
			}
			if err := s.DeleteAllowances(t.Context(), T0.Add(time.Hour-time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			if !want {
				if err := s.DeleteAllowances(t.Context(), T0.Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func testAllowance(t *testing.T, s *store.Claims) {
	a := order.Allowance{AtOnce: 2, Every: time.Minute}
	for i, tt := range []struct {
		name  string
		after time.Duration
		wait  time.Duration // until the next; 0 if this one may go
	}{
		{"x", 0, 0},
		{"x", 0, 0},
		{"x", 0, time.Minute},
		{"y", 0, 0}, // has its own
		{"x", time.Minute - time.Millisecond, time.Millisecond},
		{"x", time.Minute, 0},
		{"x", time.Minute, time.Minute},
		{"x", time.Hour, 0}, // no more than AtOnce accumulate
		{"x", time.Hour, 0},
		{"x", time.Hour, time.Minute},
	} {
		now, want := T0.Add(tt.after), time.Time{}
		if tt.wait > 0 {
			want = now.Add(tt.wait)
		}
		if got, err := s.Allow(t.Context(), tt.name, a, now); err != nil || !got.Equal(want) {
			t.Errorf("step %d: Allow = %v, %v; want %v", i, got, err, want)
		}
	}
}

func testAllowanceRace(t *testing.T, s *store.Claims) {
	var (
		wg      sync.WaitGroup
		allowed atomic.Int32
	)
	for range 16 {
		wg.Go(func() {
			later, err := s.Allow(t.Context(), "x", order.Allowance{AtOnce: 3, Every: time.Hour}, T0)
			if err != nil {
				t.Error(err)
			}
			if later.IsZero() {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 3 {
		t.Errorf("%d were allowed, want 3", allowed.Load())
	}
}
