package order_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit/dbtest"
)

// part is a request for a part.
func part(amount string) order.RefundRequest {
	return order.RefundRequest{Amount: json.RawMessage(amount)}
}

// backs returns what was given back of an order, the oldest first.
func (s *shop) backs(t *testing.T, id string) (lines []string) {
	t.Helper()
	o, err := s.Get(admin(t), id)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, r := range o.Refunds {
		sum += r.Amount.Minor
		lines = append(lines, fmt.Sprint(r.Seq, " ", r.Amount, " ", r.By, " ", r.Reason))
	}
	if sum != o.GivenBack().Minor {
		t.Errorf("refunds %v, but the payments say %s", lines, o.GivenBack())
	}
	return lines
}

func TestPartsAreGivenBackUntilNothingIsLeft(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, paid(o))
	first := part("10.50")
	first.Reason = "late"
	for _, req := range []order.RefundRequest{first, part("0.5"), part("0.5")} {
		if out, err := s.Refund(admin(t), o.ID, req); err != nil || out.Status() != order.Paid {
			t.Fatalf("Refund = %s, %v", out.Status(), err)
		}
		s.clock.Advance(time.Second)
	}
	if got := s.state(t, o.ID); got != "paid, license paid" || s.order(t, o.ID).PartlyRefunded != 1150 {
		t.Errorf("%s, %d given back", got, s.order(t, o.ID).PartlyRefunded)
	}
	for _, amount := range []string{"38.41", "0", "-1", "1.001", "1e2", "null", `"1"`} {
		if _, err := s.Refund(admin(t), o.ID, part(amount)); errs.KindOf(err) != errs.Invalid {
			t.Errorf("Refund of %s = %v, want VALIDATION_ERROR", amount, err)
		}
	}
	out, err := s.Refund(admin(t), o.ID, part("38.40"))
	if err != nil || out.Status() != order.Refunded {
		t.Errorf("the last part: %s, %v", out.Status(), err)
	}
	want := []string{"1 10.50 EUR boss late", "1 0.50 EUR boss ", "1 0.50 EUR boss ", "1 38.40 EUR boss "}
	if diff := cmp.Diff(want, s.backs(t, o.ID)); diff != "" {
		t.Errorf("refunds (-want +got):\n%s", diff)
	}
	if got := s.state(t, o.ID); got != "refunded, license paid, license revoked" {
		t.Errorf("state %s", got)
	}
	asked := []string{"refund pay-1 part 1050", "refund pay-1 part 50", "refund pay-1 part 50", "refund pay-1 part 3840"}
	if diff := cmp.Diff(asked, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
	if _, err := s.Refund(admin(t), o.ID, part("1")); errs.KindOf(err) != errs.Invalid {
		t.Errorf("Refund of nothing = %v", err)
	}
}

func TestPartsOfASubscriptionComeFromItsLatestPeriod(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, paid(o))
	s.tell(t, period(o, 2))
	for _, amount := range []string{"9.90", "40"} {
		if out, err := s.Refund(admin(t), o.ID, part(amount)); err != nil || out.Status() != order.Paid {
			t.Fatalf("Refund = %s, %v: the first period is left", out.Status(), err)
		}
		s.clock.Advance(time.Second)
	}
	if _, err := s.Refund(admin(t), o.ID, part("1")); errs.KindOf(err) != errs.Invalid {
		t.Errorf("more than the latest period: %v", err)
	}
	if out, err := s.Refund(admin(t), o.ID, order.RefundRequest{}); err != nil || out.Status() != order.Refunded {
		t.Errorf("the rest: %s, %v", out.Status(), err)
	}
	want := []string{"2 9.90 EUR boss ", "2 40.00 EUR boss ", "1 49.90 EUR boss "}
	if diff := cmp.Diff(want, s.backs(t, o.ID)); diff != "" {
		t.Errorf("refunds (-want +got):\n%s", diff)
	}
	asked := []string{"refund inv-2 part 990", "refund inv-2 part 4000", "refund pay-1inv-1", "end sub-1"}
	if diff := cmp.Diff(asked, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
}

