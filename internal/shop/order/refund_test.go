package order_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

var errOutage = errors.New("no network")

func TestARefundRevokesTheLicenseAndEndsTheSubscription(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, paid(o))
	out, err := s.Refund(admin(t), o.ID, order.RefundRequest{})
	if err != nil || out.Status() != order.Refunded {
		t.Fatalf("Refund = %s, %v", out.Status(), err)
	}
	if got, want := s.state(t, o.ID), "refunded, license paid, license revoked, subscription ended"; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"refund pay-1inv-1", "end sub-1"}, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
	s.tell(t, refunded(o)) // its webhook changes nothing
	if calls := s.bank.asked(); calls != nil {
		t.Errorf("after its webhook the bank is asked %v", calls)
	}
}

func TestARefundThatFailsChangesNothing(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		bank error
		want error
	}{
		"refused": {payment.ErrRefused, order.ErrRefundRefused},
		"outage":  {errOutage, order.ErrRefundWaits},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			o := s.buy(t, "monthly")
			s.tell(t, paid(o))
			s.bank.fail("refund", tt.bank)
			if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); !errors.Is(err, tt.want) {
				t.Errorf("Refund = %v, want %v", err, tt.want)
			}
			if got, want := s.state(t, o.ID), "paid, license paid"; got != want {
				t.Errorf("state = %s, want %s", got, want)
			}
		})
	}
}

// A buyer who is refunded keeps nothing, even if the subscription cannot be ended at the moment.
func TestASubscriptionThatCannotBeEndedIsSweptUp(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, paid(o))
	s.bank.fail("end", errOutage)
	if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil {
		t.Fatal(err)
	}
	if got, want := s.state(t, o.ID), "refunded, license paid, license revoked"; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
	s.bank.fail("end", nil)
	s.sweep(t)
	if got, want := s.state(t, o.ID), "refunded, license paid, license revoked, subscription ended"; got != want {
		t.Errorf("after the sweep: %s, want %s", got, want)
	}
}

// The webhook that reports the payment may be lost, so the provider is asked first.
func TestAPendingOrderIsLookedUpBeforeItIsRefunded(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); !errors.Is(err, order.ErrNotRefundable) {
		t.Errorf("Refund of an unpaid order = %v, want ErrNotRefundable", err)
	}
	s.bank.fail("look", errOutage)
	if _, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); !errors.Is(err, order.ErrProviderUnreachable) {
		t.Errorf("Refund during an outage = %v, want ErrProviderUnreachable", err)
	}
	s.bank.fail("look", nil)
	s.bank.pages["page-"+o.ID] = paid(o)
	if out, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil || out.Status() != order.Refunded {
		t.Errorf("Refund = %s, %v; want refunded", out.Status(), err)
	}
}

func TestAnOrderOfAnotherProviderIsLeftAlone(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	pending, done := s.buy(t, "once"), s.buy(t, "once")
	s.tell(t, paid(done))
	s.Payments = payment.None{}
	if _, err := s.Refund(admin(t), done.ID, order.RefundRequest{}); !errors.Is(err, order.ErrOtherProvider) {
		t.Errorf("Refund = %v, want ErrOtherProvider", err)
	}
	if _, err := s.Cancel(admin(t), pending.ID); !errors.Is(err, order.ErrOtherProvider) {
		t.Errorf("Cancel = %v, want ErrOtherProvider", err)
	}
}

func TestATestPaymentIsRefundedWithoutAProvider(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.Payments = payment.Test{}
	o := s.buy(t, "once")
	if got := s.state(t, o.ID); got != "paid, license paid" {
		t.Fatalf("a test payment: %s", got)
	}
	s.Payments = s.bank
	if out, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil || out.Status() != order.Refunded {
		t.Errorf("Refund = %s, %v", out.Status(), err)
	}
	if calls := s.bank.asked(); calls != nil {
		t.Errorf("the bank was asked %v", calls)
	}
}

