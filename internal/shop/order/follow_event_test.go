package order_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit/dbtest"
)

// backNow is the event that what an order was paid with is refunded now.
func (s *shop) backNow(o order.Order) payment.Event {
	e := s.paidNow(o, true)
	e.ID, e.Kind, e.Minor = "back-"+o.ID, payment.Refunded, 0
	return e
}

// left returns what was not given back of the payments of an order.
func (s *shop) left(t *testing.T, id string) (sum int64) {
	t.Helper()
	list, err := s.store.PaymentsOf(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		sum += p.Left()
	}
	return sum
}

// A payment and its refund end in the same state, whichever is told first: what was refunded does not take effect.
func TestAChangeOrARenewalThatIsRefundedHasNoEffectInAnyOrderOfEvents(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		s.sellPlans(t)
		for name, ask := range map[string]func(o order.Order) (order.Bought, error){
			"change": func(o order.Order) (order.Bought, error) {
				return s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge"})
			},
			"change of the period": func(o order.Order) (order.Bought, error) {
				return s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "year"})
			},
			"renewal": func(o order.Order) (order.Bought, error) {
				return s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
			},
		} {
			each([]bool{true, false}, func(turns []bool) {
				what := fmt.Sprint(name, ", paid first: ", turns[0])
				o := s.subscribes(t, "small", true)
				end := s.license(t, o).ExpiresAt
				b, err := ask(o)
				if err != nil {
					t.Fatal(what, err)
				}
				f := s.order(t, b.OrderID)
				for _, pays := range turns {
					if s.clock.Advance(time.Minute); pays {
						s.tell(t, s.paidNow(f, true))
					} else {
						s.tell(t, s.backNow(f))
					}
				}
				s.has(t, o, "small", end, "")
				if got := s.state(t, f.ID); got != "refunded, license paid" || s.left(t, f.ID) != 0 {
					t.Errorf("%s: the order is %s, and %d are left", what, got, s.left(t, f.ID))
				}
				if asked := s.bank.asked(); slices.ContainsFunc(asked, func(call string) bool { return call != "begin" }) {
					t.Errorf("%s: the bank was asked %q", what, asked)
				}
				if _, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{}); err != nil {
					t.Errorf("%s: the next order: %v", what, err)
				}
				s.bank.asked()
			})
		}
	})
}

// The invoice of a change at the provider may be refunded before its payment is told.
func TestAChangeAtTheProviderThatIsRefundedFirstHasNoEffect(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	end := s.license(t, o).ExpiresAt
	s.waits("change-1")
	b := s.change(t, o, "large")
	s.bank.asked()
	back := s.adjusted(o, payment.PeriodRefunded, 500)
	back.Whole = 500
	s.tell(t, back)
	s.tell(t, s.adjusted(o, payment.Adjusted, 500))
	s.has(t, o, "small", end, "")
	if got := s.state(t, b.OrderID); got != "refunded, license paid" || s.left(t, b.OrderID) != 0 {
		t.Errorf("the change is %s, and %d are left", got, s.left(t, b.OrderID))
	}
	// The provider gave the subscription the plan that was paid, and is asked for the one that stands.
	if got := s.bank.asked(); len(got) == 0 || got[len(got)-1] != "change sub-"+o.ID+" 1000 later" {
		t.Errorf("the bank was asked %q", got)
	}
}