// backEvent is the event that so much of the order's payment was given back by now.
func backEvent(o order.Order, id string, minor int64) payment.Event {
	e := refunded(o)
	e.ID, e.Minor, e.Whole = id, minor, 4990
	if minor < 4990 {
		e.Kind = payment.PartlyRefunded
	}
	return e
}

// The webhooks of our own parts, and of those in the dashboard, neither double nor lower the sum: whatever their order,
// and each twice.
func TestWebhooksNeitherDoubleNorLowerWhatWasGivenBack(t *testing.T) {
	t.Parallel()

	n := 0
	each([]int64{1000, 1500, 2500}, func(sums []int64) {
		n++
		s := openShop(t)
		o := s.buy(t, "once")
		s.tell(t, paid(o))
		if _, err := s.Refund(admin(t), o.ID, part("10")); err != nil {
			t.Fatal(err)
		}
		for i, sum := range append(sums, sums...) {
			s.tell(t, backEvent(o, fmt.Sprint("back-", i%3), sum))
		}
		if got := s.order(t, o.ID).PartlyRefunded; got != 2500 {
			t.Errorf("after %v: %d given back, want 2500; %v", sums, got, s.backs(t, o.ID))
		}
		if got := s.backs(t, o.ID); got[0] != "1 10.00 EUR boss " {
			t.Errorf("refunds %v", got)
		}
	})
	if n != 6 {
		t.Errorf("%d orders of events", n)
	}
}

// If stoa dies after the bank was asked, whoever comes first goes on: the sweep, the next request, or the bank's own
// webhook. The money goes back once.
func TestARefundThatWasInterruptedGoesOn(t *testing.T) {
	t.Parallel()

	for name, next := range map[string]func(t *testing.T, s *shop, o order.Order){
		"the sweep": func(t *testing.T, s *shop, _ order.Order) { s.sweep(t) },
		"the same request": func(t *testing.T, s *shop, o order.Order) {
			req := part("10")
			req.ID = "chosen"
			for range 2 {
				if _, err := s.Refund(admin(t), o.ID, req); err != nil {
					t.Error(err)
				}
			}
		},
		"its webhook": func(t *testing.T, s *shop, o order.Order) { s.tell(t, backEvent(o, "back", 1000)) },
		"a refused one": func(t *testing.T, s *shop, o order.Order) {
			_, err := s.Refund(admin(t), o.ID, part("40"))
			if errs.KindOf(err) != errs.Invalid {
				t.Errorf("a part beyond what is left = %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			o := s.buy(t, "once")
			s.tell(t, paid(o))
			req := part("10")
			req.ID = "chosen"
			s.bank.fail("refund", errOutage) // its answer is lost
			if _, err := s.Refund(admin(t), o.ID, req); !errors.Is(err, order.ErrRefundWaits) {
				t.Fatalf("Refund = %v", err)
			}
			if got := s.order(t, o.ID).PartlyRefunded; got != 0 {
				t.Errorf("%d given back before the bank said so", got)
			}
			s.bank.fail("refund", nil)
			next(t, s, o)
			if got := s.order(t, o.ID).PartlyRefunded; got != 1000 {
				t.Errorf("%d given back, want 1000", got)
			}
			if diff := cmp.Diff([]string{"1 10.00 EUR boss "}, s.backs(t, o.ID)); diff != "" {
				t.Errorf("refunds (-want +got):\n%s", diff)
			}
			if len(s.bank.parts) != 1 {
				t.Errorf("the bank gave back %v", s.bank.parts)
			}
		})
	}
}

func TestARefusedPartChangesNothing(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, paid(o))
	s.bank.fail("refund", payment.ErrRefused)
	if _, err := s.Refund(admin(t), o.ID, part("10")); !errors.Is(err, order.ErrRefundRefused) {
		t.Errorf("Refund = %v", err)
	}
	s.bank.fail("refund", nil)
	s.sweep(t)
	if got := s.backs(t, o.ID); got != nil {
		t.Errorf("refunds %v", got)
	}
	if _, err := s.Refund(admin(t), o.ID, part("49.90")); err != nil {
		t.Errorf("the next = %v", err)
	}
}