func TestCancellingClosesThePage(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	out, err := s.Cancel(admin(t), o.ID)
	if err != nil || out.Status() != order.Cancelled {
		t.Errorf("Cancel = %s, %v", out.Status(), err)
	}
	if got, want := s.state(t, o.ID), "cancelled, license revoked"; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"cancel"}, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
	again, err := s.Cancel(admin(t), o.ID)
	if diff := cmp.Diff(out, again); diff != "" || err != nil {
		t.Errorf("Cancel again = %v, want the same order (-want +got):\n%s", err, diff)
	}
	if asked := s.bank.asked(); asked != nil {
		t.Errorf("the second time the bank was asked to %v", asked)
	}
}

// A completed page cannot be closed. The outcome of its payment decides.
func TestCancellingACompletedPage(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		page  func(o order.Order) payment.Event
		want  error
		state string
	}{
		"paid":      {paid, order.ErrNotCancellable, "paid, license paid"},
		"refused":   {failed, nil, "cancelled, license revoked"},
		"not known": {func(order.Order) payment.Event { return payment.Event{} }, order.ErrBeingPaid, "pending"},
		"outage":    {nil, order.ErrProviderUnreachable, "pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			o := s.buy(t, "once")
			s.bank.fail("cancel", payment.ErrRefused)
			if tt.page == nil {
				s.bank.fail("look", errOutage)
			} else {
				s.bank.pages["page-"+o.ID] = tt.page(o)
			}
			if _, err := s.Cancel(admin(t), o.ID); !errors.Is(err, tt.want) {
				t.Errorf("Cancel = %v, want %v", err, tt.want)
			}
			if got := s.state(t, o.ID); got != tt.state {
				t.Errorf("state = %s, want %s", got, tt.state)
			}
		})
	}
}

func TestAnUnknownOrderIsNotFound(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	for _, id := range []string{"", "unknown", "ORDER #1"} {
		_, get := s.Get(admin(t), id)
		_, refund := s.Refund(admin(t), id, order.RefundRequest{})
		_, cancel := s.Cancel(admin(t), id)
		for name, err := range map[string]error{"Get": get, "Refund": refund, "Cancel": cancel} {
			if !errors.Is(err, order.ErrNotFound) {
				t.Errorf("%s(%q) = %v, want ErrNotFound", name, id, err)
			}
		}
	}
}

func TestAPurchaseWhosePaymentCannotBeginIsCancelled(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		bank    error
		orderID string // chosen by a caller who may try again
		want    error
		state   string
	}{
		"refused":             {payment.ErrRefused, "", order.ErrPaymentRefused, "cancelled, license revoked"},
		"refused, with an id": {payment.ErrRefused, "order1", order.ErrPaymentRefused, "cancelled, license revoked"},
		"outage":              {errOutage, "", order.ErrPaymentUnreachable, "cancelled, license revoked"},
		"outage, with an id":  {errOutage, "order1", order.ErrPaymentUnreachable, "pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			s.bank.fail("begin", tt.bank)
			req := order.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: tt.orderID}
			if _, err := s.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, tt.want) {
				t.Errorf("Purchase = %v, want %v", err, tt.want)
			}
			all, _, err := s.Find(admin(t), order.Query{Limit: 9})
			if err != nil || len(all) != 1 {
				t.Fatalf("orders = %v, %v", all, err)
			}
			if got := s.state(t, all[0].ID); got != tt.state {
				t.Errorf("state = %s, want %s", got, tt.state)
			}
			s.bank.fail("begin", nil)
			s.clock.Advance(time.Minute)
			if again, err := s.Purchase(t.Context(), "mail-pack", req); tt.state == "pending" &&
				(err != nil || again.OrderID != tt.orderID || again.PaymentURL == "") {
				t.Errorf("second try: %+v, %v; want the same order with its page", again, err)
			}
		})
	}
}
