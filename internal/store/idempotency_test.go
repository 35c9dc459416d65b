package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/store"
)

const (
	leaseTime = 10 * time.Second
	keyTime   = 24 * time.Hour
)

// claim returns a claim made at T0.
func claim(id, owner string) idempotency.Claim {
	return idempotency.Claim{
		ID: id, Fingerprint: "print", Seed: "seed-of-" + owner, Owner: owner,
		Until: T0.Add(leaseTime), Expires: T0.Add(keyTime),
	}
}

// mustClaimKey makes the claim c at now, from where lease and expiry count.
func mustClaimKey(tb testing.TB, s *store.Idempotency, c idempotency.Claim, now time.Time) idempotency.Record {
	tb.Helper()
	c.Until, c.Expires = now.Add(leaseTime), now.Add(keyTime)
	r, err := s.Claim(tb.Context(), c, now)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// stays is a moment before any lease or record ends.
var stays = T0.Add(time.Second)

// ended is when a lease of T0 has ended.
var ended = T0.Add(leaseTime)

func testIdempotency(t *testing.T, open Open) {
	t.Run("Claim", func(t *testing.T) { t.Parallel(); testClaim(t, open) })
	t.Run("a claimed record", func(t *testing.T) { t.Parallel(); testClaimed(t, open) })
	t.Run("a forgotten record", func(t *testing.T) { t.Parallel(); testForgotten(t, open) })
	t.Run("DeleteExpired deletes expired records, up to a limit", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		for i, id := range []string{"a", "b", "c", "d"} {
			mustClaimKey(t, s, claim(id, "one"), T0.Add(time.Duration(i)*time.Millisecond))
		}
		if err := s.Keep(t.Context(), "a", "one", "answer"); err != nil { // with an answer or without
			t.Fatal(err)
		}
		for _, tt := range []struct {
			now   time.Time
			limit int
			want  int
		}{
			{T0.Add(keyTime - time.Millisecond), 10, 0},
			{T0.Add(keyTime + 2*time.Millisecond), 2, 2},
			{T0.Add(keyTime + 2*time.Millisecond), 2, 1},
			{T0.Add(keyTime + 2*time.Millisecond), 2, 0},
		} {
			if n, err := s.DeleteExpired(t.Context(), tt.now, tt.limit); err != nil || n != tt.want {
				t.Errorf("DeleteExpired at %v, at most %d = %d, %v; want %d", tt.now, tt.limit, n, err, tt.want)
			}
		}
		if r := mustClaimKey(t, s, claim("d", "two"), stays); r.Owner != "one" {
			t.Errorf("d is %+v, want the record of one", r)
		}
	})
}

func testClaim(t *testing.T, open Open) {
	t.Run("of a new id creates a record", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("other", "two"), T0)
		got := mustClaimKey(t, s, claim("a", "one"), T0)
		want := idempotency.Record{
			Fingerprint: "print", Seed: "seed-of-one", Owner: "one", Until: T0.Add(leaseTime), Expires: T0.Add(keyTime),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Claim (-want +got):\n%s", diff)
		}
	})
	t.Run("leaves a record with a lease, an answer or another fingerprint as it is", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		first := mustClaimKey(t, s, claim("a", "one"), T0)
		other := claim("a", "two")
		other.Fingerprint = "other"
		for _, tt := range []struct {
			claim idempotency.Claim
			at    time.Time
		}{
			{claim("a", "two"), T0},
			{claim("a", "two"), T0.Add(leaseTime - time.Millisecond)},
			{other, T0.Add(leaseTime)},
			{other, T0.Add(keyTime - time.Millisecond)},
		} {
			if diff := cmp.Diff(first, mustClaimKey(t, s, tt.claim, tt.at)); diff != "" {
				t.Errorf("at %v (-want +got):\n%s", tt.at, diff)
			}
		}
		if err := s.Keep(t.Context(), "a", "one", "answer"); err != nil {
			t.Fatal(err)
		}
		first.Sealed = "answer"
		if diff := cmp.Diff(first, mustClaimKey(t, s, claim("a", "two"), T0.Add(keyTime-time.Millisecond))); diff != "" {
			t.Errorf("with an answer (-want +got):\n%s", diff)
		}
	})
	t.Run("takes a record over when its lease has ended, with the same seed", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("a", "one"), T0)
		at := T0.Add(leaseTime)
		want := idempotency.Record{
			Fingerprint: "print", Seed: "seed-of-one", Owner: "two", Until: at.Add(leaseTime), Expires: at.Add(keyTime),
		}
		if diff := cmp.Diff(want, mustClaimKey(t, s, claim("a", "two"), at)); diff != "" {
			t.Errorf("Claim (-want +got):\n%s", diff)
		}
	})
	t.Run("starts over when the record has expired", func(t *testing.T) {
		t.Parallel()
		testClaimExpired(t, store.NewIdempotency(open(t)))
	})
	t.Run("by many at once has one owner", func(t *testing.T) {
		t.Parallel()
		testClaimRace(t, store.NewIdempotency(open(t)))
	})
}

