package store_test

import (
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/market/handoff"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

func testHandoffs(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *store.Orders, *store.Handoffs){
		"a handoff comes back as it was stored":             testHandoff,
		"the first claim counts":                            testHandoffClaim,
		"old handoffs are deleted":                          testHandoffSweep,
		"a handoff is locked, and its order read afterward": testHandoffLock,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db := shopDB(t, open)
			test(t, store.NewOrders(db), store.NewHandoffs(db))
		})
	}
}

// created stores a handoff for the tier pro of a product.
func created(tb testing.TB, s *store.Handoffs, id, productID string, at time.Time) handoff.Handoff {
	tb.Helper()
	h := handoff.Handoff{
		Handoff:  order.Handoff{ID: id, ProductID: productID, TierID: "pro", LicenseID: "l0", CreatedAt: at},
		Instance: "b.example.org", PlatformID: "b", ReturnURL: "https://b.example.org/", SecretHash: "hash",
	}
	if err := s.Create(tb.Context(), h); err != nil {
		tb.Fatal(err)
	}
	return h
}

func testHandoff(t *testing.T, orders *store.Orders, s *store.Handoffs) {
	h := created(t, s, "h1", "prod-a", T0)
	h.ProductSlug = "a"
	got, err := s.ByID(t.Context(), "h1")
	if diff := gocmp.Diff(h, got); diff != "" || err != nil {
		t.Errorf("ByID: %v (-want +got)\n%s", err, diff)
	}
	mustBe(t, "another id", failure(s.ByID(t.Context(), "h2")), errs.NotFound)
	mustBe(t, "another id, for an order", failure(orders.HandoffByID(t.Context(), "h2")), errs.NotFound)
	mustBe(t, "binding another id", orders.BindHandoff(t.Context(), "h2", "o1"), errs.NotFound)
	mustBe(t, "the same id", s.Create(t.Context(), h), errs.Conflict)

	o := mustOrder(t, orders, Order("o1", "a", "anonymous", "", T0))
	if err := orders.BindHandoff(t.Context(), "h1", "o1"); err != nil {
		t.Fatal(err)
	}
	h.Order = o
	if got, err := orders.HandoffByID(t.Context(), "h1"); err != nil || gocmp.Diff(h.Handoff, got) != "" {
		t.Errorf("with an order: %v (-want +got)\n%s", err, gocmp.Diff(h.Handoff, got))
	}
	created(t, s, "h3", "deleted", T0)
	if got, err := s.ByID(t.Context(), "h3"); err != nil || got.ProductSlug != "" {
		t.Errorf("of a product that was deleted: %+v, %v", got, err)
	}
}

func failure[T any](_ T, err error) error { return err }

func testHandoffClaim(t *testing.T, _ *store.Orders, s *store.Handoffs) {
	created(t, s, "h1", "p", T0)
	created(t, s, "h2", "p", T0)
	for i := range 2 {
		if err := s.Claim(t.Context(), "h1", T0.Add(time.Duration(i+1)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.ByID(t.Context(), "h1")
	if err != nil || !got.ClaimedAt.Equal(T0.Add(time.Hour)) {
		t.Errorf("claimed at %v (%v), want the first time", got.ClaimedAt, err)
	}
	if got, err := s.ByID(t.Context(), "h2"); err != nil || !got.ClaimedAt.IsZero() {
		t.Errorf("another one is claimed: %+v, %v", got, err)
	}
}

func testHandoffSweep(t *testing.T, _ *store.Orders, s *store.Handoffs) {
	created(t, s, "h1", "p", T0)
	created(t, s, "h2", "p", T0.Add(time.Millisecond))
	if err := s.Sweep(t.Context(), T0); err != nil {
		t.Fatal(err)
	}
	mustBe(t, "the old one", failure(s.ByID(t.Context(), "h1")), errs.NotFound)
	mustBe(t, "the later one", failure(s.ByID(t.Context(), "h2")), "")
}

func testHandoffLock(t *testing.T, orders *store.Orders, s *store.Handoffs) {
	created(t, s, "h1", "prod-a", T0)
	for _, id := range []string{"o0", "o1", "o2", "o3"} {
		mustOrder(t, orders, Order(id, "a", "anonymous", "", T0))
	}
	var bound [4]bool
	var wg sync.WaitGroup
	for i, id := range []string{"o0", "o1", "o2", "o3"} {
		wg.Go(func() {
			err := orders.InTx(t.Context(), func(tx order.Store) error {
				h, err := tx.HandoffByID(t.Context(), "h1")
				if bound[i] = err == nil && h.Order.ID == ""; !bound[i] {
					return err
				}
				return tx.BindHandoff(t.Context(), "h1", id)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, was := range bound {
		if was {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d orders found the handoff without one, want 1", n)
	}
}
