package market_test

import (
	"testing"
	"time"

	"stoa/internal/market"
)

func TestTheStatusOfAnOrderFollowsFromItsFacts(t *testing.T) {
	t.Parallel()

	at := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		paid, refunded, cancelled bool
		want                      market.OrderStatus
	}{
		{false, false, false, market.OrderPending},
		{true, false, false, market.OrderPaid},
		{true, true, false, market.OrderRefunded},
		{false, true, false, market.OrderRefunded},
		{false, false, true, market.OrderCancelled},
		{true, false, true, market.OrderCancelled}, // paid too late
		{true, true, true, market.OrderCancelled},  // and given back
	}
	for _, tt := range tests {
		var o market.Order
		for fact, is := range map[*time.Time]bool{&o.PaidAt: tt.paid, &o.RefundedAt: tt.refunded, &o.CancelledAt: tt.cancelled} {
			if is {
				*fact = at
			}
		}
		if got := o.Status(); got != tt.want {
			t.Errorf("paid %v, refunded %v, cancelled %v: %s, want %s", tt.paid, tt.refunded, tt.cancelled, got, tt.want)
		}
	}
}

// An order that cannot be finished is asked about less and less, and once a day at
// least.
func TestPausesBetweenTriesGrowToADay(t *testing.T) {
	t.Parallel()

	for tries, want := range map[int]time.Duration{
		1: 10 * time.Minute, 2: 20 * time.Minute, 8: 1280 * time.Minute, 9: 24 * time.Hour, market.SweepTries: 24 * time.Hour, 100: 24 * time.Hour,
	} {
		if got := market.SweepPause(tries); got != want {
			t.Errorf("after %d tries: %s, want %s", tries, got, want)
		}
	}
}
