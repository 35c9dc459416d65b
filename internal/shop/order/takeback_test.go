package order_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// sellBack lets the shop sell small for 10 EUR a month and large for 30, which buyers may give back for 14 days.
func (s *shop) sellBack(t *testing.T) {
	t.Helper()
	const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, refundDays: 14, pricingTiers: [
		{id: small, name: Small, price: 10, billingPeriod: monthly},
		{id: large, name: Large, price: 30, billingPeriod: monthly}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
		t.Fatal(err)
	}
}

// reasonOf returns why an order cannot be taken back; empty for another error.
func reasonOf(err error) order.RefundReason {
	refused, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return ""
	}
	reason, _ := refused.Details["reason"].(order.RefundReason)
	return reason
}

// listing is a Store in which something happens once an order was read.
type listing struct {
	order.Store

	then func()
}

// FindOrders implements order.Store.
func (l *listing) FindOrders(ctx context.Context, q order.Query) ([]order.Listed, int, error) {
	list, total, err := l.Store.FindOrders(ctx, q)
	if then := l.then; then != nil {
		l.then = nil
		then()
	}
	return list, total, err
}

// A change that is paid while its owner gives back what it follows stays: the request is refused, and the owner may
// still give back another order of the product.
func TestNoPaidChangeIsTakenBackAlong(t *testing.T) {
	t.Parallel()

	for name, pay := range map[string]func(t *testing.T, s *shop, changed order.Order){
		"paid before the request is decided": func(t *testing.T, s *shop, changed order.Order) {
			s.Store = &listing{s.store, func() { s.tell(t, s.paidNow(changed, true)) }}
		},
		"paid while its page is closed": func(t *testing.T, s *shop, changed order.Order) {
			s.bank.fail("cancel", payment.ErrRefused)
			s.bank.pages[changed.Payment.Session] = s.paidNow(changed, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			s.sellBack(t)
			o, other := s.subscribes(t, "small", true), s.subscribes(t, "small", true)
			changed := s.order(t, s.change(t, o, "large").OrderID)
			s.bank.asked()
			pay(t, s, changed)
			if _, err := s.TakeBack(ada(t), o.ID, ""); reasonOf(err) != order.NotFirst {
				t.Errorf("TakeBack = %v, want %s", err, order.NotFirst)
			}
			for _, id := range []string{o.ID, changed.ID} {
				if got := s.state(t, id); got != "paid, license paid" {
					t.Errorf("state %s", got)
				}
			}
			for _, call := range s.bank.asked() {
				if call != "cancel" && call != "look" {
					t.Errorf("the bank was asked %q", call)
				}
			}
			if out, err := s.TakeBack(ada(t), other.ID, ""); err != nil || out.Status() != order.Refunded {
				t.Errorf("another order: %s, %v", out.Status(), err)
			}
		})
	}
}

// A change that nobody has paid is in nobody's way.
func TestAnOpenChangeIsCancelledWithWhatIsTakenBack(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.sellBack(t)
	o := s.subscribes(t, "small", true)
	changed := s.order(t, s.change(t, o, "large").OrderID)
	if out, err := s.TakeBack(ada(t), o.ID, ""); err != nil || out.Status() != order.Refunded {
		t.Errorf("TakeBack = %s, %v", out.Status(), err)
	}
	if got := s.order(t, changed.ID); got.Status() != order.Cancelled {
		t.Errorf("the change is %s", got.Status())
	}
	s.clock.Advance(time.Minute)
	s.tell(t, s.paidNow(changed, true))
	if got := s.state(t, changed.ID); got != "cancelled, license paid, license revoked, money returned" {
		t.Errorf("paid all the same: %s", got)
	}
}

// Administrators are not told of what one of them asked for, whatever its buyer asked for besides.
func TestAdministratorsDoNotHearOfTheirOwnRefunds(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		fails string // what the bank does not answer about
		first func(s *shop, o order.Order) error
		then  func(s *shop, o order.Order) error
	}{
		"a buyer goes on with it": {
			"refund",
			func(s *shop, o order.Order) error {
				_, err := s.Refund(admin(t), o.ID, order.RefundRequest{})
				return err
			}, func(s *shop, o order.Order) error {
				_, err := s.TakeBack(ada(t), o.ID, "")
				return err
			},
		},
		"a buyer asked before, and nothing came of it": {
			"cancel",
			func(s *shop, o order.Order) error {
				_, err := s.TakeBack(ada(t), o.ID, "")
				return err
			}, func(s *shop, o order.Order) error {
				_, err := s.Refund(admin(t), o.ID, order.RefundRequest{})
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			s.sellBack(t)
			s.Outbox, s.Administrators = outbox{s}, outbox{s}
			o := s.subscribes(t, "small", true)
			s.change(t, o, "large") // an open order, which is cancelled first
			s.bank.fail(tt.fails, errOutage)
			if err := tt.first(s, o); err == nil {
				t.Error("it is refunded without its provider")
			}
			s.bank.fail(tt.fails, nil)
			if err := tt.then(s, o); err != nil {
				t.Fatal(err)
			}
			if got, state := s.mails(t), s.state(t, o.ID); got != 0 || state != "refunded, license paid, license revoked" {
				t.Errorf("the order is %s, and %d mails wait", state, got)
			}
		})
	}
}
