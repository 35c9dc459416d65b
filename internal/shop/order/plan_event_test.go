package order_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// What the operator changes at the provider is none of the changes that were refused, cancelled or wait.
func TestAnInvoiceOfTheOperatorSettlesNoChange(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.waits("change-1")
	s.bank.fail("change", payment.ErrRefused)
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"}); err == nil {
		t.Error("the change was not refused")
	}
	s.bank.fail("change", nil)
	s.bank.asked()
	others := func(state string, minor int64) {
		t.Helper()
		e := s.adjusted(o, payment.Adjusted, minor)
		e.ID, e.Reference.Invoice = "of the operator, "+state, "dashboard-1"
		if out := s.tell(t, e); out.Done != "" || out.Warning == "" {
			t.Errorf("%s: outcome = %+v", state, out)
		}
		if asked := s.bank.asked(); len(asked) > 0 {
			t.Errorf("%s: the provider was asked for %q", state, asked)
		}
	}
	others("on the same day", 12345)
	s.clock.Advance(20 * 24 * time.Hour)
	others("weeks later", 500)

	b := s.change(t, o, "large")
	s.bank.asked()
	others("while one waits", 12345)
	if got := s.state(t, b.OrderID); got != "pending, license paid" {
		t.Errorf("the change is %s", got)
	}
	if out := s.tell(t, s.adjusted(o, payment.Adjusted, 500)); out.OrderID != b.OrderID || s.license(t, o).TierID != "large" {
		t.Errorf("its own invoice: %+v", out)
	}
}

// A change whose answer is not known yet takes its price, and nothing less.
func TestAChangeWithoutAnInvoiceTakesItsPriceOnly(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
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

	s, o := subscribed(t, "small", false)
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

// The webhook of a change may be lost. The provider is asked about its invoice before anything is done about it.
func TestAChangeWhoseWebhookIsLost(t *testing.T) {
	t.Parallel()

	refund := func(t *testing.T, s *shop, id string) {
		if _, err := s.Refund(admin(t), id, order.RefundRequest{}); err != nil {
			t.Error(err)
		}
	}
	cancel := func(t *testing.T, s *shop, id string) {
		if _, err := s.Cancel(admin(t), id); !errors.Is(err, order.ErrNotCancellable) {
			t.Errorf("Cancel = %v", err)
		}
	}
	sweep := func(t *testing.T, s *shop, _ string) { s.sweep(t) }
	for _, tt := range []struct {
		name   string
		kind   payment.EventKind
		after  time.Duration
		do     func(t *testing.T, s *shop, id string)
		status order.Status
		tier   string
	}{
		{"paid", payment.Adjusted, 10 * time.Minute, sweep, order.Paid, "large"},
		{"paid, found late", payment.Adjusted, 26 * time.Hour, sweep, order.Paid, "large"},
		{"void", payment.AdjustmentFailed, 10 * time.Minute, sweep, order.Cancelled, "small"},
		{"open", payment.Unrelated, 10 * time.Minute, sweep, order.Pending, "small"},
		{"open for too long", payment.Unrelated, 26 * time.Hour, sweep, order.Cancelled, "small"},
		{"paid, then cancelled", payment.Adjusted, time.Minute, cancel, order.Paid, "large"},
		{"paid, then refunded", payment.Adjusted, time.Minute, refund, order.Refunded, "small"},
	} {
		s, o := subscribed(t, "small", false)
		s.waits("change-1")
		b := s.change(t, o, "large")
		s.clock.Advance(tt.after)
		s.bank.pages["change-1"] = s.adjusted(o, tt.kind, 500)
		s.bank.asked()
		tt.do(t, s, b.OrderID)
		if asked := s.bank.asked(); len(asked) == 0 || asked[0] != "look" {
			t.Errorf("%s: the provider was asked for %q", tt.name, asked)
		}
		got := s.order(t, b.OrderID)
		if got.Status() != tt.status || s.license(t, o).TierID != tt.tier {
			t.Errorf("%s: the change is %s, the license has %s", tt.name, got.Status(), s.license(t, o).TierID)
		}
	}
}

// A change of which the provider did not hear keeps its owner from another one for minutes, not for a day.
func TestAnUnansweredChangeIsAskedForSoon(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "small", false)
	s.bank.fail("change", errors.New("the line is dead"))
	if _, err := s.ChangePlan(ada(t), o.LicenseID, order.ChangeRequest{TierID: "large"}); !errors.Is(err, order.ErrPaymentUnreachable) {
		t.Fatalf("change = %v", err)
	}
	s.bank.changed = payment.Changed{Paid: true}
	s.bank.fail("change", nil)
	s.clock.Advance(9 * time.Minute)
	s.sweep(t)
	if l := s.license(t, o); l.TierID != "small" {
		t.Error("the provider is asked while the first request may still go on")
	}
	s.clock.Advance(time.Minute)
	s.sweep(t)
	if l := s.license(t, o); l.TierID != "large" {
		t.Errorf("the license has %s", l.TierID)
	}
}

