package order_test

import (
	"testing"
	"time"

	"stoa/internal/shop/order"
)

func TestTheStatusOfAnOrderFollowsFromItsFacts(t *testing.T) {
	t.Parallel()

	at := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		paid, refunded, cancelled bool
		want                      order.Status
	}{
		{false, false, false, order.Pending},
		{true, false, false, order.Paid},
		{true, true, false, order.Refunded},
		{false, true, false, order.Refunded},
		{false, false, true, order.Cancelled},
		{true, false, true, order.Cancelled}, // paid too late
		{true, true, true, order.Cancelled},  // and refunded
	}
	for _, tt := range tests {
		var o order.Order
		for fact, is := range map[*time.Time]bool{
			&o.PaidAt: tt.paid, &o.RefundedAt: tt.refunded, &o.CancelledAt: tt.cancelled,
		} {
			if is {
				*fact = at
			}
		}
		if got := o.Status(); got != tt.want {
			t.Errorf("paid %v, refunded %v, cancelled %v: %s, want %s",
				tt.paid, tt.refunded, tt.cancelled, got, tt.want)
		}
	}
}

// The sweep tries an order that it cannot finish less and less often, but at least once a day.
func TestPausesBetweenTriesGrowToADay(t *testing.T) {
	t.Parallel()

	for tries, want := range map[int]time.Duration{
		1: 10 * time.Minute, 2: 20 * time.Minute, 8: 1280 * time.Minute, 9: 24 * time.Hour,
		order.SweepTries: 24 * time.Hour, 100: 24 * time.Hour,
	} {
		if got := order.SweepPause(tries); got != want {
			t.Errorf("after %d tries: %s, want %s", tries, got, want)
		}
	}
}
