package order_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/discount"
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

// However slow the provider is: a change costs what its quote said, so it is computed for the same second.
func TestAChangeIsProratedForTheSecondOfItsQuote(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellPlans(t)
	o := s.subscribes(t, "small", false)
	s.Now = func() time.Time {
		s.clock.Advance(700 * time.Millisecond)
		return s.clock.Now()
	}
	s.bank.figures = payment.Proration{Due: 777, Exponent: 2, Currency: "EUR"}
	s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Minor: 777, Exponent: 2, Currency: "EUR"}
	s.change(t, o, "large")
	s.change(t, o, "huge")
	at := s.bank.times
	if len(at) != 4 || !at[0].Equal(at[1]) || !at[2].Equal(at[3]) || !at[2].After(at[0]) {
		t.Errorf("quotes and changes are for %s", at)
	}
	s.change(t, o, "small") // later: no second counts
	if at := s.bank.times; len(at) != 5 || !at[4].IsZero() {
		t.Errorf("a later change is for %s", at)
	}
}

// Of a change the provider has the last word, be it less than the quote, nothing, or more.
func TestAChangeIsBookedAsTheProviderChargedIt(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name          string
		quote, charge int64
		want          []string
	}{
		{"less than the quote", 777, 770, []string{"1 change-1  2030-03-01 12:00:00 770-0"}},
		{"more than the quote", 777, 780, []string{"1 change-1  2030-03-01 12:00:00 780-0"}},
		{"nothing, as the customer had credit", 777, 0, nil},
		{"something, though nothing was expected", 0, 5, []string{"1 change-1  2030-03-01 12:00:00 5-0"}},
	} {
		s := openShop(t)
		s.sellPlans(t)
		o := s.subscribes(t, "small", false)
		s.bank.figures = payment.Proration{Due: tt.quote, Exponent: 2, Currency: "EUR"}
		s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Minor: tt.charge, Exponent: 2, Currency: "EUR"}
		changed := s.order(t, s.change(t, o, "large").OrderID)
		for range 2 {
			s.tell(t, s.adjusted(o, payment.Adjusted, tt.charge))
			if err := s.Sweep(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.payments(t, changed)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
		// The provider is asked to give back what was paid, and nothing else.
		s.bank.asked()
		if _, err := s.Refund(admin(t), changed.ID, order.RefundRequest{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if asked := slices.Contains(s.bank.asked(), "refund change-1"); asked != (tt.charge > 0) {
			t.Errorf("%s: the provider was asked for a refund: %v", tt.name, asked)
		}
		if got := s.payments(t, changed); len(got) != len(tt.want) {
			t.Errorf("%s: refunded %q", tt.name, got)
		}
	}
}

// A change for which nothing was charged is over once the order that issued the license is refunded in the dashboard:
// the provider is asked to give back nothing.
func TestAChangeWithoutAPaymentGoesWithItsLicense(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellPlans(t)
	o := s.subscribes(t, "small", false)
	s.bank.figures = payment.Proration{Due: 777, Exponent: 2, Currency: "EUR"}
	s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Exponent: 2, Currency: "EUR"}
	b := s.change(t, o, "large")
	s.bank.fail("refund", payment.ErrRefused)
	e := s.paidNow(o, false)
	e.ID, e.Kind = "refunded", payment.Refunded
	s.tell(t, e)
	if l, c := s.license(t, o), s.order(t, b.OrderID); l.RevokedAt.IsZero() || c.Status() != order.Refunded {
		t.Errorf("the license was revoked at %s, its change is %s", l.RevokedAt, c.Status())
	}
}

// A further period is of the tier that was paid for, whatever the order was of. A code that holds for ever goes on.
func TestAPeriodIsOfTheTierThatWasPaidFor(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellPlans(t)
	s.code(t, discount.Discount{Percent: 2000, Duration: discount.Forever})
	bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{TierID: "large", PaymentMethod: "card", DiscountCode: "LAST"})
	if err != nil {
		t.Fatal(err)
	}
	o := s.order(t, bought.OrderID)
	s.tell(t, s.paidNow(o, false))
	end := s.license(t, o).ExpiresAt
	pay := func(n int) {
		s.clock.Advance(end.AddDate(0, n-2, 0).Sub(s.clock.Now()))
		e := period(o, n)
		e.At, e.Until, e.Reference.Subscription = s.clock.Now(), end.AddDate(0, n-1, 0), "sub-"+o.ID
		s.tell(t, e)
		s.tell(t, e)
	}
	pay(2)
	s.change(t, o, "small")
	s.change(t, o, "large") // taken back
	s.change(t, o, "middle")
	pay(3)
	s.bank.figures = payment.Proration{Due: 500, Exponent: 2, Currency: "EUR"}
	s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Minor: 500, Exponent: 2, Currency: "EUR"}
	s.change(t, o, "large")
	pay(4)
	var got []string
	list, err := s.store.PaymentsOf(t.Context(), o.ID)
	for _, p := range list {
		got = append(got, fmt.Sprintf("%s [%s] [%s]", p.Invoice, p.TierID, p.Code))
	}
	want := []string{
		"first-" + o.ID + " [] [LAST]", "inv-2 [] [LAST]", "inv-3 [middle] [LAST]", "inv-4 [] [LAST]",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
