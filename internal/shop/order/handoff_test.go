package order_test

import (
	"testing"
	"time"

	"stoa/internal/shop/order"
)

func TestStatesOfAHandoff(t *testing.T) {
	t.Parallel()

	t0 := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) time.Time { return t0.Add(d) }
	const day = 24 * time.Hour
	placed := order.Order{ID: "o", CreatedAt: in(time.Minute)}
	paid := placed
	paid.PaidAt = in(3 * day)
	late := placed
	late.PaidAt = in(time.Minute + 14*day)
	cancelled, refunded := late, paid
	cancelled.CancelledAt, refunded.RefundedAt = in(2*time.Minute), in(4*day)
	for _, tt := range []struct {
		name    string
		order   order.Order
		claimed time.Time
		state   order.HandoffState
		end     time.Duration
	}{
		{"nothing was ordered", order.Order{}, time.Time{}, order.HandoffIsOpen, time.Hour},
		{"an order was cancelled", cancelled, time.Time{}, order.HandoffIsOpen, time.Hour},
		{"an order waits for its payment", placed, time.Time{}, order.HandoffIsPending, time.Minute + 14*day},
		{"it was paid", paid, time.Time{}, order.HandoffIsPaid, 17 * day},
		{"it was paid too late", late, time.Time{}, order.HandoffIsPending, time.Minute + 14*day},
		{"the key was given", paid, in(5 * day), order.HandoffIsClaimed, 6 * day},
		{"it was refunded", refunded, time.Time{}, order.HandoffIsPaid, 4 * day},
		{"it was refunded after the key was given", refunded, in(3*day + time.Minute), order.HandoffIsPaid, 4 * day},
	} {
		h := order.Handoff{ID: "h", CreatedAt: t0, ClaimedAt: tt.claimed, Order: tt.order}
		state, end := h.At(in(tt.end - time.Millisecond))
		if state != tt.state || !end.Equal(in(tt.end)) {
			t.Errorf("%s: %s until %v, want %s until %v", tt.name, state, end, tt.state, in(tt.end))
		}
		if state, _ := h.At(in(tt.end)); state != order.HandoffIsOver {
			t.Errorf("%s: %s at its end", tt.name, state)
		}
	}
}
