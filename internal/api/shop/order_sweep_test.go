package shop_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// Stripe may have reported a payment in vain for days: the secret was wrong, or
// stoa was down.
func TestAnOrderWhoseWebhookIsLostIsLookedUp(t *testing.T) {
	t.Parallel()

	refused := map[string]any{
		"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "requires_payment_method"},
	}
	waiting := map[string]any{
		"payment_intent": map[string]any{"id": "pi_1", "object": "payment_intent", "status": "processing"},
	}
	for _, tt := range []struct {
		name, status, paid string
		more               map[string]any
		want               order.Status
	}{
		{"paid", "complete", "paid", nil, order.Paid},
		{"expired", "expired", "unpaid", nil, order.Cancelled},
		{"open", "open", "unpaid", nil, order.Pending},
		{"the bank has not answered", "complete", "unpaid", waiting, order.Pending},
		{"the bank refused", "complete", "unpaid", refused, order.Cancelled},
		{"a cent is paid", "complete", "paid", map[string]any{"amount_total": 1}, order.Pending},
		{"another page", "complete", "paid", map[string]any{"id": "cs_other"}, order.Pending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, srv := testkit.NewStripeShop(t)
			s := a.Sell(t, "once")
			srv.Answer(s.Page(tt.status, tt.paid, tt.more))
			a.Clock.Advance(25*time.Hour - time.Millisecond)
			a.SweepOrders(t)
			if n := len(srv.Requests("/v1/checkout/sessions/cs_" + s.OrderID)); n != 0 {
				t.Errorf("Stripe was asked %d times about a page that may be open", n)
			}
			a.Clock.Advance(time.Millisecond)
			a.SweepOrders(t)
			a.SweepOrders(t)
			if o := a.StoredOrder(t, s.OrderID); o.Status() != tt.want {
				t.Errorf("the order is %s, want %s", o.Status(), tt.want)
			}
			if n := len(srv.Requests("/v1/checkout/sessions/cs_" + s.OrderID)); n != 1 {
				t.Errorf("Stripe was asked %d times, want once", n)
			}
		})
	}
}

// A server needs no request to do what became due while it was away.
func TestAServerThatStartsLooksAfterItsOrders(t *testing.T) {
	t.Parallel()

	at := dbtest.SQLite(t)
	shared := func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = at }
	a, srv := testkit.NewStripeShop(t, shared)
	s := a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	testkit.New(t, shared, testkit.Upkeep, testkit.PaidWith(srv), func(_ testing.TB, cfg *app.Config) {
		cfg.Now = func() time.Time { return testkit.T0.Add(25 * time.Hour) }
	})
	waittest.True(t, "the order is paid", func() bool {
		o := a.StoredOrder(t, s.OrderID)
		return o.Status() == order.Paid
	})
}

// A look-up and a late webhook about the same payment count once.
func TestAWebhookAfterALookUpChangesNothing(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	srv.Answer(s.Page("complete", "paid", nil))
	a.Clock.Advance(5 * 24 * time.Hour)
	a.SweepOrders(t)
	a.Activate(t, s.Key, "a.example")
	a.MustDeliver(t, s.Paid())
	if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Paid ||
		!o.PaidAt.Equal(testkit.T0.Add(time.Minute)) || o.Payment.Payment != "pi_"+s.OrderID {
		t.Errorf("the order is %+v", o)
	}
	if got := downloads(t, a); got != 101 {
		t.Errorf("downloadCount = %v, want one sale", got)
	}
}

