package store_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/store"
)

func testDuties(t *testing.T, open Open) {
	db := open(t)
	s := store.NewDuties(db)
	ctx := t.Context()
	hold := func(holder string, want bool) {
		t.Helper()
		if got, err := s.Acquire(ctx, "d", holder, time.Hour); got != want || err != nil {
			t.Fatalf("Acquire(%s) = %t, %v; want %t", holder, got, err, want)
		}
	}
	hold("a", true)
	hold("b", false)
	hold("a", true) // again
	if got, err := s.Acquire(ctx, "another", "b", time.Hour); !got || err != nil {
		t.Errorf("another duty: %t, %v", got, err)
	}

	if err := s.Release(ctx, "d", "b"); err != nil { // not its own
		t.Fatal(err)
	}
	hold("b", false)
	if err := s.Release(ctx, "d", "a"); err != nil {
		t.Fatal(err)
	}
	hold("b", true)

	// When the lease has ended, the first who asks gets it.
	if _, err := db.Conn().Write.ExecContext(ctx, `UPDATE duties SET until_ms = 1 WHERE name = 'd'`); err != nil {
		t.Fatal(err)
	}
	var got atomic.Int64
	var all sync.WaitGroup
	for _, holder := range []string{"c", "d", "e", "f"} {
		all.Go(func() {
			ours, err := s.Acquire(context.WithoutCancel(ctx), "d", holder, time.Hour)
			if err != nil {
				t.Error(err)
			}
			if ours {
				got.Add(1)
			}
		})
	}
	all.Wait()
	if got.Load() != 1 {
		t.Errorf("%d got a duty that was free, want 1", got.Load())
	}
}
