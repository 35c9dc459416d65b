package order_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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

// paidAhead opens a shop where ada has a subscription to small that ends, and has paid a further period.
func paidAhead(t *testing.T) (*shop, order.Order) {
	t.Helper()
	s, o := subscribed(t, "small", false)
	s.endsIt(t, o)
	s.renews(t, o, "")
	return s, o
}

// The provider of a subscription knows nothing of the periods that its owner paid ahead: the dearer plan is paid for
// all of them, and the subscription is over.
func TestADearerPlanIsPaidForThePeriodsPaidAhead(t *testing.T) {
	t.Parallel()

	for tier, due := range map[string]int64{"middle": 3000, "year": 7000} {
		s, o := paidAhead(t)
		s.renews(t, o, "")
		end := s.license(t, o).ExpiresAt
		s.collects(1)
		s.bank.asked()
		c := s.costs(t, o, tier, 3000, due)
		if tier == "year" { // a new term
			end = s.license(t, o).ExpiresAt
		}
		if l := s.has(t, o, tier, end, ""); !l.Ends {
			t.Errorf("%s: the license is renewed", tier)
		}
		if got, want := s.bank.asked(), []string{"begin", "end sub-" + o.ID}; !slices.Equal(got, want) {
			t.Errorf("%s: the provider was asked for %q, want %q", tier, got, want)
		}
		s.tell(t, s.willRenew(o)) // from before
		if l := s.license(t, o); !l.Ends {
			t.Errorf("%s: the license is renewed again", tier)
		}
		if _, err := s.Refund(admin(t), c.ID, order.RefundRequest{}); err != nil {
			t.Fatal(err)
		}
		if s.sweep(t); slices.ContainsFunc(s.bank.asked(), isAboutPlans) {
			t.Errorf("%s: the provider is asked again", tier)
		}
		s.renews(t, o, "")
	}
}

func isAboutPlans(asked string) bool {
	return strings.HasPrefix(asked, "change") || strings.HasPrefix(asked, "preview") || strings.HasPrefix(asked, "end")
}

// What costs nothing, because more was paid than it costs, ends the subscription, too: if its provider does not answer,
// later.
func TestAChangeOfWhatWasPaidAheadForNothing(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.endsIt(t, o)
	for range 10 {
		s.renews(t, o, "")
	}
	s.bank.asked()
	s.bank.fail("end", errOutage)
	s.costs(t, o, "year", 11000, 0)
	if got := s.order(t, o.ID); !got.EndedAt.IsZero() {
		t.Error("the subscription has ended without its provider")
	}
	// Until then its figures are not taken.
	s.clock.Advance(time.Minute)
	s.collects(1)
	q, err := s.PreviewChange(ada(t), o.LicenseID, order.ChangeRequest{TierID: "years"})
	if err != nil || q.Credit.Minor != 10000 || q.Due.Minor != 10000 {
		t.Errorf("years: credit %s, due %s, %v", q.Credit, q.Due, err)
	}
	s.bank.fail("end", nil)
	s.bank.asked()
	s.sweep(t)
	if got, want := s.bank.asked(), []string{"end sub-" + o.ID}; !slices.Equal(got, want) {
		t.Errorf("the provider was asked for %q, want %q", got, want)
	}
}

// A subscription that goes on has to be ended first.
func TestNoChangeAtOnceOfWhatIsPaidAheadAndGoesOn(t *testing.T) {
	t.Parallel()

	s, o := paidAhead(t)
	s.tell(t, s.willRenew(o))
	s.bank.asked()
	request := order.ChangeRequest{TierID: "middle"}
	if _, err := s.PreviewChange(ada(t), o.LicenseID, request); !errors.Is(err, order.ErrPaidAhead) {
		t.Errorf("PreviewChange = %v", err)
	}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); !errors.Is(err, order.ErrPaidAhead) {
		t.Errorf("ChangePlan = %v", err)
	}
	if got := s.bank.asked(); len(got) > 0 {
		t.Errorf("the provider was asked for %q", got)
	}
	s.change(t, o, "tiny") // with the next period
	if _, err := s.Refund(admin(t), s.license(t, o).Next.OrderID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	s.endsIt(t, o)
	s.change(t, o, "middle")

	s, o = paidAhead(t)
	s.Payments = payment.Test{}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); !errors.Is(err, order.ErrOtherProvider) {
		t.Errorf("without its provider: %v", err)
	}
}

