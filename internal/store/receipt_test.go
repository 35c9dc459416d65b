package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/store"
)

// mustReceipt creates an order and its receipt, due at once.
func mustReceipt(tb testing.TB, s *store.Orders, o order.Order, at time.Time) {
	tb.Helper()
	mustOrder(tb, s, o)
	if err := s.AddReceipt(tb.Context(), o.ID, at); err != nil {
		tb.Fatal(err)
	}
}

// mustLease leases a receipt and checks that it is the one of orderID, or that none
// is due if orderID is empty.
func mustLease(tb testing.TB, s *store.Receipts, orderID, lease string, now, until time.Time) order.DueReceipt {
	tb.Helper()
	d, ok, err := s.LeaseReceipt(tb.Context(), lease, now, until)
	if err != nil || ok != (orderID != "") || d.OrderID != orderID {
		tb.Errorf("LeaseReceipt at %v = %q, %v, %v; want %q", now, d.OrderID, ok, err, orderID)
	}
	return d
}

func testReceipts(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *store.Orders, *store.Receipts){
		"a delivery has its order, license and product":            testReceiptOfAnOrder,
		"a refunded order does not stand":                          testReceiptOfARefundedOrder,
		"a refund takes the place of the receipt, waiting or sent": testRefundNotices,
		"an order has one receipt, added by its transaction":       testOneReceipt,
		"leases": testLeases,
		"of many callers, each gets another receipt": testLeaseRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db := shopDB(t, open)
			test(t, store.NewOrders(db), store.NewReceipts(db))
		})
	}
}

// dueAt is when receipts are due, a second after the orders.
var dueAt = T0.Add(time.Second)

func testReceiptOfAnOrder(t *testing.T, sales *store.Orders, s *store.Receipts) {
	o := Order("o", "a", "anonymous", "a@b.c", T0)
	mustReceipt(t, sales, o, dueAt)
	got := mustLease(t, s, "o", "x", dueAt, dueAt)
	p, l := Product("a"), License("o", "a")
	l.UserID, l.Version = "anonymous", got.License.Version
	want := order.DueReceipt{
		OrderID: "o", UserID: "anonymous", Billing: o.Billing, Amount: o.Amount, Ordered: T0,
		ProductName: p.Name, TierName: got.TierName, License: l, Stands: true, Attempts: 1, Since: dueAt,
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("LeaseReceipt (-got +want):\n%s", diff)
	}
	if tier, ok := p.Tier(o.TierID); got.TierName != tier.Name && ok || got.TierName != o.TierID && !ok {
		t.Errorf("TierName = %q", got.TierName)
	}
}

func testReceiptOfARefundedOrder(t *testing.T, sales *store.Orders, s *store.Receipts) {
	o := Order("o", "a", "u1", "", T0)
	mustReceipt(t, sales, o, T0)
	o.PaidAt, o.RefundedAt = T0, dueAt
	if err := sales.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if d := mustLease(t, s, "o", "x", T0, T0); d.Stands || !d.Refunded || d.Billing != nil {
		t.Errorf("LeaseReceipt = %+v, want an order that does not stand and has no bill", d)
	}
}

func testRefundNotices(t *testing.T, sales *store.Orders, s *store.Receipts) {
	for _, id := range []string{"sent", "waits", "none"} {
		if id == "none" {
			mustOrder(t, sales, Order(id, "a", "u1", "", T0))
		} else {
			mustReceipt(t, sales, Order(id, "a", "u1", "", T0), T0)
		}
		if id == "sent" {
			mustLease(t, s, id, "x", T0, dueAt)
			if err := s.FinishReceipt(t.Context(), id, "x", order.ReceiptSent, T0); err != nil {
				t.Fatal(err)
			}
		}
		part := order.RefundNotice{ID: "part-" + id, OrderID: id, Minor: 100}
		whole := order.RefundNotice{ID: "whole-" + id, OrderID: id, Minor: 2890, Whole: true}
		for range 2 {
			for _, n := range []order.RefundNotice{part, whole} {
				if err := sales.AddRefundNotice(t.Context(), n, dueAt); err != nil {
					t.Fatal(err)
				}
			}
		}
		// The receipt that waited is not due any more.
		for _, lease := range []string{"y", "z"} {
			d := mustLease(t, s, id, lease, dueAt, dueAt.Add(time.Hour))
			if d.Attempts != 1 || !d.Since.Equal(dueAt) || d.Notice != part && d.Notice != whole {
				t.Errorf("%s: %d attempts, since %v, %+v", id, d.Attempts, d.Since, d.Notice)
			}
			if err := s.FinishReceipt(t.Context(), id, lease, order.ReceiptSent, dueAt); err != nil {
				t.Fatal(err)
			}
		}
		mustLease(t, s, "", "w", dueAt.Add(2*time.Hour), dueAt.Add(3*time.Hour))
	}
}

