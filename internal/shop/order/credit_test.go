package order_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// sellSmallFor lets the shop sell small for another price, beside the plans of sellPlans that tests change it to.
func (s *shop) sellSmallFor(t *testing.T, price string) {
	t.Helper()
	plans := fmt.Sprintf(`{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [{id: small, name: Small, price: %s, billingPeriod: monthly},
		{id: middle, name: Middle, price: 20, billingPeriod: monthly},
		{id: huge, name: Huge, price: 40, billingPeriod: monthly},
		{id: year, name: Year, price: 100, billingPeriod: yearly}]}]}`, price)
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
		t.Fatal(err)
	}
}

// renews lets ada renew the license of an order, and pay for it. It returns the order of the renewal.
func (s *shop) renews(t *testing.T, o order.Order, code string) order.Order {
	t.Helper()
	b, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{DiscountCode: code})
	if err != nil {
		t.Fatal(err)
	}
	if b.Due {
		s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	}
	return s.order(t, b.OrderID)
}

// costs fails unless a change has a credit and an amount that is due: in its preview, and as it is ordered. It returns
// the order.
func (s *shop) costs(t *testing.T, o order.Order, tier string, credit, due int64) order.Order {
	t.Helper()
	q, err := s.PreviewChange(ada(t), o.LicenseID, order.ChangeRequest{TierID: tier})
	if err != nil || q.Credit.Minor != credit || q.Due.Minor != due {
		t.Errorf("%s: credit %s, due %s, %v; want %d and %d", tier, q.Credit, q.Due, err, credit, due)
	}
	b := s.change(t, o, tier)
	c := s.order(t, b.OrderID)
	if c.Amount.Minor != due {
		t.Errorf("%s: ordered for %s, want %d", tier, c.Amount, due)
	}
	if c.Status() == order.Pending {
		s.tell(t, s.paidNow(c, true))
	}
	return c
}

// Periods that were paid ahead are credited with what was paid for each, whatever the plan costs by now.
func TestWhatWasPaidAheadIsCredited(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		do          func(t *testing.T, s *shop, o order.Order)
		credit, due int64
	}{
		"the price fell since": {func(t *testing.T, s *shop, o order.Order) {
			for range 12 {
				s.renews(t, o, "")
			}
			s.sellSmallFor(t, "5")
			s.renews(t, o, "")
		}, 13500, 14500},
		"the price rose since": {func(t *testing.T, s *shop, o order.Order) {
			s.sellSmallFor(t, "15")
			s.renews(t, o, "")
		}, 2500, 1500},
		"a part of a renewal was given back": {func(t *testing.T, s *shop, o order.Order) {
			r := s.renews(t, o, "")
			s.renews(t, o, "")
			if _, err := s.Refund(admin(t), r.ID, part("4")); err != nil {
				t.Fatal(err)
			}
		}, 2600, 3400},
		"a renewal was given back": {func(t *testing.T, s *shop, o order.Order) {
			s.sellSmallFor(t, "15")
			r := s.renews(t, o, "")
			s.sellSmallFor(t, "12")
			s.renews(t, o, "")
			if _, err := s.Refund(admin(t), r.ID, order.RefundRequest{}); err != nil {
				t.Fatal(err)
			}
		}, 2200, 1800},
		"a code took all of a renewal off": {func(t *testing.T, s *shop, o order.Order) {
			s.code(t, discount.Discount{Percent: 10000, Duration: discount.Once})
			s.renews(t, o, "last")
		}, 1000, 3000},
		"a change made up for all periods before it": {func(t *testing.T, s *shop, o order.Order) {
			s.renews(t, o, "")
			s.costs(t, o, "middle", 2000, 2000)
			s.renews(t, o, "")
		}, 6000, 6000},
		"a part of a change was given back": {func(t *testing.T, s *shop, o order.Order) {
			s.renews(t, o, "")
			c := s.costs(t, o, "middle", 2000, 2000)
			if _, err := s.Refund(admin(t), c.ID, part("5")); err != nil {
				t.Fatal(err)
			}
		}, 3500, 4500},
		"more than a period was given back of a change": {func(t *testing.T, s *shop, o order.Order) {
			for range 5 {
				s.renews(t, o, "")
			}
			c := s.costs(t, o, "middle", 6000, 6000)
			if _, err := s.Refund(admin(t), c.ID, part("45")); err != nil {
				t.Fatal(err)
			}
		}, 7500, 16500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s, o := subscribed(t, "small", true)
			tt.do(t, s, o)
			tier := "middle"
			if l := s.license(t, o); l.TierID == tier {
				tier = "huge"
			}
			s.costs(t, o, tier, tt.credit, tt.due)
		})
	}
}

// Of the periods that were paid ahead, those that are over are not credited.
func TestOfWhatWasPaidAheadOnlyTheRestIsCredited(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", true)
	s.sellSmallFor(t, "8")
	s.renews(t, o, "")
	s.sellSmallFor(t, "6")
	s.renews(t, o, "")
	second := opened.AddDate(0, 1, 0)
	s.clock.Advance(second.Sub(s.clock.Now()) + 15*24*time.Hour) // of the 30 days of April
	s.costs(t, o, "middle", 400+600, 3000-1000)
}

// The periods that the provider of a subscription collected count like those that its owner paid for.
func TestPeriodsOfAnEndedSubscriptionAreCredited(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.collects(1000)
	s.change(t, o, "middle")
	end := s.license(t, o).ExpiresAt
	s.clock.Advance(end.Sub(s.clock.Now()))
	sub := payment.Reference{Invoice: "second", Subscription: o.Payment.Subscription}
	s.tell(t, payment.Event{
		ID: "second", Kind: payment.Renewed, At: end, OrderID: o.ID, Minor: 1800, Exponent: 2, Currency: "EUR",
		Until: end.AddDate(0, 1, 0), Reference: sub,
	})
	s.tell(t, payment.Event{ID: "ended", Kind: payment.Ended, At: end, OrderID: o.ID, Reference: sub})
	s.renews(t, o, "")
	s.costs(t, o, "huge", 1800+2000, 8000-3800)
}

// A plan with shorter periods begins with a renewal: what is left of the year keeps what was paid for it.
func TestTheRestOfAYearIsCreditedByTheMonth(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "year", true)
	s.change(t, o, "tiny") // with the next period
	s.renews(t, o, "")
	s.costs(t, o, "middle", 10000+500, 13*2000-10500)
}