// A refund that the provider refuses must neither be tried forever nor delay
// others.
func TestALatePaymentThatCannotBeGivenBackIsGivenUp(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	late := a.Buy(t, "", "once").Text(t, "orderId")
	o := a.StoredOrder(t, late)
	o.CancelledAt, o.PaidAt = testkit.T0, testkit.T0
	if err := a.Orders.Store.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	b.Fail(fmt.Errorf("disputed: %w", payment.ErrRefused))
	log := ""
	for range 40 * 24 * 6 { // forty days, every ten minutes
		log += a.SweepOrders(t)
		a.Clock.Advance(10 * time.Minute)
	}
	if got := len(b.Refunded()); got != order.SweepTries {
		t.Errorf("%d tries, want %d", got, order.SweepTries)
	}
	if strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "given up") || !strings.Contains(log, late) {
		t.Errorf("want one ERROR that names the order, got:\n%s", log)
	}
	// An administrator tries again when the dispute is over.
	admin := a.Admin(t, "root").Access
	if res := a.Refund(t, admin, late); res.Status != http.StatusConflict {
		t.Errorf("refund = %d %s, want 409", res.Status, res.Body)
	}
	b.Fail(nil)
	res := a.Refund(t, admin, late)
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "cancelled" ||
		res.Text(t, "data.refundedAt") == "" {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if again := a.Refund(t, admin, late); again.Status != http.StatusOK || string(again.Body) != string(res.Body) {
		t.Errorf("refund again = %d %s, want the same answer", again.Status, again.Body)
	}
}

// While the provider is down nothing is decided.
func TestAnOutageDecidesNothing(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	id := a.Buy(t, "", "once").Text(t, "orderId")
	a.Clock.Advance(25 * time.Hour)
	b.Fail(errors.New("no answer"))
	if log := a.SweepOrders(t); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "no answer") {
		t.Errorf("log: %s", log)
	}
	b.Fail(nil)
	b.Show(payment.Event{ID: "failed 1", Kind: payment.Failed})
	a.SweepOrders(t)
	if o := a.StoredOrder(t, id); o.Status() != order.Pending || b.LookUps() != 1 {
		t.Errorf("the order is %s after %d look-ups, want it put off", o.Status(), b.LookUps())
	}
	a.Clock.Advance(10 * time.Minute)
	a.SweepOrders(t)
	if o := a.StoredOrder(t, id); o.Status() != order.Cancelled {
		t.Errorf("the order is %s, want it cancelled", o.Status())
	}
}

// A crash between two steps leaves an unfinished order, which the sweep
// finishes.
func TestUnfinishedOrdersAreFinished(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a, b := testkit.NewBankShop(t, options...)
		ask := func(id string) {
			b.Fail(errors.New("no answer"))
			if _, err := a.Orders.Purchase(t.Context(), "mail-pack", order.PurchaseRequest{
				TierID: "once", PaymentMethod: "card", OrderID: id,
			}); err == nil {
				t.Fatal("the bank answered")
			}
			b.Fail(nil)
		}
		ask("never") // its payment never began
		late := a.Buy(t, "", "once").Text(t, "orderId")
		o := a.StoredOrder(t, late) // paid after it was cancelled, while the provider could not be asked
		o.CancelledAt, o.PaidAt = testkit.T0, testkit.T0
		waiting := a.Buy(t, "", "once").Text(t, "orderId")
		if err := a.Orders.Store.UpdateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		a.Clock.Advance(25*time.Hour - time.Millisecond)
		ask("young")
		sweep := func() {
			if err := a.Orders.Sweep(t.Context(), logtest.New(t)); err != nil {
				t.Fatal(err)
			}
		}
		sweep()
		if o := a.StoredOrder(t, "never"); o.Status() != order.Pending {
			t.Error("an order was given up a millisecond too early")
		}
		a.Clock.Advance(time.Millisecond)
		sweep()
		for id, want := range map[string]order.Status{
			"never": order.Cancelled, "young": order.Pending,
			waiting: order.Pending, late: order.Cancelled,
		} {
			if o := a.StoredOrder(t, id); o.Status() != want {
				t.Errorf("%s is %s, want %s", id, o.Status(), want)
			}
		}
		if o := a.StoredOrder(t, late); o.RefundedAt.IsZero() || !slices.Equal(b.Refunded(), []string{late}) {
			t.Errorf("the late payment was given back %q (%s), want %s", b.Refunded(), o.RefundedAt, late)
		}
	})
}
