package order_test

import (
	"slices"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit/dbtest"
)

// nextPeriod is the event that the second period of a subscription is paid now.
func (s *shop) nextPeriod(t *testing.T, o order.Order) payment.Event {
	t.Helper()
	end := s.license(t, o).ExpiresAt
	return payment.Event{
		ID: "second-" + o.ID, Kind: payment.Renewed, At: s.clock.Now().Truncate(time.Second), OrderID: o.ID,
		Until: end.AddDate(0, 1, 0), Minor: o.Amount.Minor, Exponent: 2, Currency: "EUR",
		Reference: payment.Reference{Invoice: "second-" + o.ID, Subscription: o.Payment.Subscription},
	}
}

// A period that is paid while the provider gives everything back is neither kept nor only said to be given back,
// whether the provider tells of it before the refund is recorded or after.
func TestAPeriodPaidDuringARefundGoesBack(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		s.sellPlans(t)
		for name, refund := range map[string]func(o order.Order){
			"at once": func(o order.Order) {
				if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil {
					t.Error(err)
				}
			},
			"the last part": func(o order.Order) {
				if _, err := s.Refund(admin(t), o.ID, part("10")); err != nil {
					t.Error(err)
				}
			},
			"after an outage": func(o order.Order) {
				s.bank.fail("refund", errOutage)
				if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err == nil {
					t.Error("the provider answered")
				}
				s.bank.fail("refund", nil)
				s.bank.asked()
				s.sweep(t)
			},
		} {
			for _, first := range []bool{true, false} {
				if first && name == "the last part" {
					continue // then it is not the last one
				}
				o := s.subscribes(t, "small", false)
				s.clock.Advance(100 * time.Millisecond)
				var paid payment.Event
				s.bank.during = func() {
					s.clock.Advance(300 * time.Millisecond) // less than what providers count by
					if paid = s.nextPeriod(t, o); first {
						s.tell(t, paid)
					}
					s.clock.Advance(time.Minute)
				}
				if name == "after an outage" {
					during := s.bank.during
					s.bank.during = func() { s.bank.during = during } // the first call has no answer
				}
				if refund(o); !first {
					s.tell(t, paid)
				}
				const want = "refunded, license paid, license revoked, subscription ended"
				if got := s.state(t, o.ID); got != want || s.left(t, o.ID) != 0 {
					t.Errorf("%s, told first %v: %s, and %d are left", name, first, got, s.left(t, o.ID))
				}
				// It is asked for all again, or for the period.
				all, end, period := "refund pay-"+o.ID+"first-"+o.ID, "end sub-"+o.ID, "refund second-"+o.ID
				calls := []string{all, end, period}
				switch {
				case first:
					calls = []string{all, all, end}
				case name == "the last part":
					calls[0] += " part 1000"
				}
				if got := s.bank.asked(); !slices.Equal(got, calls) {
					t.Errorf("%s, told first %v: the bank was asked %q, want %q", name, first, got, calls)
				}
			}
		}
	})
}