func testLeases(t *testing.T, sales *store.Orders, s *store.Receipts) {
	ctx, at := t.Context(), func(n int) time.Time { return T0.Add(time.Duration(n) * time.Second) }
	mustReceipt(t, sales, Order("late", "a", "u1", "", T0), at(5))
	mustReceipt(t, sales, Order("early", "a", "u1", "", T0), at(1))

	mustLease(t, s, "", "x", at(1).Add(-time.Millisecond), at(9)) // not yet
	mustLease(t, s, "early", "x", at(5), at(9))                   // the longest due
	mustLease(t, s, "late", "y", at(5), at(20))
	mustLease(t, s, "", "z", at(9).Add(-time.Millisecond), at(30)) // both are leased
	if d := mustLease(t, s, "early", "z", at(9), at(30)); d.Attempts != 2 {
		t.Errorf("%d attempts, want 2", d.Attempts)
	}
	// The lease of x has ended, so its holder no longer decides.
	err := errors.Join(s.FinishReceipt(ctx, "early", "x", order.ReceiptSent, at(10)),
		s.PostponeReceipt(ctx, "early", "x", at(10), 0))
	if err != nil {
		t.Fatal(err)
	}
	mustLease(t, s, "", "w", at(15), at(30))
	if err := s.PostponeReceipt(ctx, "early", "z", at(12), 7); err != nil {
		t.Fatal(err)
	}
	if d := mustLease(t, s, "early", "w", at(12), at(30)); d.Attempts != 8 {
		t.Errorf("%d attempts, want the 7 of the postponement and one more", d.Attempts)
	}
	err = errors.Join(s.FinishReceipt(ctx, "early", "w", order.ReceiptFailed, at(13)),
		s.FinishReceipt(ctx, "late", "y", order.ReceiptSent, at(13)))
	if err != nil {
		t.Fatal(err)
	}
	mustLease(t, s, "", "v", at(1000), at(2000))
}

func testLeaseRace(t *testing.T, sales *store.Orders, s *store.Receipts) {
	const n = 12
	for i := range n {
		mustReceipt(t, sales, Order(fmt.Sprintf("o%d", i), "a", "u1", "", T0), T0)
	}
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		got = make(map[string]int)
	)
	for w := range 6 {
		wg.Go(func() {
			for range n { // a caller may find none while others hold those that are due
				d, ok, err := s.LeaseReceipt(t.Context(), fmt.Sprint(w), T0, T0.Add(time.Hour))
				if err != nil {
					t.Error(err)
				}
				if ok {
					mu.Lock()
					got[d.OrderID]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for id, times := range got {
		if times != 1 {
			t.Errorf("%s was leased %d times", id, times)
		}
	}
	if len(got) != n {
		t.Errorf("%d receipts were leased, want %d", len(got), n)
	}
}

func testOneReceipt(t *testing.T, sales *store.Orders, s *store.Receipts) {
	mustReceipt(t, sales, Order("o", "a", "u1", "", T0), T0)
	mustLease(t, s, "o", "x", T0, T0.Add(time.Second))
	if err := sales.AddReceipt(t.Context(), "o", T0); err != nil { // again
		t.Fatal(err)
	}
	mustLease(t, s, "", "y", T0, T0.Add(time.Second))
	if err := s.FinishReceipt(t.Context(), "o", "x", order.ReceiptSent, T0); err != nil {
		t.Fatal(err)
	}
	if err := sales.AddReceipt(t.Context(), "o", T0); err != nil { // and again after it was sent
		t.Fatal(err)
	}
	mustLease(t, s, "", "y", T0.Add(time.Hour), T0)

	mustOrder(t, sales, Order("undone", "a", "u1", "", T0))
	stop := errors.New("stop")
	err := sales.InTx(t.Context(), func(tx order.Store) error {
		return errors.Join(tx.AddReceipt(t.Context(), "undone", T0), stop)
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	mustLease(t, s, "", "y", T0.Add(time.Hour), T0)
	if err := sales.AddReceipt(t.Context(), "unknown", T0); err == nil {
		t.Error("a receipt without an order was added")
	}
}