// A bank that is asked for more than is left would give it: nobody asks.
func TestPartsAtOnceAreNeverMoreThanWasPaid(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, paid(o))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			req := part("20")
			if i == 7 {
				req = order.RefundRequest{}
			}
			_, err := s.Refund(admin(t), o.ID, req)
			if kind := errs.KindOf(err); err != nil && kind != errs.Invalid && kind != errs.Unreachable {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	sum := int64(0)
	for _, minor := range s.bank.parts {
		sum += minor
	}
	o = s.order(t, o.ID)
	if sum > 4000 || o.Status() != order.Refunded {
		t.Errorf("%d given back in parts, the order is %s: %v", sum, o.Status(), s.backs(t, o.ID))
	}
	total, err := s.Get(admin(t), o.ID)
	if err != nil || total.GivenBack().Minor != 4990 {
		t.Errorf("%s given back, %v", total.GivenBack(), err)
	}
}

func TestRefundsOfLaterPeriodsAtTheProviderAreKept(t *testing.T) {
	t.Parallel()

	back := func(o order.Order, id string, minor int64) payment.Event {
		e := period(o, 2)
		e.ID, e.Kind, e.Minor, e.Whole, e.At = id, payment.PeriodRefunded, minor, 4990, opened.AddDate(0, 2, 0)
		return e
	}
	each([]string{"period", "part", "all"}, func(order []string) {
		s := openShop(t)
		o := s.buy(t, "monthly")
		s.tell(t, paid(o))
		events := map[string]payment.Event{"period": period(o, 2), "part": back(o, "b1", 500), "all": back(o, "b2", 4990)}
		for _, name := range append(order, order...) {
			s.tell(t, events[name])
		}
		want := []string{"1 inv-1 pay-1 2030-03-01 12:01:00 4990-0", "2 inv-2  2030-04-01 12:00:00 4990-4990"}
		if diff := cmp.Diff(want, s.payments(t, o)); diff != "" {
			t.Errorf("payments after %v (-want +got):\n%s", order, diff)
		}
		s.backs(t, o.ID)
		if got := s.state(t, o.ID); got != "paid, license paid" {
			t.Errorf("state after %v: %s", order, got)
		}
	})
}

// What came too late is given back by stoa itself, and kept like the rest.
func TestAutomaticRefundsAreKept(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, failed(o))
	s.tell(t, paid(o))
	s.clock.Advance(time.Hour)
	s.tell(t, period(o, 2))
	s.tell(t, period(o, 2))
	want := []string{"1 49.90 EUR stoa ", "2 49.90 EUR stoa "}
	if diff := cmp.Diff(want, s.backs(t, o.ID)); diff != "" {
		t.Errorf("refunds (-want +got):\n%s", diff)
	}
}

// takesBack lets buyers give their orders back for two weeks.
func (s *shop) takesBack(t *testing.T) {
	t.Helper()
	const offer = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, refundDays: 14, pricingTiers: [{id: once, name: Once, price: 49.90},
		{id: monthly, name: Monthly, price: 49.90, billingPeriod: monthly}]}]}`
	if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(offer)); err != nil {
		t.Fatal(err)
	}
}

// outbox seals nothing: the mails are only counted.
type outbox struct{ s *shop }

func (o outbox) Seal(mail.Message) (mail.Sealed, error) {
	return mail.Sealed{ID: ids.New(), CreatedAt: o.s.clock.Now()}, nil
}

func (outbox) Wake() {}

// Admins returns two administrators.
func (outbox) Admins(context.Context) ([]mail.Reader, error) {
	return []mail.Reader{{Address: "one@example.com"}, {Address: "two@example.com"}}, nil
}

// Administrators are told of what a buyer took back once each: in the transaction of the refund, whoever finishes it.
func TestAdministratorsHearOnceOfWhatIsTakenBack(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		for name, take := range map[string]func(*shop, order.Order){
			"at once": func(s *shop, o order.Order) {
				var all sync.WaitGroup
				for range 4 {
					all.Go(func() { _, _ = s.TakeBack(ada(t), o.ID, "") })
				}
				all.Wait()
			},
			"after an outage": func(s *shop, o order.Order) {
				s.bank.fail("refund", errOutage)
				if _, err := s.TakeBack(ada(t), o.ID, ""); err == nil {
					t.Error("it is refunded without its provider")
				}
				s.bank.fail("refund", nil)
				s.clock.Advance(time.Hour)
				s.sweep(t)
			},
			"by an administrator, too": func(s *shop, o order.Order) {
				s.bank.fail("refund", errOutage)
				_, _ = s.TakeBack(ada(t), o.ID, "")
				s.bank.fail("refund", nil)
				_, _ = s.Refund(admin(t), o.ID, order.RefundRequest{})
			},
		} {
			s := openShopAt(t, url)
			s.takesBack(t)
			s.Outbox, s.Administrators = outbox{s}, outbox{s}
			bought, err := s.Purchase(ada(t), "mail-pack", order.PurchaseRequest{TierID: "once", PaymentMethod: "card"})
			if err != nil {
				t.Fatal(err)
			}
			o := s.order(t, bought.OrderID)
			s.tell(t, paid(o))
			before := s.mails(t)
			take(s, o)
			if got, state := s.mails(t)-before, s.state(t, o.ID); got != 2 || state != "refunded, license paid, license revoked" {
				t.Errorf("%s: the order is %s, and %d mails wait", name, state, got)
			}
			if _, err := s.db.Conn().Write.ExecContext(t.Context(), `DELETE FROM once_keys`); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// mails counts those in the outbox.
func (s *shop) mails(t *testing.T) (n int) {
	t.Helper()
	if err := s.db.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM mails`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Buyers have their days from the payment on, to the millisecond, for the first payment, and once for each product.
