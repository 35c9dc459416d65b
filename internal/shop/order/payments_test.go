package order_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// period is the event that the invoice of a further period was paid.
func period(o order.Order, n int) payment.Event {
	return payment.Event{
		ID: fmt.Sprint("renewed-", n), Kind: payment.Renewed, At: opened.AddDate(0, n-1, 0), OrderID: o.ID,
		Minor: 4990, Exponent: 2, Currency: "EUR",
		Reference: payment.Reference{Invoice: fmt.Sprint("inv-", n), Subscription: "sub-1"},
	}
}

func (s *shop) payments(t *testing.T, o order.Order) (lines []string) {
	t.Helper()
	list, err := s.store.PaymentsOf(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		lines = append(lines, fmt.Sprint(p.Seq, " ", p.Invoice, " ", p.ID, " ", p.At.Format(time.DateTime), " ", p.Minor, "-", p.Refunded))
	}
	return lines
}

// However often and in whatever order events come, each period is paid once.
func TestEachPaidPeriodIsAPayment(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	if got := s.payments(t, o); got != nil {
		t.Errorf("before it is paid: %v", got)
	}
	each([]payment.Event{period(o, 2), paid(o)}, func(events []payment.Event) {
		s := openShop(t)
		o := s.buy(t, "monthly")
		for _, e := range append(events, events...) {
			e.OrderID = o.ID
			if e.Reference.Session != "" {
				e.Reference.Session = "page-" + o.ID
			}
			s.tell(t, e)
		}
		want := []string{
			"1 inv-1 pay-1 2030-03-01 12:01:00 4990-0", "2 inv-2  2030-04-01 12:00:00 4990-0",
		}
		if diff := cmp.Diff(want, s.payments(t, o)); diff != "" {
			t.Errorf("payments after %s first (-want +got):\n%s", events[0].ID, diff)
		}
	})
}

func TestAnOrderPaidAtOnceHasItsPayment(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.Payments = payment.Test{}
	o := s.buy(t, "once")
	if diff := cmp.Diff([]string{"1   2030-03-01 12:00:00 4990-0"}, s.payments(t, o)); diff != "" {
		t.Errorf("payments (-want +got):\n%s", diff)
	}
}
