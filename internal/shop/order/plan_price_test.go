package order_test

import (
	"errors"
	"testing"
	"time"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// What is paid for a renewal is the price of the plan that it renews.
func TestAPlanIsNotTakenBackWhileARenewalAtItsPriceIsOpen(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "huge", true)
	end := s.license(t, o).ExpiresAt
	planned := s.change(t, o, "small")
	b, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "huge"}); !errors.Is(err, order.ErrBeingBought) {
		t.Errorf("taking the plan back: %v", err)
	}
	// An administrator may, and then the renewal is not what was paid for.
	if _, err := s.Refund(admin(t), planned.OrderID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	s.has(t, o, "huge", end, "")
	if r := s.order(t, b.OrderID); r.Status() != order.Cancelled || r.RefundedAt.IsZero() {
		t.Errorf("the renewal is %s, refunded at %s", r.Status(), r.RefundedAt)
	}
}

// The provider tells of a payment twice, each with a time of its own; the earlier one may come last.
func TestARefundFindsWhatAnOrderDidWhateverTimeThePaymentHad(t *testing.T) {
	t.Parallel()

	t.Run("change", func(t *testing.T) {
		t.Parallel()
		s, o := subscribed(t, "small", false)
		end := s.license(t, o).ExpiresAt
		s.clock.Advance(24 * time.Hour)
		s.bank.figures = payment.Proration{Due: 9000, Exponent: 2, Currency: "EUR"}
		s.bank.changed = payment.Changed{Invoice: "change-1", URL: "https://pay.example", Minor: 9000, Exponent: 2, Currency: "EUR"}
		b := s.change(t, o, "year")
		earlier := s.clock.Now().Add(time.Minute)
		s.clock.Advance(2 * time.Minute)
		e := s.adjusted(o, payment.Adjusted, 9000)
		s.tell(t, e)
		e.ID, e.At = "again", earlier
		s.tell(t, e)
		if _, err := s.Refund(admin(t), b.OrderID, order.RefundRequest{}); err != nil {
			t.Fatal(err)
		}
		s.has(t, o, "small", end, "")
	})
	t.Run("renewal", func(t *testing.T) {
		t.Parallel()
		s, o := subscribed(t, "small", true)
		end := s.license(t, o).ExpiresAt
		s.clock.Advance(40 * 24 * time.Hour)
		b, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.order(t, b.OrderID)
		s.clock.Advance(2 * time.Second)
		first := s.paidNow(r, true)
		s.clock.Advance(2 * time.Second)
		second := s.paidNow(r, true)
		second.ID += " again"
		s.tell(t, second)
		s.tell(t, first)
		if _, err := s.Refund(admin(t), r.ID, order.RefundRequest{}); err != nil {
			t.Fatal(err)
		}
		if l := s.license(t, o); l.ExpiresAt.After(s.clock.Now()) {
			t.Errorf("a refunded renewal goes on until %s; before it ended on %s", l.ExpiresAt, end)
		}
	})
}

// A draft's tier has no price yet: that is not a price of 0.
func TestWhatHasNoPriceIsNeitherRenewedNorChangedTo(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", true)
	const draft = `{currency: EUR, products: [{slug: mail-pack, published: false, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [
		{id: small, name: Small, billingPeriod: monthly},{id: year, name: Year, billingPeriod: yearly}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(draft)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{}); !errors.Is(err, order.ErrTierNotFound) {
		t.Errorf("renewal: %v", err)
	}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "year"}); !errors.Is(err, order.ErrTierNotFound) {
		t.Errorf("change: %v", err)
	}
}