func testClaimed(t *testing.T, open Open) {
	t.Run("Renew moves the end of the lease", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("a", "one"), T0)
		if err := s.Renew(t.Context(), "a", "one", ended.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if r := mustClaimKey(t, s, claim("a", "two"), ended); r.Owner != "one" || !r.Until.Equal(ended.Add(time.Second)) {
			t.Errorf("record %+v, want it to be one's for a second more", r)
		}
	})
	t.Run("only the owner may Renew and Keep", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("a", "one"), T0)
		mustClaimKey(t, s, claim("a", "two"), ended)
		for _, who := range []struct{ id, owner string }{{"a", "one"}, {"b", "two"}} {
			mustBe(t, "Renew", s.Renew(t.Context(), who.id, who.owner, ended), errs.NotFound)
			mustBe(t, "Keep", s.Keep(t.Context(), who.id, who.owner, "wrong"), errs.NotFound)
		}
		mustBe(t, "Keep", s.Keep(t.Context(), "a", "two", "answer"), "")
		mustBe(t, "Renew after Keep", s.Renew(t.Context(), "a", "two", ended), errs.NotFound)
		if r := mustClaimKey(t, s, claim("a", "three"), ended); r.Sealed != "answer" {
			t.Errorf("record %+v, want the answer", r)
		}
	})
	t.Run("Release lets another attempt claim with the same seed", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("a", "one"), T0)
		mustBe(t, "Release by another", s.Release(t.Context(), "a", "two"), "")
		if r := mustClaimKey(t, s, claim("a", "two"), stays); r.Owner != "one" {
			t.Errorf("released by another: %+v", r)
		}
		mustBe(t, "Release", s.Release(t.Context(), "a", "one"), "")
		if r := mustClaimKey(t, s, claim("a", "two"), stays); r.Owner != "two" || r.Seed != "seed-of-one" {
			t.Errorf("record %+v, want it to be two's with the seed of one", r)
		}
		mustBe(t, "Keep", s.Keep(t.Context(), "a", "two", "answer"), "")
		mustBe(t, "Release after Keep", s.Release(t.Context(), "a", "two"), "")
		if r := mustClaimKey(t, s, claim("a", "three"), ended.Add(time.Hour)); r.Sealed != "answer" {
			t.Errorf("released with an answer: %+v", r)
		}
	})
}

func testForgotten(t *testing.T, open Open) {
	t.Run("Forget deletes the record of a single attempt", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("a", "one"), T0)
		mustBe(t, "Forget by another", s.Forget(t.Context(), "a", "two"), "")
		if r := mustClaimKey(t, s, claim("a", "two"), stays); r.Owner != "one" {
			t.Errorf("forgotten by another: %+v", r)
		}
		mustBe(t, "Forget", s.Forget(t.Context(), "a", "one"), "")
		mustBe(t, "Keep after Forget", s.Keep(t.Context(), "a", "one", "answer"), errs.NotFound)
		if r := mustClaimKey(t, s, claim("a", "two"), stays); r.Seed != "seed-of-two" {
			t.Errorf("record %+v, want a new one", r)
		}
	})
	t.Run("Forget only releases a record that had another owner", func(t *testing.T) {
		t.Parallel()

		s := store.NewIdempotency(open(t))
		mustClaimKey(t, s, claim("a", "one"), T0)
		mustClaimKey(t, s, claim("a", "two"), ended)
		mustBe(t, "Forget", s.Forget(t.Context(), "a", "two"), "")
		if r := mustClaimKey(t, s, claim("a", "three"), ended); r.Owner != "three" || r.Seed != "seed-of-one" {
			t.Errorf("record %+v, want it to be three's with the seed of one", r)
		}
		mustBe(t, "Keep", s.Keep(t.Context(), "a", "three", "answer"), "")
		mustBe(t, "Forget after Keep", s.Forget(t.Context(), "a", "three"), "")
		if r := mustClaimKey(t, s, claim("a", "four"), ended); r.Sealed != "answer" {
			t.Errorf("record %+v, want the answer", r)
		}
	})
}

func testClaimRace(t *testing.T, s *store.Idempotency) {
	// One id is new; the lease of the other has ended.
	mustClaimKey(t, s, claim("stale", "zero"), T0.Add(-leaseTime))
	for id, seed := range map[string]string{"new": "", "stale": "seed-of-zero"} {
		var (
			wg    sync.WaitGroup
			owned atomic.Int32
		)
		for i := range 8 {
			owner := string(rune('a' + i))
			wg.Go(func() {
				r, err := s.Claim(t.Context(), claim(id, owner), T0)
				if err != nil {
					t.Error(err)
				}
				if r.Owner != owner {
					return
				}
				owned.Add(1)
				if seed == "" {
					seed = "seed-of-" + owner // only the one owner writes this; two would fail the count below
				}
				if r.Seed != seed {
					t.Errorf("%s: seed %q, want %q", id, r.Seed, seed)
				}
			})
		}
		wg.Wait()
		if n := owned.Load(); n != 1 {
			t.Errorf("%s has %d owners, want 1", id, n)
		}
	}
}

func testClaimExpired(t *testing.T, s *store.Idempotency) {
	mustClaimKey(t, s, claim("a", "one"), T0)
	if err := s.Keep(t.Context(), "a", "one", "answer"); err != nil {
		t.Fatal(err)
	}
	again := claim("a", "two")
	again.Fingerprint = "other"
	at := T0.Add(keyTime)
	want := idempotency.Record{
		Fingerprint: "other", Seed: "seed-of-two", Owner: "two", Until: at.Add(leaseTime), Expires: at.Add(keyTime),
	}
	if diff := cmp.Diff(want, mustClaimKey(t, s, again, at)); diff != "" {
		t.Errorf("Claim (-want +got):\n%s", diff)
	}
	// Like a new record, it may be forgotten.
	if err := s.Forget(t.Context(), "a", "two"); err != nil {
		t.Fatal(err)
	}
	if r := mustClaimKey(t, s, claim("a", "three"), at); r.Seed != "seed-of-three" {
		t.Errorf("after Forget: %+v, want a new record", r)
	}
}
