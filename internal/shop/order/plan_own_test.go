package order_test

import (
	"errors"
	"slices"
	"testing"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// endsIt lets ada end the subscription of an order.
func (s *shop) endsIt(t *testing.T, o order.Order) {
	t.Helper()
	if _, err := s.EndSubscription(ada(t), o.ID); err != nil {
		t.Fatal(err)
	}
	s.bank.asked()
}

// The provider of a subscription knows nothing of the periods that its owner paid ahead: the dearer plan is paid for
// all of them, once, and the provider hears of it when the subscription goes on.
func TestADearerPlanIsPaidForThePeriodsPaidAhead(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.endsIt(t, o)
	s.renews(t, o, "")
	s.renews(t, o, "")
	end := s.license(t, o).ExpiresAt
	s.collects(1)
	s.bank.asked()
	s.costs(t, o, "middle", 3000, 3000)
	s.has(t, o, "middle", end, "")
	if got := s.bank.asked(); slices.ContainsFunc(got, isChange) {
		t.Errorf("the provider was asked for %q", got)
	}
	on := s.willRenew(o)
	s.tell(t, on)
	if got, want := s.bank.asked(), []string{"change sub-" + o.ID + " 2000 later"}; !slices.Equal(got, want) {
		t.Errorf("the provider was asked for %q, want %q", got, want)
	}

	// The periods are still ahead of what the provider charged.
	s.costs(t, o, "huge", 5997, 5998) // an hour later
	s.has(t, o, "huge", end, "")
	if got, want := s.bank.asked(), "change sub-"+o.ID+" 4000 later"; !slices.Contains(got, want) {
		t.Errorf("the provider was asked for %q, want %q among it", got, want)
	}
	s.tell(t, on)
	if s.sweep(t); len(s.bank.asked()) > 0 {
		t.Error("the provider is asked again")
	}
}

func isChange(asked string) bool { return len(asked) > 6 && asked[:6] == "change" }

// A year that the provider charged was given back, because the seats were taken meanwhile, and its subscription ends:
// its figures would credit the year once more.
func TestAYearThatWasGivenBackIsNotCredited(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "middle", false)
	key := s.keyOf(t, o)
	s.collects(8000)
	s.bank.fail("change", errOutage)
	request := order.ChangeRequest{TierID: "year", OrderID: "n2b6v9c1x4z7l0k3j5h8g1f4"}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); err == nil {
		t.Fatal("the provider answered")
	}
	s.takeSeats(t, key, 2)
	s.bank.fail("change", nil)
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); !errors.Is(err, order.ErrCancelled) {
		t.Fatalf("ChangePlan = %v", err)
	}
	s.collects(0)
	s.costs(t, o, "large", 2000, 1000)
}

// What is paid on a page is not settled by an invoice of the operator, nor made by the sweep.
func TestAChangeOfItsOwnFiguresWaitsForItsPage(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.endsIt(t, o)
	b := s.change(t, o, "large")
	s.bank.asked()
	e := s.adjusted(o, payment.Adjusted, 12345)
	e.Reference.Invoice = "dashboard-1"
	if n := s.tell(t, e); n.Warning == "" {
		t.Errorf("notice = %+v", n)
	}
	if s.sweep(t); slices.ContainsFunc(s.bank.asked(), isChange) {
		t.Error("the sweep has the provider change the plan")
	}
	if got := s.state(t, b.OrderID); got != "pending, license paid" {
		t.Errorf("the change is %s", got)
	}
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	s.has(t, o, "large", s.license(t, o).ExpiresAt, "")

	// An outage before its page is known leaves it to the same request.
	s, o = subscribed(t, "small", false)
	s.endsIt(t, o)
	s.bank.fail("begin", errOutage)
	request := order.ChangeRequest{TierID: "large", OrderID: "n2b6v9c1x4z7l0k3j5h8g1f4"}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); err == nil {
		t.Fatal("the provider answered")
	}
	s.bank.asked()
	if s.sweep(t); slices.ContainsFunc(s.bank.asked(), isChange) {
		t.Error("the sweep has the provider change the plan")
	}
	s.bank.fail("begin", nil)
	again, err := s.ChangePlan(ada(t), o.LicenseID, request)
	if err != nil || again.PaymentURL == "" {
		t.Errorf("the same request: %+v, %v", again, err)
	}
}
