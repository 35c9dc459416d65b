package store_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"stoa/internal/account/leave"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

// triedByOthers stores trials of guests, each with a purchase by a guest with ada's mailbox, by what became of that. It
// returns which of the trials are ada's with her orders.
func triedByOthers(t *testing.T, db *database.DB) map[string]bool {
	t.Helper()
	paid, over := T0.Add(time.Hour), T0.Add(2*time.Hour)
	bought := make(map[string]bool)
	for id, tt := range map[string]struct {
		set func(*order.Order)
		own bool
	}{
		"pending":        {func(*order.Order) {}, false},
		"cancelled":      {func(o *order.Order) { o.CancelledAt = over }, false},
		"paid-too-late":  {func(o *order.Order) { o.PaidAt, o.CancelledAt = over, paid }, false},
		"given-back":     {func(o *order.Order) { o.PaidAt, o.CancelledAt, o.RefundedAt = over, paid, over }, false},
		"bought":         {func(o *order.Order) { o.PaidAt = paid }, true},
		"bought-for-now": {func(o *order.Order) { o.PaidAt, o.RefundedAt = paid, over }, true},
	} {
		sales := store.NewOrders(db)
		trial := Order(id, "a", reqctx.Anonymous, "guest@example.com", T0)
		trial.Trial = true
		mustOrder(t, sales, trial)
		o := Order("of-"+id, "a", reqctx.Anonymous, "ada@example.com", T0)
		o.LicenseID, o.Follows, o.PaidAt = id, true, time.Time{}
		tt.set(&o)
		if err := sales.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		bought[id] = tt.own
	}
	return bought
}

// owners fails unless the licenses that are somebody's with ada's orders have that owner, and the others none.
func owners(t *testing.T, db *database.DB, bought map[string]bool, owner string) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(bought)) {
		want := reqctx.Anonymous
		if bought[id] {
			want = owner
		}
		if l, err := store.NewOrders(db).LicenseByID(t.Context(), id); err != nil || l.UserID != want {
			t.Errorf("the trial %q is %s's (%v), want %s's", id, l.UserID, err, want)
		}
		if o, err := store.NewOrders(db).OrderByID(t.Context(), "of-"+id); err != nil || o.UserID != owner {
			t.Errorf("the order for the trial %q is %s's (%v), want %s's", id, o.UserID, err, owner)
		}
		if o, err := store.NewOrders(db).OrderByID(t.Context(), id); err != nil || o.UserID != reqctx.Anonymous {
			t.Errorf("the order of the trial %q is %s's (%v)", id, o.UserID, err)
		}
	}
}

// Whoever wanted to buy the trial of a guest, and did not pay, does not get it by claiming their orders.
func testClaimUnpaid(t *testing.T, db *database.DB) {
	bought := triedByOthers(t, db)
	n, err := store.NewClaims(db).ClaimOrders(t.Context(), "ada@example.com", "ada")
	if n != len(bought) || err != nil {
		t.Errorf("ClaimOrders = %d, %v; want %d", n, err, len(bought))
	}
	owners(t, db, bought, "ada")
}

// Neither does it go with them when they leave.
func testEraseUnpaid(t *testing.T, db *database.DB) {
	bought := triedByOthers(t, db)
	s := store.Leave{Account: store.NewAccount(db)}
	ada := credentials("ada")
	ada.Email, ada.ProvenAt = "ada@example.com", T0
	mustCreateUser(t, s.Account, ada)
	err := s.InTx(t.Context(), func(tx leave.Store) error { return tx.Erase(t.Context(), ada, T0.Add(-time.Minute)) })
	if err != nil {
		t.Fatal(err)
	}
	owners(t, db, bought, reqctx.Deleted)
}
