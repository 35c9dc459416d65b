package account_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/account"
)

func mustRotate(tb testing.TB, s *account.Service, atOnce bool) account.Rotation {
	tb.Helper()
	r, err := s.RotateKeys(tb.Context(), atOnce)
	if err != nil {
		tb.Fatal(err)
	}
	return r
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

// published returns the ids in the JWKS of s.
func published(tb testing.TB, s *account.Service) []string {
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

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clock) {
		first := signer(t, a)
		c.Advance(account.KeyLead - time.Millisecond)
		early := mustRotate(t, a, false)
		if early.Rotated || early.Current != first || !early.NextFrom.Equal(t0.Add(account.KeyLead)) {
			t.Fatalf("RotateKeys before the lead is over = %+v, want no rotation", early)
		}
		c.Advance(time.Millisecond)
		done := mustRotate(t, a, false)
		if !done.Rotated || done.Current != early.Next || done.Next == early.Next || signer(t, a) != done.Current {
			t.Fatalf("RotateKeys = %+v, want the next key to sign", done)
		}
		// The other process learns of it within a minute, and meanwhile publishes
		// the key that signs there already.
		if got := published(t, b); !slices.Contains(got, done.Current) {
			t.Errorf("JWKS of the other process = %q lacks the key that signs, %q", got, done.Current)
		}
		c.Advance(time.Minute)
		for name, s := range map[string]*account.Service{"this": a, "the other": b} {
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

			onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clock) {
				c.Advance(account.KeyLead)
				if atOnce {
					mustRotate(t, a, false) // the next key is a fresh one
				}
				var (
					wg      sync.WaitGroup
					results [6]account.Rotation
					start   = make(chan struct{})
				)
				for i := range results {
					s := []*account.Service{a, b}[i%2]
					wg.Go(func() {
						<-start
						var err error
						if results[i], err = s.RotateKeys(t.Context(), atOnce); err != nil {
							t.Error(err)
						}
					})
				}
				close(start)
				wg.Wait()
				keys, err := a.Keys(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				rotated := 0
				for _, r := range results {
					if r.Rotated {
						rotated++
					}
				}
				count := map[account.Stage]int{}
				for _, k := range keys {
					count[k.Stage]++
				}
				if count[account.StageCurrent] != 1 || count[account.StageNext] != 1 {
					t.Errorf("keys = %+v, want one current and one next", keys)
				}
				// At once, one that began after another ended rotates again: each
				// rotation leaves one previous key, none is lost.
				if !atOnce && rotated != 1 || rotated == 0 || len(keys)-rotated != map[bool]int{false: 2, true: 3}[atOnce] {
					t.Errorf("%d of %d rotated, %d keys", rotated, len(results), len(keys))
				}
			})
		})
	}
}

func TestTokensOutliveTheKeyThatSignedThem(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clock) {
		old := mustRegister(t, a, "ada")
		plugin, _, err := a.IssuePluginToken(t.Context(), "installation-1")
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
				t.Errorf("a lost answer asked for again at %s process: %v, same successor: %t", name, err, again.Refresh == answer.Refresh)
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

func TestPreviousKeysAreDroppedOnceNothingNeedsThem(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, c *clock) {
		first := signer(t, a)
		old := mustRegister(t, a, "ada")
		c.Advance(account.KeyLead)
		mustRotate(t, a, false)
		c.Advance(account.KeyRetention - time.Millisecond)
		if r := mustRotate(t, a, false); !r.Rotated || len(r.Dropped) != 0 {
			t.Fatalf("RotateKeys just before the retention is over = %+v, want nothing dropped", r)
		}
		c.Advance(time.Millisecond)
		r := mustRotate(t, b, false)
		if r.Rotated || !slices.Equal(r.Dropped, []string{first}) {
			t.Fatalf("RotateKeys when the retention is over = %+v, want %q dropped", r, first)
		}
		for name, s := range map[string]*account.Service{"this": b, "the other": a} {
			c.Advance(time.Minute)
			if got := published(t, s); len(got) != 3 || slices.Contains(got, first) {
				t.Errorf("JWKS of %s process = %q, want it without %q", name, got, first)
			}
			if _, err := s.Refresh(t.Context(), old.Refresh); !errors.Is(err, account.ErrRefresh) {
				t.Errorf("token of a dropped key at %s process = %v, want ErrRefresh", name, err)
			}
		}
	})
}
