package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/account/leave"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/store"
)

// What is to be done for an order that was swept in vain before is tried at once: its tries were for something else.
func testNewWork(t *testing.T, db *database.DB) {
	s, left := store.NewOrders(db), store.Leave{Account: store.NewAccount(db)}
	ada, bob := credentials("ada"), credentials("bob")
	ada.Email, ada.ProvenAt = "ada@example.com", T0
	mustCreateUser(t, left.Account, ada)
	mustCreateUser(t, left.Account, bob)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	putOff := func(id string) {
		t.Helper()
		must(s.PutOff(t.Context(), id, 0, order.SweepTries, T0.Add(time.Hour)))
	}
	for _, o := range []order.Order{
		Order("refund", "a", reqctx.Anonymous, "", T0), Order("undo", "a", reqctx.Anonymous, "", T0),
		Order("of-ada", "a", "ada", "", T0), Order("of-bob", "a", "bob", "", T0),
		Order("of-a-guest", "a", reqctx.Anonymous, ada.Email, T0), Order("nothing", "a", "ada", "", T0),
	} {
		o.Provider = "stripe"
		if o.ID != "refund" && o.ID != "undo" && o.ID != "nothing" {
			o.Payment.Subscription = "sub-" + o.ID
		}
		if o.ID == "undo" {
			o.Kind, o.Follows = order.Change, true
		}
		mustOrder(t, s, o)
		putOff(o.ID)
	}
	found := func(want ...string) {
		t.Helper()
		list, err := s.UnfinishedOrders(t.Context(), "stripe", order.Waited{Any: T0, Change: T0}, T0)
		var got []string
		for _, o := range list {
			got = append(got, fmt.Sprint(o.ID, ":", o.Tries))
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("UnfinishedOrders = %q, %v; want %q", got, err, want)
		}
	}
	must(s.PutTerms(t.Context(), "undo", order.Terms{}))
	found()
	must(s.AddRefundDue(t.Context(), order.RefundDue{OrderID: "refund", ID: "r", Seq: 1, Minor: 1, At: T0}))
	must(s.PutTerms(t.Context(), "undo", order.Terms{Undo: true}))
	// A sweep that had found it before knows nothing of the refund.
	must(s.PutOff(t.Context(), "refund", order.SweepTries, order.SweepTries+1, T0.Add(time.Hour)))
	found("refund:0", "undo:0")
	putOff("undo")
	must(s.PutTerms(t.Context(), "undo", order.Terms{Undo: true}))
	found("refund:0") // it is no news
	must(left.InTx(t.Context(), func(tx leave.Store) error { return tx.Release(t.Context(), "bob") }))
	found("of-bob:0", "refund:0")
	must(left.InTx(t.Context(), func(tx leave.Store) error { return tx.Erase(t.Context(), ada, T0) }))
	found("of-a-guest:0", "of-ada:0", "of-bob:0", "refund:0")
	putOff("refund")
	found("of-a-guest:0", "of-ada:0", "of-bob:0")
	must(s.PutOff(t.Context(), "refund", order.SweepTries, 0, time.Time{}))
	found("of-a-guest:0", "of-ada:0", "of-bob:0", "refund:0")
}
