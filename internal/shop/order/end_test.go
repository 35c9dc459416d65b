package order_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// ada returns the context of a request of the buyer.
func ada(t *testing.T) context.Context {
	t.Helper()
	return reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: "tz4a98xxat96iws9zmbrgj3a"})
}

// subscribed sells a subscription to ada.
func (s *shop) subscribed(t *testing.T) order.Order {
	t.Helper()
	bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{TierID: "monthly", PaymentMethod: "card"})
	if err != nil {
		t.Fatal(err)
	}
	s.tell(t, paid(s.order(t, bought.OrderID)))
	s.bank.asked()
	return s.order(t, bought.OrderID)
}

// about returns an event about the subscription of subscribed.
func about(kind payment.EventKind, at time.Time) payment.Event {
	return payment.Event{
		ID: fmt.Sprint(kind, at), Kind: kind, At: at, Reference: payment.Reference{Subscription: "sub-1"},
	}
}

// ends returns whether order and license end. They must agree.
func (s *shop) ends(t *testing.T, o order.Order) bool {
	t.Helper()
	o = s.order(t, o.ID)
	if l := s.license(t, o); l.Ends != o.Ends {
		t.Errorf("the order ends: %v; its license: %v", o.Ends, l.Ends)
	}
	return o.Ends
}

func TestAnEndedSubscriptionRunsOut(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.RenewalLeeway = time.Hour
	o := s.subscribed(t)
	s.bank.fail("end", errors.New("the bank is closed"))
	if _, err := s.EndSubscription(ada(t), o.ID); !errors.Is(err, order.ErrProviderUnreachable) || s.ends(t, o) {
		t.Errorf("in an outage: %v; want ErrProviderUnreachable and no change", err)
	}
	s.bank.fail("end", payment.ErrRefused)
	if _, err := s.EndSubscription(ada(t), o.ID); !errors.Is(err, order.ErrEndRefused) || s.ends(t, o) {
		t.Errorf("refused: %v; want ErrEndRefused and no change", err)
	}
	s.bank.fail("end", nil)
	s.bank.asked()
	end := s.license(t, o).ExpiresAt
	for range 2 {
		got, err := s.EndSubscription(ada(t), o.ID)
		if err != nil || !got.Ends || got.Renews() || !got.ExpiresAt.Equal(end) || !s.ends(t, o) {
			t.Errorf("EndSubscription = %+v, %v", got.Order, err)
		}
	}
	if calls := s.bank.asked(); !slices.Equal(calls, []string{"end later sub-1"}) {
		t.Errorf("the bank was asked %q, want once", calls)
	}
	l := s.license(t, o)
	if !l.ExpiresAt.Equal(end) || l.StatusAt(end.Add(-time.Millisecond)) != license.StatusActive ||
		l.StatusAt(end) != license.StatusExpired {
		t.Errorf("the license ends %s with a leeway of %s, want %s without", l.ExpiresAt, l.Leeway, end)
	}
	s.tell(t, about(payment.Ended, end))
	if _, err := s.EndSubscription(ada(t), o.ID); !errors.Is(err, order.ErrSubscriptionOver) {
		t.Errorf("once it has ended: %v, want ErrSubscriptionOver", err)
	}
}

// A provider's latest word counts, in whatever order its events arrive, and what the buyer did here is one
// of its words.
func TestWhetherASubscriptionEndsIsTheProvidersLatestWord(t *testing.T) {
	t.Parallel()

	noon := opened.Add(24 * time.Hour)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	late := about(payment.Renewed, at(9)) // its bill is older than the end
	late.BilledAt, late.Until, late.Reference.Invoice = at(-5), opened.AddDate(0, 2, 0), "inv-2"
	billed := about(payment.Billed, at(9))
	billed.Reference.Invoice = "inv-2"
	deleted := about(payment.Ended, at(8))
	for _, tt := range []struct {
		name   string
		events []payment.Event
		want   bool
	}{
		{"nothing more", nil, true},
		{"its own event", []payment.Event{about(payment.WillNotRenew, at(0))}, true},
		{"a change before", []payment.Event{about(payment.WillRenew, at(-1))}, true},
		{"a change of the same second", []payment.Event{about(payment.WillRenew, at(0))}, true},
		{"taken back", []payment.Event{about(payment.WillNotRenew, at(0)), about(payment.WillRenew, at(1))}, false},
		{"taken back and ended again", []payment.Event{
			about(payment.WillRenew, at(1)), about(payment.WillNotRenew, at(2)), about(payment.WillRenew, at(-3)),
		}, true},
		{"a bill from before, paid late", []payment.Event{late}, true},
		{"billed since", []payment.Event{billed}, false},
		{"a late payment of the period", []payment.Event{about(payment.NotRenewed, at(3))}, true},
		{"over", []payment.Event{deleted, about(payment.WillRenew, at(9))}, true},
	} {
		for _, backwards := range []bool{false, true} {
			s := openShop(t)
			s.RenewalLeeway = time.Hour
			o := s.subscribed(t)
			s.clock.Advance(24 * time.Hour)
			s.bank.noted = noon
			if _, err := s.EndSubscription(ada(t), o.ID); err != nil {
				t.Fatal(err)
			}
			events := slices.Clone(tt.events)
			if backwards {
				slices.Reverse(events)
			}
			for _, e := range events {
				s.tell(t, e)
				s.tell(t, e)
			}
			if got := s.ends(t, o); got != tt.want {
				t.Errorf("%s (backwards: %v): it ends: %v, want %v", tt.name, backwards, got, tt.want)
			}
			if l := s.license(t, o); (l.Leeway == 0) != tt.want {
				t.Errorf("%s (backwards: %v): the leeway is %s", tt.name, backwards, l.Leeway)
			}
		}
	}
}

// The webhook of the same request may be quicker than its answer, and the order may be refunded meanwhile.
func TestAnEndMeetsOtherChanges(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.subscribed(t)
	s.Payments = meanwhile{s.bank, func() { s.tell(t, about(payment.WillNotRenew, opened.Add(time.Hour))) }}
	if got, err := s.EndSubscription(ada(t), o.ID); err != nil || !got.Ends || !s.ends(t, o) {
		t.Errorf("the webhook was quicker: %+v, %v", got.Order, err)
	}

	s = openShop(t)
	o = s.subscribed(t)
	s.Payments = meanwhile{s.bank, func() { s.tell(t, refunded(o)) }}
	if _, err := s.EndSubscription(ada(t), o.ID); !errors.Is(err, order.ErrSubscriptionOver) {
		t.Errorf("refunded meanwhile: %v, want ErrSubscriptionOver", err)
	}
}

// meanwhile is a bank at which something else happens before it answers EndLater.
type meanwhile struct {
	*bank

	do func()
}

func (m meanwhile) EndLater(ctx context.Context, r payment.Reference) (time.Time, error) {
	m.do()
	return m.bank.EndLater(ctx, r)
}