// willRenew is the event that the subscription of an order goes on after all.
func (s *shop) willRenew(o order.Order) payment.Event {
	s.clock.Advance(time.Hour)
	return payment.Event{
		ID: "on", Kind: payment.WillRenew, At: s.clock.Now(), OrderID: o.ID,
		Reference: payment.Reference{Subscription: o.Payment.Subscription},
	}
}

// sellsYears lets the shop sell two tiers, of which the one by the month is cheaper.
func (s *shop) sellsYears(t *testing.T) {
	t.Helper()
	const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [
		{id: small, name: Small, price: 5, billingPeriod: monthly},
		{id: year, name: Year, price: 100, billingPeriod: yearly}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
		t.Fatal(err)
	}
}

// A subscription that was ended and goes on after all goes on with the plan that is to begin.
func TestAPlanOfASubscriptionThatGoesOnAgain(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name, tier string
		sell       func(*shop, *testing.T)
		endsFirst  bool
		price      string
		asked      int // when the plan is chosen
	}{
		{"of the same length", "huge", (*shop).sellPlans, true, "1000", 1},
		{"of another length", "year", (*shop).sellsYears, true, "500", 0},
		{"chosen before", "year", (*shop).sellsYears, false, "500", 1},
	} {
		s := openShop(t)
		tt.sell(s, t)
		o := s.subscribes(t, tt.tier, false)
		end := func() {
			if _, err := s.EndSubscription(ada(t), o.ID); err != nil {
				t.Fatal(err)
			}
		}
		if tt.endsFirst {
			end()
		}
		s.clock.Advance(time.Minute)
		s.bank.asked()
		s.change(t, o, "small")
		want := "change sub-" + o.ID + " " + tt.price + " later"
		if got := s.bank.asked(); len(got) != tt.asked || tt.asked > 0 && got[0] != want {
			t.Errorf("%s: the provider was asked for %q", tt.name, got)
		}
		if !tt.endsFirst {
			end()
		}
		s.bank.asked()
		on := s.willRenew(o)
		s.bank.fail("change", errors.New("the line is dead"))
		payload, _ := json.Marshal(on)
		if _, err := s.HandleWebhook(t.Context(), "bank", payload, "good"); err == nil {
			t.Errorf("%s: the provider is not to repeat its event", tt.name)
		}
		s.bank.fail("change", nil)
		s.bank.asked()
		s.sweep(t)
		if got := s.bank.asked(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: in the end the provider was asked for %q", tt.name, got)
		}
		if s.tell(t, on); len(s.bank.asked()) > 0 {
			t.Errorf("%s: the event that comes again asks again", tt.name)
		}
		s.has(t, o, tt.tier, s.license(t, o).ExpiresAt, "small")
	}
}

// So does one whose owner renewed it by hand meanwhile, into the plan that was to begin: no provider was asked.
func TestAPlanThatBeganByHandOfASubscriptionThatGoesOnAgain(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellsYears(t)
	o := s.subscribes(t, "year", false)
	if _, err := s.EndSubscription(ada(t), o.ID); err != nil {
		t.Fatal(err)
	}
	s.change(t, o, "small")
	b, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
	if err != nil {
		t.Fatal(err)
	}
	end := s.license(t, o).ExpiresAt
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	s.has(t, o, "small", end.AddDate(0, 1, 0), "")
	s.bank.asked()
	s.tell(t, s.willRenew(o))
	want := []string{"change sub-" + o.ID + " 500 later"}
	if got := s.bank.asked(); !slices.Equal(got, want) {
		t.Errorf("the provider was asked for %q, want %q", got, want)
	}
	if s.sweep(t); len(s.bank.asked()) > 0 {
		t.Error("the sweep asks again")
	}
}

