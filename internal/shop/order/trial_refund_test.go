package order_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// tryOut begins a trial of mail-pack, and returns its order and its key.
func (s *shop) tryOut(t *testing.T, email string) (order.Order, string) {
	t.Helper()
	const catalogText = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [{id: once, name: Once, price: 49.90, trialDays: 14}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(catalogText)); err != nil {
		t.Fatal(err)
	}
	s.Discounts = &discount.Service{Mailbox: order.EmailKey, Secret: []byte("secret")}
	trial, err := s.StartTrial(t.Context(), "mail-pack", order.TrialRequest{TierID: "once", Email: email})
	if err != nil {
		t.Fatal(err)
	}
	return s.order(t, trial.OrderID), trial.LicenseKey.Reveal()
}

// buyTrial places an order that buys a trial.
func (s *shop) buyTrial(t *testing.T, key string) order.Order {
	t.Helper()
	bought, err := s.Purchase(t.Context(), "mail-pack", order.PurchaseRequest{
		TierID: "once", PaymentMethod: "card", LicenseKey: key,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.order(t, bought.OrderID)
}

// The last part of what bought a trial does what a refund of the whole does: to the trial's order, too.
func TestTheLastPartOfWhatBoughtATrialRevokesIt(t *testing.T) {
	t.Parallel()

	for name, last := range map[string]func(t *testing.T, s *shop, o order.Order){
		"a part": func(t *testing.T, s *shop, o order.Order) {
			if _, err := s.Refund(admin(t), o.ID, part("39.90")); err != nil {
				t.Error(err)
			}
		},
		"the rest": func(t *testing.T, s *shop, o order.Order) {
			if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil {
				t.Error(err)
			}
		},
		"in the dashboard": func(t *testing.T, s *shop, o order.Order) { s.tell(t, backEvent(o, "back", 4990)) },
		"after an outage": func(t *testing.T, s *shop, o order.Order) {
			s.bank.fail("refund", errOutage)
			if _, err := s.Refund(admin(t), o.ID, part("39.90")); err == nil {
				t.Error("Refund without an answer = nil")
			}
			s.bank.fail("refund", nil)
			s.sweep(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			trial, key := s.tryOut(t, "ada@example.com")
			o := s.buyTrial(t, key)
			s.tell(t, paid(o))
			if _, err := s.Refund(admin(t), o.ID, part("10")); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{trial.ID, o.ID} {
				if got := s.state(t, id); got != "paid, license paid" {
					t.Errorf("after a part: %s", got)
				}
			}
			last(t, s, o)
			for _, id := range []string{trial.ID, o.ID} {
				if got := s.state(t, id); got != "refunded, license paid, license revoked" {
					t.Errorf("after the last: %s", got)
				}
			}
			if got := len(s.backs(t, o.ID)); got != 2 {
				t.Errorf("%d refunds of the purchase: %v", got, s.backs(t, o.ID))
			}
			if got := s.backs(t, trial.ID); got != nil {
				t.Errorf("refunds of the trial: %v", got)
			}
		})
	}
}

// between is a Store in which something happens once the orders of a license were read.
type between struct {
	order.Store

	then func()
}

// Siblings implements order.Trials.
func (b *between) Siblings(ctx context.Context, licenseID string) ([]order.Order, error) {
	list, err := b.Store.Siblings(ctx, licenseID)
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	return list, err
}

// What is paid while the trial is being refunded is refunded too: no paid order stands for a revoked license.
func TestNoPurchaseOfATrialOutlivesItsRefund(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	trial, key := s.tryOut(t, "ada@example.com")
	first := s.buyTrial(t, key)
	var second order.Order
	s.Store = &between{s.store, func() {
		s.tell(t, failed(first)) // its page expired, and the buyer opened another one
		second = s.buyTrial(t, key)
		s.tell(t, paid(second))
	}}
	if _, err := s.Refund(admin(t), trial.ID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		trial.ID: "refunded, license paid, license revoked", first.ID: "cancelled, license paid, license revoked",
		second.ID: "refunded, license paid, license revoked",
	} {
		if got := s.state(t, id); got != want {
			t.Errorf("state %s, want %s", got, want)
		}
	}
}

// cancelOrphans does once what TendTrials does for the orders of revoked licenses, and returns the log.
func (s *shop) cancelOrphans(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	if err := s.CancelOrphans(t.Context(), slog.New(slog.NewTextHandler(&out, nil))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Orders that wait for the payment of a trial that was revoked are closed, and what is paid all the same goes back.
func TestOrdersOfARevokedTrialAreCancelled(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	trial, key := s.tryOut(t, "ada@example.com")
	o := s.buyTrial(t, key)
	_, other := s.tryOut(t, "eve@example.com")
	untouched := s.buyTrial(t, other)
	s.bank.asked()
	l := s.license(t, trial)
	l.Revoke(s.clock.Now())
	if err := s.store.UpdateLicense(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	status := func(id string) order.Status {
		o := s.order(t, id)
		return o.Status()
	}
	s.bank.fail("cancel", errOutage)
	if log := s.cancelOrphans(t); !strings.Contains(log, o.ID) || status(o.ID) != order.Pending {
		t.Errorf("without an answer: %s, %s", status(o.ID), log)
	}
	s.bank.fail("cancel", payment.ErrRefused) // it is being paid
	if log := s.cancelOrphans(t); log != "" || status(o.ID) != order.Cancelled {
		t.Errorf("being paid: %s, %s", status(o.ID), log)
	}
	if s.cancelOrphans(t); status(untouched.ID) != order.Pending {
		t.Errorf("the purchase of another trial is %s", status(untouched.ID))
	}
	if got := s.bank.asked(); !slices.Equal(got, []string{"cancel", "cancel"}) {
		t.Errorf("the bank was asked %v", got)
	}
	s.clock.Advance(time.Minute)
	s.tell(t, paid(o))
	if got := s.state(t, o.ID); got != "cancelled, license paid, license revoked, money returned" {
		t.Errorf("paid all the same: %s", got)
	}
}

// However many orders wait for licenses that were revoked, one round reaches them all, also past those that it cannot
// cancel.
func TestAllOrdersOfRevokedLicensesAreReached(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	var all []string
	for i := range 101 {
		trial, key := s.tryOut(t, fmt.Sprint("ada", i, "@example.com"))
		all = append(all, s.buyTrial(t, key).ID)
		l := s.license(t, trial)
		l.Revoke(s.clock.Now())
		if err := s.store.UpdateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	s.bank.asked()
	s.bank.fail("cancel", errOutage)
	s.cancelOrphans(t)
	if got := len(s.bank.asked()); got != len(all) {
		t.Errorf("the bank was asked about %d of %d", got, len(all))
	}
	s.bank.fail("cancel", nil)
	s.cancelOrphans(t)
	for _, id := range all {
		if got := s.order(t, id); got.CancelledAt.IsZero() {
			t.Fatalf("an order is %s", got.Status())
		}
	}
}
