package store_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testClaims(t *testing.T, open Open) {
	t.Run("orders and licenses of an address are claimed together", func(t *testing.T) {
		t.Parallel()
		testClaimOrders(t, shopDB(t, open))
	})
	t.Run("a claim takes no trial that was not bought", func(t *testing.T) {
		t.Parallel()
		testClaimUnpaid(t, shopDB(t, open))
	})
	t.Run("claims", func(t *testing.T) { t.Parallel(); testTakeClaim(t, store.NewClaims(open(t))) })
	t.Run("of many who take a claim, one gets it", func(t *testing.T) {
		t.Parallel()
		testTakeOnce(t, store.NewClaims(open(t)))
	})
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		db := open(t)
		testLinks(t, store.NewReceipts(db), store.NewClaims(db))
	})
	t.Run("what fails in a transaction leaves nothing", func(t *testing.T) {
		t.Parallel()

		db, stop := shopDB(t, open), errors.New("stop")
		mustOrder(t, store.NewOrders(db), Order("o", "a", "anonymous", "a@b.c", T0))
		s := store.NewClaims(db)
		mustClaim(t, s, "h", "u1", "a@b.c", T0)
		err := s.InTx(t.Context(), func(tx order.ClaimStore) error {
			_, err1 := tx.TakeClaim(t.Context(), "h", "u1", time.Unix(0, 0))
			n, err2 := tx.ClaimOrders(t.Context(), "a@b.c", "u1")
			if n != 1 {
				t.Errorf("claimed %d in the transaction, want 1", n)
			}
			return errors.Join(err1, err2, stop)
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if some, err := s.HasUnclaimed(t.Context(), "a@b.c"); !some || err != nil {
			t.Errorf("HasUnclaimed = %v, %v; want the order unclaimed again", some, err)
		}
		if _, err := s.TakeClaim(t.Context(), "h", "u1", time.Unix(0, 0)); err != nil {
			t.Errorf("the claim is gone: %v", err)
		}
	})
}

func testClaimOrders(t *testing.T, db *database.DB) {
	sales, s := store.NewOrders(db), store.NewClaims(db)
	mustOrder(t, sales, Order("hers", "a", "anonymous", " A@B.c", T0))
	mustOrder(t, sales, Order("hers-too", "b", "anonymous", "a@b.c", T0))
	mustOrder(t, sales, Order("owned", "a", "u2", "a@b.c", T0))
	mustOrder(t, sales, Order("other", "a", "anonymous", "b@b.c", T0))
	mustOrder(t, sales, Order("none", "a", "anonymous", "", T0))
	mustOrder(t, sales, Order("two", "a", "anonymous", "a@b.c, b@b.c", T0))

	for key, want := range map[string]bool{"a@b.c": true, "b@b.c": true, "c@b.c": false, "": false} {
		if some, err := s.HasUnclaimed(t.Context(), key); some != want || err != nil {
			t.Errorf("HasUnclaimed(%q) = %v, %v; want %v", key, some, err, want)
		}
	}
	for _, want := range []int{2, 0} {
		if n, err := s.ClaimOrders(t.Context(), "a@b.c", "u1"); n != want || err != nil {
			t.Errorf("ClaimOrders = %d, %v; want %d", n, err, want)
		}
	}
	for id, want := range map[string]string{
		"hers": "u1", "hers-too": "u1", "owned": "u2", "other": "anonymous", "none": "anonymous", "two": "anonymous",
	} {
		o, err := sales.OrderByID(t.Context(), id)
		if err != nil || o.UserID != want {
			t.Errorf("order %s is %s's (%v), want %s's", id, o.UserID, err, want)
		}
		u, err := store.NewLicenses(db).LicenseByKey(t.Context(), strings.TrimPrefix(o.ProductID, "prod-"), "hash-"+id, "x")
		if err != nil || u.License.UserID != want {
			t.Errorf("license %s is %s's (%v), want %s's", id, u.License.UserID, err, want)
		}
	}
}

func mustClaim(tb testing.TB, s *store.Claims, hash, userID, key string, at time.Time) order.Claim {
	tb.Helper()
	c := order.Claim{Hash: hash, UserID: userID, EmailKey: key, CreatedAt: at}
	if err := s.CreateClaim(tb.Context(), c); err != nil {
		tb.Fatal(err)
	}
	return c
}

func testTakeClaim(t *testing.T, s *store.Claims) {
	ctx := t.Context()
	want := mustClaim(t, s, "h1", "u1", "a@b.c", T0)
	mustClaim(t, s, "h2", "u1", "a@b.c", T0)
	mustClaim(t, s, "h3", "u1", "b@b.c", T0)
	mustClaim(t, s, "h4", "u2", "a@b.c", T0)
	wantKind(t, s.CreateClaim(ctx, order.Claim{Hash: "h1", UserID: "u2", EmailKey: "x", CreatedAt: T0}), errs.Conflict)
	taken := func(hash, user string, since time.Time) error {
		_, err := s.TakeClaim(ctx, hash, user, since)
		return err
	}
	before := T0.Add(-time.Millisecond)
	wantKind(t, taken("h9", "u1", before), errs.NotFound)
	wantKind(t, taken("h1", "u2", before), errs.NotFound) // somebody else's
	wantKind(t, taken("h1", "u1", T0), errs.NotFound)     // too old
	got, err := s.TakeClaim(ctx, "h1", "u1", before)
	if diff := cmp.Diff(got, want); err != nil || diff != "" {
		t.Errorf("TakeClaim: %v (-got +want):\n%s", err, diff)
	}
	wantKind(t, taken("h1", "u1", before), errs.NotFound) // used
	wantKind(t, taken("h2", "u1", before), errs.NotFound) // deleted with it
	if err := errors.Join(taken("h3", "u1", before), taken("h4", "u2", before)); err != nil {
		t.Errorf("claims of another address or user are gone too: %v", err)
	}

	mustClaim(t, s, "old", "u1", "a@b.c", T0)
	mustClaim(t, s, "new", "u1", "b@b.c", T0.Add(time.Millisecond))
	if err := s.DeleteClaims(ctx, T0); err != nil {
		t.Fatal(err)
	}
	wantKind(t, taken("old", "u1", before), errs.NotFound)
	if err := taken("new", "u1", before); err != nil {
		t.Errorf("a claim after until is gone: %v", err)
	}
}

func testTakeOnce(t *testing.T, s *store.Claims) {
	mustClaim(t, s, "h", "u1", "a@b.c", T0)
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for range 8 {
		wg.Go(func() {
			switch _, err := s.TakeClaim(t.Context(), "h", "u1", time.Unix(0, 0)); {
			case err == nil:
				taken.Add(1)
			case errs.KindOf(err) != errs.NotFound:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if taken.Load() != 1 {
		t.Errorf("taken %d times, want once", taken.Load())
	}
}
