package order_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/reqctx"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// sweep sweeps once and returns the log.
func (s *shop) sweep(t *testing.T) string {
	t.Helper()
	var log bytes.Buffer
	if err := s.Sweep(t.Context(), slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	return log.String()
}

const pageLife = 25 * time.Hour

func TestASweepLooksUpOrdersWhoseWebhookIsLost(t *testing.T) {
	t.Parallel()

	unnamed := func(o order.Order) payment.Event {
		e := paid(o)
		e.OrderID = ""
		return e
	}
	for name, tt := range map[string]struct {
		page func(o order.Order) payment.Event
		want string
	}{
		"paid":                   {paid, "paid, license paid"},
		"failed":                 {failed, "cancelled, license revoked"},
		"not known yet":          {func(order.Order) payment.Event { return payment.Event{} }, "pending"},
		"without the order's id": {unnamed, "paid, license paid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			o := s.buy(t, "once")
			s.bank.pages["page-"+o.ID] = tt.page(o)
			s.clock.Advance(pageLife - time.Millisecond)
			s.sweep(t)
			if got := s.state(t, o.ID); got != "pending" {
				t.Errorf("while its page may be open: %s", got)
			}
			s.clock.Advance(time.Millisecond)
			s.sweep(t)
			if got := s.state(t, o.ID); got != tt.want {
				t.Errorf("after a day: %s, want %s", got, tt.want)
			}
		})
	}
}

// A crash between storing an order and opening its payment page leaves an order that nobody can pay.
func TestASweepCancelsOrdersWhosePaymentNeverBegan(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.bank.fail("begin", errOutage)
	req := order.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: "order1"}
	_, _ = s.Purchase(t.Context(), "mail-pack", req)
	s.clock.Advance(pageLife)
	if log := s.sweep(t); !strings.Contains(log, "its payment never began") {
		t.Errorf("log = %s", log)
	}
	if got, want := s.state(t, "order1"), "cancelled, license revoked"; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
}

func TestASweepRefundsLatePayments(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, failed(o))
	s.bank.fail("refund", payment.ErrRefused)
	s.tell(t, paid(o))
	s.bank.fail("refund", nil)
	s.bank.asked()
	s.sweep(t)
	if diff := cmp.Diff([]string{"refund pay-1inv-1"}, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
	want := "cancelled, license revoked, money returned, subscription ended"
	if got := s.state(t, o.ID); got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
	s.sweep(t)
	if calls := s.bank.asked(); calls != nil {
		t.Errorf("a finished order is swept again: %v", calls)
	}
}

// An order that cannot be finished waits longer each time, and giving it up is logged as an error.
func TestAnOrderThatCannotBeFinishedIsPutOffAndGivenUp(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	stuck := s.buy(t, "once")
	s.clock.Advance(pageLife)
	s.bank.fail("look", errOutage)
	if log := s.sweep(t); !strings.Contains(log, "level=WARN") || !strings.Contains(log, stuck.ID) {
		t.Errorf("log = %s, want a warning that names the order", log)
	}
	if s.bank.asked(); s.sweep(t) != "" || s.bank.asked() != nil {
		t.Error("the order is tried again at once")
	}
	s.clock.Advance(10 * time.Minute)
	for tries := 2; tries < order.SweepTries; tries++ {
		s.sweep(t)
		if calls := s.bank.asked(); len(calls) != 1 {
			t.Fatalf("try %d: the bank was asked %v", tries, calls)
		}
		s.clock.Advance(24 * time.Hour)
	}
	if log := s.sweep(t); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "given up") {
		t.Errorf("the last try: log = %s, want an error", log)
	}
	s.clock.Advance(24 * time.Hour)
	s.bank.asked()
	s.bank.fail("look", nil)
	s.sweep(t)
	if calls := s.bank.asked(); calls != nil {
		t.Errorf("given up, and tried again: %v", calls)
	}
}

// Tries count for what could not be done. Once it is done, what comes later is tried from the beginning.
func TestAnOrderThatIsFinishedAtLastIsTriedAnewForWhatComesLater(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.clock.Advance(pageLife)
	s.bank.fail("look", errOutage)
	for range order.SweepTries - 1 {
		s.sweep(t)
		s.clock.Advance(24 * time.Hour)
	}
	s.bank.fail("look", nil)
	s.bank.pages["page-"+o.ID] = paid(o)
	s.sweep(t)
	if got, want := s.state(t, o.ID), "paid, license paid"; got != want {
		t.Fatalf("in the end: %s, want %s", got, want)
	}
	s.bank.fail("end", errOutage)
	payload, err := json.Marshal(refunded(o))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.HandleWebhook(t.Context(), "bank", payload, "good"); err == nil {
		t.Error("the subscription is ended")
	}
	s.sweep(t)
	s.clock.Advance(10 * time.Minute)
	s.bank.fail("end", nil)
	s.sweep(t)
	if got, want := s.state(t, o.ID), "refunded, license paid, license revoked, subscription ended"; got != want {
		t.Errorf("after the refund: %s, want %s", got, want)
	}
}

func TestOneStuckOrderHoldsUpNoOther(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	var orders []order.Order
	for range 3 {
		orders = append(orders, s.buy(t, "monthly"))
	}
	for _, o := range orders {
		s.tell(t, failed(o))
	}
	s.bank.fail("refund", payment.ErrRefused)
	for i, o := range orders {
		e := paid(o)
		e.Reference.Payment = string(rune('a' + i))
		s.tell(t, e)
	}
	s.bank.fail("refund", nil)
	s.sweep(t)
	for _, o := range orders {
		want := "cancelled, license revoked, money returned, subscription ended"
		if got := s.state(t, o.ID); got != want {
			t.Errorf("state = %s, want %s", got, want)
		}
	}
}

func TestWithoutAProviderNothingIsSwept(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.buy(t, "once")
	s.clock.Advance(pageLife)
	s.Payments = payment.Test{}
	if log := s.sweep(t); log != "" {
		t.Errorf("log = %s", log)
	}
}

func TestSubscriptionsOfDeletedAccountsEnd(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.subscribed(t)
	end := s.license(t, o).ExpiresAt
	s.sweep(t)
	if calls := s.bank.asked(); len(calls) > 0 {
		t.Errorf("while there is an account, the bank was asked %q", calls)
	}
	for _, table := range []string{"orders", "licenses"} {
		_, err := s.db.Conn().Write.ExecContext(t.Context(), `UPDATE `+table+` SET user_id = $1`, reqctx.Deleted)
		if err != nil {
			t.Fatal(err)
		}
	}
	s.bank.fail("end", errors.New("the bank is closed"))
	s.sweep(t)
	if s.ends(t, o) {
		t.Error("it ends before the bank knows")
	}
	s.bank.fail("end", payment.ErrRefused)
	s.clock.Advance(time.Hour)
	if log := s.sweep(t); !strings.Contains(log, "end it at the provider") || s.ends(t, o) {
		t.Errorf("refused: %s", log)
	}
	s.bank.fail("end", nil)
	s.bank.asked()
	for range 2 {
		s.clock.Advance(time.Hour)
		s.sweep(t)
	}
	if calls := s.bank.asked(); len(calls) != 1 || calls[0] != "end later sub-1" || !s.ends(t, o) {
		t.Errorf("the bank was asked %q, and the subscription ends: %v", calls, s.ends(t, o))
	}
	if l := s.license(t, o); !l.ExpiresAt.Equal(end) || !l.RevokedAt.IsZero() {
		t.Errorf("the license ends %s, want %s", l.ExpiresAt, end)
	}
}