// A paid period works to its end, also if the plan that begins with it has shorter ones.
func TestAPaidPeriodIsLongerThanThoseOfTheNextPlan(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellsYears(t)
	o := s.subscribes(t, "year", false)
	end := s.license(t, o).ExpiresAt
	s.change(t, o, "small")
	s.clock.Advance(end.Sub(s.clock.Now()))
	renewed := payment.Event{
		ID: "renewed", Kind: payment.Renewed, At: end, OrderID: o.ID, Minor: 10000, Exponent: 2, Currency: "EUR",
		Until: end.AddDate(1, 0, 0), Reference: payment.Reference{Invoice: "second", Subscription: o.Payment.Subscription},
	}
	s.tell(t, renewed)
	s.tell(t, renewed)
	s.has(t, o, "small", end.AddDate(1, 0, 0), "")
}

// What is taken back late leaves the plan that was chosen since.
func TestALateUndoLeavesTheNextPlan(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "huge", false)
	s.change(t, o, "small")
	s.bank.fail("change", errors.New("the line is dead"))
	s.change(t, o, "huge")
	s.bank.fail("change", nil)
	s.change(t, o, "middle")
	s.bank.asked()
	s.sweep(t)
	if got := s.bank.asked(); !slices.Equal(got, []string{"change sub-" + o.ID + " 2000 later"}) {
		t.Errorf("the provider was asked for %q", got)
	}
	s.has(t, o, "huge", s.license(t, o).ExpiresAt, "middle")
}

// A code that holds for ever holds for the next plan: at the provider, in what is dearer, and in what stoa computes.
func TestACodeThatHoldsForeverHoldsForOtherPlans(t *testing.T) {
	t.Parallel()

	for _, alone := range []bool{false, true} {
		s := openShop(t)
		s.sellPlans(t)
		s.code(t, discount.Discount{Percent: 5000, Duration: discount.Forever})
		bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{
			TierID: "middle", PaymentMethod: "card", DiscountCode: "last",
		})
		if err != nil {
			t.Fatal(err)
		}
		s.tell(t, s.paidNow(s.order(t, bought.OrderID), alone))
		o := s.order(t, bought.OrderID)
		s.bank.asked()
		s.bank.figures = payment.Proration{Due: 1000, Credit: 1000, Exponent: 2, Currency: "EUR"}
		s.bank.changed = payment.Changed{Invoice: "change-1", Paid: true, Minor: 1000, Exponent: 2, Currency: "EUR"}
		b := s.change(t, o, "huge") // for 20 a month instead of 10
		c := s.order(t, b.OrderID)
		if c.Amount.Minor != 1000 {
			t.Errorf("alone %v: the change costs %s", alone, c.Amount)
		}
		if alone {
			s.tell(t, s.paidNow(c, true))
		}
		s.change(t, o, "large") // 30 is more than 20, but 15 are due
		s.has(t, o, "huge", s.license(t, o).ExpiresAt, "large")
		if alone {
			r, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
			if got := s.order(t, r.OrderID); err != nil || got.Amount.Minor != 1500 {
				t.Errorf("the renewal costs %s, %v", got.Amount, err)
			}
			continue
		}
		sub := " sub-" + o.ID
		want := []string{"preview" + sub + " 2000", "change" + sub + " 2000", "change" + sub + " 1500 later"}
		if got := s.bank.asked(); !slices.Equal(got, want) {
			t.Errorf("the provider was asked for %q", got)
		}
		s.change(t, o, "huge")
		if got := s.bank.asked(); !slices.Equal(got, []string{"change" + sub + " 2000 later"}) {
			t.Errorf("to take it back, the provider was asked for %q", got)
		}
	}
}