// What happens at the provider while the page of such a change is open cancels it: the term is longer than what was
// paid for, or will be.
func TestAPageOfAChangeIsTooLateWhenTheSubscriptionWentOn(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		meanwhile func(*testing.T, *shop, order.Order)
		tier      string
	}{
		"nothing":    {func(*testing.T, *shop, order.Order) {}, "large"},
		"it goes on": {func(t *testing.T, s *shop, o order.Order) { s.tell(t, s.willRenew(o)) }, "small"},
		"a period was charged": {func(t *testing.T, s *shop, o order.Order) {
			s.clock.Advance(time.Minute)
			s.tell(t, payment.Event{
				ID: "second", Kind: payment.Renewed, At: s.clock.Now(), OrderID: o.ID, Minor: 1000, Exponent: 2, Currency: "EUR",
				Until:     s.license(t, o).ExpiresAt.AddDate(0, 1, 0),
				Reference: payment.Reference{Invoice: "second", Subscription: o.Payment.Subscription},
			})
			s.endsIt(t, o)
		}, "small"},
		"a renewal was given back": {func(t *testing.T, s *shop, o order.Order) {
			list, err := s.store.Siblings(t.Context(), o.LicenseID)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list {
				if r.Kind != order.Renewal {
					continue
				}
				if _, err := s.Refund(admin(t), r.ID, order.RefundRequest{}); err != nil {
					t.Fatal(err)
				}
			}
		}, "small"},
	} {
		s, o := paidAhead(t)
		b := s.change(t, o, "large")
		tt.meanwhile(t, s, o)
		s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
		want := "paid, license paid"
		if tt.tier == "small" {
			want = "cancelled, license paid, money returned"
		}
		if got := s.state(t, b.OrderID); got != want {
			t.Errorf("%s: the change is %s", name, got)
		}
		s.has(t, o, tt.tier, s.license(t, o).ExpiresAt, "")
		if ended := slices.Contains(s.bank.asked(), "end sub-"+o.ID); ended != (tt.tier == "large") {
			t.Errorf("%s: the subscription is over: %v", name, ended)
		}
	}
}

// A year that the provider charged was given back, because the seats were taken meanwhile, and its subscription ends:
// its figures would credit the year once more.
func TestAYearThatWasGivenBackIsNotCredited(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "middle", false)
	s.yearLosesItsSeats(t, o, 8000)
	s.collects(0)
	s.tell(t, s.willRenew(o)) // from before
	s.costs(t, o, "large", 1997, 999)
}

// What is paid on a page is not settled by an invoice of the operator, nor made by the sweep.
func TestAChangeOfItsOwnFiguresWaitsForItsPage(t *testing.T) {
	t.Parallel()

	s, o := paidAhead(t)
	b := s.change(t, o, "large")
	s.bank.asked()
	e := s.adjusted(o, payment.Adjusted, 12345)
	e.Reference.Invoice = "dashboard-1"
	if out := s.tell(t, e); out.Warning == "" {
		t.Errorf("outcome = %+v", out)
	}
	if s.sweep(t); slices.ContainsFunc(s.bank.asked(), isAboutPlans) {
		t.Error("the sweep has the provider change the plan")
	}
	if got := s.state(t, b.OrderID); got != "pending, license paid" {
		t.Errorf("the change is %s", got)
	}
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	s.has(t, o, "large", s.license(t, o).ExpiresAt, "")

	// An outage before its page is known leaves it to the same request.
	s, o = paidAhead(t)
	s.bank.fail("begin", errOutage)
	request := order.ChangeRequest{TierID: "large", OrderID: "n2b6v9c1x4z7l0k3j5h8g1f4"}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); err == nil {
		t.Fatal("the provider answered")
	}
	s.bank.asked()
	if s.sweep(t); slices.ContainsFunc(s.bank.asked(), isAboutPlans) {
		t.Error("the sweep has the provider change the plan")
	}
	s.bank.fail("begin", nil)
	again, err := s.ChangePlan(ada(t), o.LicenseID, request)
	if err != nil || again.PaymentURL == "" {
		t.Errorf("the same request: %+v, %v", again, err)
	}
}

// While the provider has not ended the subscription whose year was given back, nothing is bought by its figures: also
// if a cheaper plan was to begin with the next period.
func TestNothingIsBoughtByTheFiguresOfAYearThatWasGivenBack(t *testing.T) {
	t.Parallel()

	for _, planned := range []bool{false, true} {
		s, o := subscribed(t, "middle", false)
		s.collects(8000)
		year := s.change(t, o, "year")
		if planned {
			s.change(t, o, "tiny")
		}
		s.bank.asked()
		s.bank.fail("end", errOutage)
		if _, err := s.Refund(admin(t), year.OrderID, order.RefundRequest{}); err != nil {
			t.Fatal(err)
		}
		if planned {
			s.change(t, o, "middle") // taken back
		}
		s.bank.asked()
		_, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge"})
		end := "end sub-" + o.ID
		if got := s.bank.asked(); !errors.Is(err, order.ErrBeingBought) || !slices.Equal(got, []string{end}) {
			t.Errorf("planned %v: ChangePlan = %v, the provider was asked for %q", planned, err, got)
		}
		s.bank.fail("end", nil)
		s.change(t, o, "huge")
		if got, want := s.bank.asked(), []string{end, "begin"}; !slices.Equal(got, want) {
			t.Errorf("planned %v: the provider was asked for %q, want %q", planned, got, want)
		}
	}
}

// What the provider refuses to end is told to the operator.
func TestASubscriptionThatDoesNotFitAndCannotBeEnded(t *testing.T) {
	t.Parallel()

	s, o := paidAhead(t)
	b := s.change(t, o, "middle")
	s.bank.fail("end", payment.ErrRefused)
	if out := s.tell(t, s.paidNow(s.order(t, b.OrderID), true)); !strings.Contains(out.Warning, "end it at the provider") {
		t.Errorf("outcome = %+v", out)
	}
}
