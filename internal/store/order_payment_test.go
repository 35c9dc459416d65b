package store_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/store"
)

func testPayments(t *testing.T, open Open) {
	t.Run("of many who record an event, one records it first", func(t *testing.T) {
		t.Parallel()

		s := store.NewOrders(shopDB(t, open))
		mustOrder(t, s, Order("o", "a", "anonymous", "", T0))
		e := payment.Event{ID: "evt", Type: "paid"}
		var (
			wg    sync.WaitGroup
			fresh atomic.Int32
		)
		for range 8 {
			wg.Go(func() {
				first, err := s.AddPaymentEvent(t.Context(), "stripe", e, "o", T0)
				if err != nil {
					t.Error(err)
				}
				if first {
					fresh.Add(1)
				}
			})
		}
		wg.Wait()
		other, err := s.AddPaymentEvent(t.Context(), "other", e, "o", T0)
		if fresh.Load() != 1 || !other || err != nil {
			t.Errorf("%d were the first, want 1; another provider's: %v, %v", fresh.Load(), other, err)
		}
	})
	t.Run("an order is found by its payment, or else its subscription", func(t *testing.T) {
		t.Parallel()

		s := store.NewOrders(shopDB(t, open))
		for id, ref := range map[string]payment.Reference{
			"o1": {Payment: "p1", Subscription: "s1"}, "o2": {Payment: "p2"}, "o3": {Subscription: "s3"},
		} {
			o := Order(id, "a", "anonymous", "", T0)
			o.Provider, o.Payment = "stripe", ref
			mustOrder(t, s, o)
		}
		for _, tt := range []struct {
			provider string
			ref      payment.Reference
			want     string
		}{
			{"stripe", payment.Reference{Payment: "p1"}, "o1"},
			{"stripe", payment.Reference{Subscription: "s1"}, "o1"},
			{"stripe", payment.Reference{Payment: "p2", Subscription: "s1"}, "o2"},
			{"stripe", payment.Reference{Payment: "p9", Subscription: "s3"}, "o3"},
			{"stripe", payment.Reference{}, ""},
			{"stripe", payment.Reference{Payment: "s1", Subscription: "p1"}, ""},
			{"other", payment.Reference{Payment: "p1"}, ""},
		} {
			o, err := s.OrderByPayment(t.Context(), tt.provider, tt.ref)
			if tt.want == "" {
				wantKind(t, err, errs.NotFound)
			} else if err != nil || o.ID != tt.want {
				t.Errorf("OrderByPayment(%s, %+v) = %s, %v; want %s", tt.provider, tt.ref, o.ID, err, tt.want)
			}
		}
	})
	t.Run("unfinished orders", func(t *testing.T) { t.Parallel(); testUnfinished(t, store.NewOrders(shopDB(t, open))) })
	t.Run("new work is tried at once", func(t *testing.T) { t.Parallel(); testNewWork(t, shopDB(t, open)) })
}

func testUnfinished(t *testing.T, s *store.Orders) {
	n := 0
	add := func(id string, created time.Time, change func(*order.Order)) {
		o := Order(id, "a", "anonymous", "", created)
		o.Provider, o.PaidAt = "stripe", time.Time{}
		change(&o)
		mustOrder(t, s, o)
		n++
	}
	add("pending", T0, func(*order.Order) {})
	add("young", T0.Add(time.Millisecond), func(*order.Order) {})
	add("begun", T0, func(o *order.Order) { o.PaymentURL = "https://pay.example" })
	add("other", T0, func(o *order.Order) { o.Provider = "other" })
	add("paid", T0, func(o *order.Order) { o.PaidAt = T0 })
	add("cancelled", T0, func(o *order.Order) { o.CancelledAt = T0 })
	add("late", T0.Add(time.Hour), func(o *order.Order) {
		o.PaidAt, o.CancelledAt, o.PaymentURL = T0, T0, "https://pay.example"
	})
	add("back", T0, func(o *order.Order) { o.PaidAt, o.CancelledAt, o.RefundedAt = T0, T0, T0 })
	add("over", T0.Add(2*time.Hour), func(o *order.Order) {
		o.PaidAt, o.RefundedAt, o.Payment.Subscription = T0, T0, "s1"
	})
	add("void", T0.Add(3*time.Hour), func(o *order.Order) { o.CancelledAt, o.Payment.Subscription = T0, "s2" })
	add("ended", T0, func(o *order.Order) {
		o.PaidAt, o.RefundedAt, o.EndedAt, o.Payment.Subscription = T0, T0, T0, "s3"
	})
	asked := T0.Add(5 * time.Hour)
	add("change", asked, func(o *order.Order) { o.Kind, o.Follows = order.Change, true })
	add("younger change", asked.Add(time.Millisecond), func(o *order.Order) { o.Kind, o.Follows = order.Change, true })
	add("page of a change", asked, func(o *order.Order) {
		o.Kind, o.Follows, o.Payment.Session = order.Change, true, "page"
	})
	add("renewal", asked, func(o *order.Order) { o.Kind, o.Follows = order.Renewal, true })
	add("goes on", T0, func(o *order.Order) { o.PaidAt, o.Payment.Subscription = T0, "s4" })
	want := func(now time.Time, want string) {
		t.Helper()
		found, err := s.UnfinishedOrders(t.Context(), "stripe", order.Waited{Any: T0, Change: asked}, now)
		var ids []string
		for _, o := range found {
			ids = append(ids, fmt.Sprint(o.ID, ":", o.Tries))
		}
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("UnfinishedOrders = %q, %v; want %q", got, err, want)
		}
	}
	// The pending orders, the one to refund, and the subscriptions to end.
	want(T0, "begun:0 pending:0 late:0 over:0 void:0 change:0")
	before := map[string]int{}
	putOff := func(id string, tries int, next time.Time) {
		t.Helper()
		if err := s.PutOff(t.Context(), id, before[id], tries, next); err != nil {
			t.Fatal(err)
		}
		before[id] = tries
	}
	putOff("begun", 3, T0.Add(2*time.Hour))
	putOff("pending", 1, T0.Add(3*time.Hour))
	want(T0.Add(2*time.Hour-time.Millisecond), "late:0 over:0 void:0 change:0")
	want(T0.Add(3*time.Hour), "late:0 over:0 void:0 change:0 begun:3 pending:1") // the longest waiting first
	putOff("begun", order.SweepTries, T0.Add(time.Hour))
	putOff("pending", order.SweepTries-1, T0.Add(time.Hour))
	want(T0.Add(3*time.Hour), fmt.Sprint("late:0 over:0 void:0 change:0 pending:", order.SweepTries-1))
	for range 101 {
		add("more"+strings.Repeat("x", n), T0, func(*order.Order) {})
	}
	if found, err := s.UnfinishedOrders(t.Context(), "stripe", order.Waited{Any: T0, Change: T0}, T0); err != nil || len(found) != 100 {
		t.Errorf("%d unfinished orders at once, %v; want 100", len(found), err)
	}
}
