package keyring_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/keyring"
)

func withdraw(tb testing.TB, r *keyring.Ring) keyring.Withdrawal {
	tb.Helper()
	done, err := r.Withdraw(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return done
}

// A thief of the database and the master key has the next and the previous keys too, so rotating
// to the next key would not help.
func TestWithdrawnKeysAreGoneWithTheNextAndThePreviousOnes(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *keyring.Ring, c *clocktest.Clock) {
		c.Advance(purpose.Lead)
		mustRotate(t, a) // so that there is a previous one
		c.Advance(time.Minute)
		stolen := published(t, a)
		if len(stolen) != 3 || len(published(t, b)) != 3 {
			t.Fatalf("published = %q, want a key of each stage", stolen)
		}
		done := withdraw(t, a)
		if got := signer(t, a); got != done.Current {
			t.Errorf("at once, this process signs with %q, want %q", got, done.Current)
		}
		slices.Sort(stolen)
		if gone := slices.Sorted(slices.Values(done.Withdrawn)); !slices.Equal(gone, stolen) {
			t.Errorf("withdrawn = %q, want %q", gone, stolen)
		}
		c.Advance(time.Minute)
		for name, r := range map[string]*keyring.Ring{"this": a, "the other": b} {
			if got, want := published(t, r), []string{done.Current, done.Next}; len(got) != 2 ||
				!slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
				t.Errorf("%s process publishes %q, want %q", name, got, want)
			}
			if got := signer(t, r); got != done.Current || slices.Contains(stolen, got) {
				t.Errorf("%s process signs with %q, want %q", name, got, done.Current)
			}
			for _, id := range stolen {
				if _, err := r.Key(t.Context(), id); !errors.Is(err, keyring.ErrUnknown) {
					t.Errorf("%s process: Key of a stolen key = %v, want ErrUnknown", name, err)
				}
			}
		}
		// The new keys rotate as usual.
		if r := mustRotate(t, a); r.Rotated || r.Current != done.Current || r.Next != done.Next {
			t.Errorf("Rotate at once after = %+v", r)
		}
		c.Advance(purpose.Lead)
		if r := mustRotate(t, b); !r.Rotated || r.Current != done.Next {
			t.Errorf("Rotate after the lead = %+v, want %s to sign", r, done.Next)
		}
	})
}

func TestKeysThatAreWithdrawnWhileOthersRotateAreGone(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *keyring.Ring, c *clocktest.Clock) {
		stolen := published(t, a)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 6 {
			r := []*keyring.Ring{a, b}[i%2]
			wg.Go(func() {
				<-start
				var err error
				if i < 2 {
					_, err = r.Withdraw(t.Context())
				} else {
					_, err = r.Rotate(t.Context(), true)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		c.Advance(time.Minute)
		left := published(t, b)
		for _, id := range stolen {
			if slices.Contains(left, id) {
				t.Errorf("%q is published after it was withdrawn: %q", id, left)
			}
		}
		stages := map[keyring.Stage]int{}
		keys, err := a.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			stages[k.Stage]++
		}
		if stages[keyring.StageCurrent] != 1 || stages[keyring.StageNext] != 1 {
			t.Errorf("keys = %+v, want one current and one next", keys)
		}
	})
}

func TestWithdrawalIsRecordedAndLeavesOtherPurposesAlone(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		c := clocktest.New(t0)
		db := dbtest.Open(t, url)
		r := ring(t, url, c)
		other := &keyring.Ring{Store: r.Store, Purpose: keyring.Purpose{Name: "license"}, Box: box(t), Now: c.Now}
		if err := other.Init(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, stolen := signer(t, other), published(t, r)
		done := withdraw(t, r)
		c.Advance(time.Minute)
		if got := signer(t, other); got != before {
			t.Errorf("the key of another purpose is %q, was %q", got, before)
		}
		entries, _, err := store.NewAudit(db).ListEntries(t.Context(), audit.Query{Limit: 10})
		if err != nil || len(entries) != 1 || entries[0].Action != audit.KeysWithdraw ||
			entries[0].Target.ID != done.Current {
			t.Fatalf("audit = %+v, %v; want one %s", entries, err, audit.KeysWithdraw)
		}
		if d := entries[0].Details; d["purpose"] != purpose.Name || fmt.Sprint(d["withdrawn"]) != fmt.Sprint(stolen) {
			t.Errorf("details = %v, want purpose %s and withdrawn %q", d, purpose.Name, stolen)
		}
	})
}
