package order_test

import (
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// waits lets the shop's provider ask for an invoice of five euros for a change of plan.
func (s *shop) waits(invoice string) {
	s.bank.figures = payment.Proration{Due: 500, Exponent: 2, Currency: "EUR"}
	s.bank.changed = payment.Changed{
		Invoice: invoice, URL: "https://bank.example/invoice", Minor: 500, Exponent: 2, Currency: "EUR",
	}
}

// What the operator changes at the provider is none of the changes that were refused, cancelled or wait.
func TestAnInvoiceOfTheOperatorSettlesNoChange(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellPlans(t)
	o := s.subscribes(t, "small", false)
	s.waits("change-1")
	s.bank.fail("change", payment.ErrRefused)
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"}); err == nil {
		t.Error("the change was not refused")
	}
	s.bank.fail("change", nil)
	s.bank.asked()
	others := func(state string) {
		t.Helper()
		e := s.adjusted(o, payment.Adjusted, 12345)
		e.ID, e.Reference.Invoice = "of the operator, "+state, "dashboard-1"
		if n := s.tell(t, e); n.Done != "" || n.Warning == "" {
			t.Errorf("%s: notice = %+v", state, n)
		}
		if asked := s.bank.asked(); len(asked) > 0 {
			t.Errorf("%s: the provider was asked for %q", state, asked)
		}
	}
	others("on the same day")
	s.clock.Advance(20 * 24 * time.Hour)
	others("weeks later")

	b := s.change(t, o, "large")
	s.bank.asked()
	others("while one waits")
	if got := s.state(t, b.OrderID); got != "pending, license paid" {
		t.Errorf("the change is %s", got)
	}
	if n := s.tell(t, s.adjusted(o, payment.Adjusted, 500)); n.OrderID != b.OrderID || s.license(t, o).TierID != "large" {
		t.Errorf("its own invoice: %+v", n)
	}
}

// A change whose answer is not known yet takes its price, and nothing less.
func TestAChangeWithoutAnInvoiceTakesItsPriceOnly(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellPlans(t)
	o := s.subscribes(t, "small", false)
	s.waits("change-1")
	s.bank.fail("change", payment.ErrForged) // some outage
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"}); err == nil {
		t.Error("the change went through")
	}
	less := s.adjusted(o, payment.Adjusted, 499)
	less.Reference.Invoice = "other"
	s.tell(t, less)
	if l := s.license(t, o); l.TierID != "small" {
		t.Errorf("for a cent less: %s", l.TierID)
	}
	s.tell(t, s.adjusted(o, payment.Adjusted, 500))
	if l := s.license(t, o); l.TierID != "large" {
		t.Errorf("for its price: %s", l.TierID)
	}
}

// That a change was not paid may be told late, when the next one waits.
func TestALateEndOfAChangeLeavesTheNextOne(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellPlans(t)
	o := s.subscribes(t, "small", false)
	s.waits("change-1")
	s.change(t, o, "large")
	expired := s.adjusted(o, payment.AdjustmentFailed, 0)
	s.tell(t, expired)
	s.clock.Advance(time.Minute)
	s.waits("change-2")
	b := s.change(t, o, "huge")
	s.clock.Advance(time.Hour)
	expired.ID, expired.Reference.Invoice = "late", ""
	s.tell(t, expired)
	if got := s.state(t, b.OrderID); got != "pending, license paid" {
		t.Errorf("the next change is %s", got)
	}
	expired.ID, expired.At = "its own", s.clock.Now()
	s.tell(t, expired)
	if got := s.state(t, b.OrderID); got != "cancelled, license paid" {
		t.Errorf("after its own end it is %s", got)
	}
}
