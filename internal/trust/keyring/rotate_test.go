package keyring_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/clocktest"
	"stoa/internal/trust/keyring"
)

func mustRotate(tb testing.TB, s *keyring.Ring) keyring.Rotation {
	tb.Helper()
	r, err := s.Rotate(tb.Context(), false)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// signer returns the id of the key with which s signs.
func signer(tb testing.TB, s *keyring.Ring) string {
	tb.Helper()
	k, err := s.Signer(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return k.ID
}

// published returns the ids in the JWKS of s.
func published(tb testing.TB, s *keyring.Ring) []string {
	tb.Helper()
	set, err := s.JWKS(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var ids []string
	for _, k := range set {
		ids = append(ids, k.ID)
	}
	return ids
}

func TestAKeyIsPublishedBeforeItSigns(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *keyring.Ring, c *clocktest.Clock) {
		first := signer(t, a)
		c.Advance(purpose.Lead - time.Millisecond)
		early := mustRotate(t, a)
		if early.Rotated || early.Current != first || !early.NextFrom.Equal(t0.Add(purpose.Lead)) {
			t.Fatalf("Rotate before the lead is over = %+v, want no rotation", early)
		}
		c.Advance(time.Millisecond)
		done := mustRotate(t, a)
		if !done.Rotated || done.Current != early.Next || done.Next == early.Next || signer(t, a) != done.Current {
			t.Fatalf("Rotate = %+v, want the next key to sign", done)
		}
		// The other process notices within a minute. Until then it already publishes the
		// key that signs on the first.
		if got := published(t, b); !slices.Contains(got, done.Current) {
			t.Errorf("JWKS of the other process = %q lacks the key that signs, %q", got, done.Current)
		}
		c.Advance(time.Minute)
		for name, s := range map[string]*keyring.Ring{"this": a, "the other": b} {
			if got := signer(t, s); got != done.Current {
				t.Errorf("%s process signs with %q a minute later, want %q", name, got, done.Current)
			}
			if got := published(t, s); len(got) != 3 || !slices.Contains(got, first) || !slices.Contains(got, done.Next) {
				t.Errorf("JWKS of %s process = %q, want all stages", name, got)
			}
		}
	})
}

func TestRotatingTwiceRotatesOnce(t *testing.T) {
	t.Parallel()

	for name, atOnce := range map[string]bool{"staged": false, "at once": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			onBothEngines(t, func(t *testing.T, a, b *keyring.Ring, c *clocktest.Clock) {
				c.Advance(purpose.Lead)
				if atOnce {
					mustRotate(t, a) // makes a new next key
				}
				var (
					wg      sync.WaitGroup
					results [6]keyring.Rotation
					start   = make(chan struct{})
				)
				for i := range results {
					s := []*keyring.Ring{a, b}[i%2]
					wg.Go(func() {
						<-start
						var err error
						if results[i], err = s.Rotate(t.Context(), atOnce); err != nil {
							t.Error(err)
						}
					})
				}
				close(start)
				wg.Wait()
				keys, err := a.List(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				rotated := 0
				for _, r := range results {
					if r.Rotated {
						rotated++
					}
				}
				count := map[keyring.Stage]int{}
				for _, k := range keys {
					count[k.Stage]++
				}
				if count[keyring.StageCurrent] != 1 || count[keyring.StageNext] != 1 {
					t.Errorf("keys = %+v, want one current and one next", keys)
				}
				// With atOnce, a call that begins after another has ended rotates again.
				// Each rotation leaves one previous key, and none is lost.
				if !atOnce && rotated != 1 || rotated == 0 || len(keys)-rotated != map[bool]int{false: 2, true: 3}[atOnce] {
					t.Errorf("%d of %d rotated, %d keys", rotated, len(results), len(keys))
				}
			})
		})
	}
}

func TestPreviousKeysAreDroppedOnceNothingNeedsThem(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *keyring.Ring, c *clocktest.Clock) {
		first := signer(t, a)
		c.Advance(purpose.Lead)
		mustRotate(t, a)
		c.Advance(purpose.Retention - time.Millisecond)
		if r := mustRotate(t, a); !r.Rotated || len(r.Dropped) != 0 {
			t.Fatalf("Rotate just before the retention is over = %+v, want nothing dropped", r)
		}
		c.Advance(time.Millisecond)
		r := mustRotate(t, b)
		if r.Rotated || !slices.Equal(r.Dropped, []string{first}) {
			t.Fatalf("Rotate when the retention is over = %+v, want %q dropped", r, first)
		}
		for name, s := range map[string]*keyring.Ring{"this": b, "the other": a} {
			c.Advance(time.Minute)
			if got := published(t, s); len(got) != 3 || slices.Contains(got, first) {
				t.Errorf("JWKS of %s process = %q, want it without %q", name, got, first)
			}
		}
	})
}
