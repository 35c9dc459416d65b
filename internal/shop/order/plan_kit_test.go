package order_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// sellPlans lets the shop sell tiny, small, middle, large and huge each month, for 5 EUR, 10, 20, 30 and 40, and year
// and years for 100 and 200.
func (s *shop) sellPlans(t *testing.T) {
	t.Helper()
	const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [
		{id: tiny, name: Tiny, price: 5, billingPeriod: monthly},
		{id: small, name: Small, price: 10, billingPeriod: monthly},
		{id: middle, name: Middle, price: 20, billingPeriod: monthly, maxInstances: 2},
		{id: large, name: Large, price: 30, billingPeriod: monthly, maxInstances: 3},
		{id: huge, name: Huge, price: 40, billingPeriod: monthly, maxInstances: 4},
		{id: year, name: Year, price: 100, billingPeriod: yearly},
		{id: years, name: Years, price: 200, billingPeriod: yearly}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
		t.Fatal(err)
	}
}

// subscribed opens a shop that sells plans, where ada has bought a tier: subscribes.
func subscribed(t *testing.T, tier string, alone bool) (*shop, order.Order) {
	t.Helper()
	s := openShop(t)
	s.sellPlans(t)
	o := s.subscribes(t, tier, alone)
	return s, o
}

// collects lets the shop's provider collect so much for a change of plan at once.
func (s *shop) collects(minor int64) {
	s.bank.figures = payment.Proration{Due: minor, Exponent: 2, Currency: "EUR"}
	s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Minor: minor, Exponent: 2, Currency: "EUR"}
}

// waits lets the shop's provider ask for an invoice of five euros for a change of plan.
func (s *shop) waits(invoice string) {
	s.bank.figures = payment.Proration{Due: 500, Exponent: 2, Currency: "EUR"}
	s.bank.changed = payment.Changed{
		Invoice: invoice, URL: "https://bank.example/invoice", Minor: 500, Exponent: 2, Currency: "EUR",
	}
}

// subscribes lets ada buy a tier. The provider has her subscription, unless alone.
func (s *shop) subscribes(t *testing.T, tier string, alone bool) order.Order {
	t.Helper()
	bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{TierID: tier, PaymentMethod: "card"})
	if err != nil {
		t.Fatal(err)
	}
	s.tell(t, s.paidNow(s.order(t, bought.OrderID), alone))
	s.bank.asked()
	return s.order(t, bought.OrderID)
}

// paidNow is the event that the page of an order is paid now.
func (s *shop) paidNow(o order.Order, alone bool) payment.Event {
	e := payment.Event{
		ID: "paid-" + o.ID, Kind: payment.Paid, At: s.clock.Now(), OrderID: o.ID, Minor: o.Amount.Minor, Exponent: 2, Currency: "EUR",
		Reference: payment.Reference{Session: "page-" + o.ID, Payment: "pay-" + o.ID},
	}
	if !alone {
		e.Reference.Invoice, e.Reference.Subscription = "first-"+o.ID, "sub-"+o.ID
	}
	return e
}

// adjusted is the event that the change of the subscription of an order is paid, or that it will not be.
func (s *shop) adjusted(o order.Order, kind payment.EventKind, minor int64) payment.Event {
	return payment.Event{
		ID: fmt.Sprint("adjusted-", kind, o.ID), Kind: kind, At: s.clock.Now(), OrderID: o.ID, Minor: minor, Exponent: 2, Currency: "EUR",
		Reference: payment.Reference{Subscription: o.Payment.Subscription, Invoice: "change-1"},
	}
}

func (s *shop) change(t *testing.T, o order.Order, tier string) order.Bought {
	t.Helper()
	b, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: tier})
	if err != nil {
		t.Fatalf("change to %s: %v", tier, err)
	}
	return b
}

// has fails unless the license of an order has a tier, ends at a time, and changes to next.
func (s *shop) has(t *testing.T, o order.Order, tier string, end time.Time, next string) license.License {
	t.Helper()
	l := s.license(t, o)
	if l.TierID != tier || !l.ExpiresAt.Equal(end) || l.Next.TierID != next {
		t.Errorf("the license has %s until %s, next %q; want %s, %s, %q", l.TierID, l.ExpiresAt, l.Next.TierID, tier, end, next)
	}
	return l
}