func TestOrdersAreTakenBackInTime(t *testing.T) {
	t.Parallel()

	ada := reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: "ada"})
	for name, tt := range map[string]struct {
		tier   string
		after  time.Duration
		before func(t *testing.T, s *shop, o order.Order)
		want   order.RefundReason
	}{
		"in time":       {tier: "once", after: 14*24*time.Hour - time.Millisecond},
		"too late":      {tier: "once", after: 14 * 24 * time.Hour, want: order.TooLate},
		"first period":  {tier: "monthly"},
		"second period": {tier: "monthly", want: order.NotFirst, before: func(t *testing.T, s *shop, o order.Order) { s.tell(t, period(o, 2)) }},
		"after a refusal": {tier: "once", before: func(t *testing.T, s *shop, o order.Order) {
			s.bank.fail("refund", payment.ErrRefused)
			if _, err := s.TakeBack(ada, o.ID, ""); !errors.Is(err, order.ErrRefundRefused) {
				t.Errorf("TakeBack = %v", err)
			}
			s.bank.fail("refund", nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			s.takesBack(t)
			var list []order.Order
			for range 2 {
				bought, err := s.Purchase(ada, "mail-pack", order.PurchaseRequest{TierID: tt.tier, PaymentMethod: "card"})
				if err != nil {
					t.Fatal(err)
				}
				o := s.order(t, bought.OrderID)
				s.tell(t, paid(o))
				list = append(list, o)
			}
			o := list[0]
			s.clock.Advance(time.Minute + tt.after) // it was paid a minute after
			if tt.before != nil {
				tt.before(t, s, o)
			}
			shown, _, err := s.GetOwn(ada, o.ID)
			if err != nil || shown.RefundableUntil.IsZero() != (tt.want != "") {
				t.Errorf("refundable until %s, %v", shown.RefundableUntil, err)
			}
			out, err := s.TakeBack(ada, o.ID, "")
			if tt.want != "" {
				refused, ok := errors.AsType[*errs.Error](err)
				if !ok || refused.Code != "REFUND_REFUSED" || refused.Details["reason"] != tt.want {
					t.Errorf("TakeBack = %v, want %s", err, tt.want)
				}
				return
			}
			if err != nil || out.Status() != order.Refunded {
				t.Errorf("TakeBack = %s, %v", out.Status(), err)
			}
			if again, err := s.TakeBack(ada, o.ID, ""); err != nil || again.Status() != order.Refunded {
				t.Errorf("again = %s, %v", again.Status(), err)
			}
			if _, err := s.TakeBack(ada, list[1].ID, ""); !errors.Is(err, order.ErrTakeBackRefused) {
				t.Errorf("another order of the product = %v", err)
			}
		})
	}
}
