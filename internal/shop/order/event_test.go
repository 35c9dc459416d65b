package order_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

func TestEventsInAnyOrderEndInTheSameState(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		tier   string
		events func(o order.Order) []payment.Event
		want   string
		bank   []string // what it is asked, in whatever order the events come
	}{
		"paid": {
			"once", func(o order.Order) []payment.Event { return []payment.Event{paid(o), paid(o)} },
			"paid, license paid", nil,
		},
		"refunded": {
			"once", func(o order.Order) []payment.Event { return []payment.Event{paid(o), refunded(o), refunded(o)} },
			"refunded, license paid, license revoked", nil,
		},
		"failed": {
			"once", func(o order.Order) []payment.Event { return []payment.Event{failed(o), failed(o)} },
			"cancelled, license revoked", nil,
		},
		"a subscription that is refunded": {
			"monthly", func(o order.Order) []payment.Event { return []payment.Event{paid(o), refunded(o)} },
			"refunded, license paid, license revoked, subscription ended",
			[]string{"end sub-1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			each(tt.events(order.Order{}), func(drawn []payment.Event) {
				o := s.buy(t, tt.tier)
				var kinds []payment.EventKind
				for _, d := range drawn {
					events := tt.events(o)
					i := slices.IndexFunc(events, func(e payment.Event) bool { return e.Kind == d.Kind })
					s.tell(t, events[i])
					kinds = append(kinds, d.Kind)
				}
				if got := s.state(t, o.ID); got != tt.want {
					t.Errorf("after %v: %s, want %s", kinds, got, tt.want)
				}
				if diff := cmp.Diff(tt.bank, s.bank.asked()); diff != "" {
					t.Errorf("after %v: what the bank was asked (-want +got):\n%s", kinds, diff)
				}
			})
		})
	}
}

// A buyer pays at the moment when the order is cancelled.
func TestAPaymentOfACancelledOrderIsRefunded(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, failed(o))
	out := s.tell(t, paid(o))
	if want := "the payment is refunded"; !strings.Contains(out.Done, want) {
		t.Errorf("outcome = %+v, want %q", out, want)
	}
	want := "cancelled, license revoked, money returned, subscription ended"
	if got := s.state(t, o.ID); got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"refund pay-1inv-1", "end sub-1"}, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
	s.tell(t, paid(o)) // again: nothing is left to do
	if calls := s.bank.asked(); calls != nil {
		t.Errorf("delivered again, the bank is asked %v", calls)
	}
}

func TestALatePaymentThatCannotBeRefundedIsReported(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, failed(o))
	s.bank.fail("refund", payment.ErrRefused)
	if out := s.tell(t, paid(o)); !strings.Contains(out.Warning, "cannot be refunded") {
		t.Errorf("outcome = %+v, want a warning", out)
	}
	if got, want := s.state(t, o.ID), "cancelled, license revoked"; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
}

// After an outage the provider repeats the delivery, and the second one finishes what the first began.
func TestTheNextDeliveryMakesUpForAnOutage(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, failed(o))
	s.bank.fail("refund", errors.New("no network"))
	payload := fmt.Sprintf(`{"ID":"p","Kind":1,"At":"2030-03-01T13:00:00Z","OrderID":%q,
		"Minor":4990,"Exponent":2,"Currency":"EUR","Reference":{"Payment":"pay-1"}}`, o.ID)
	_, err := s.HandleWebhook(t.Context(), "bank", []byte(payload), "good")
	if !errors.Is(err, order.ErrProviderUnreachable) {
		t.Fatalf("HandleWebhook = %v, want ErrProviderUnreachable", err)
	}
	s.bank.fail("refund", nil)
	if _, err := s.HandleWebhook(t.Context(), "bank", []byte(payload), "good"); err != nil {
		t.Fatal(err)
	}
	if got, want := s.state(t, o.ID), "cancelled, license revoked, money returned"; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
}

func TestOnlyTheFullPricePaysAnOrder(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		change func(e *payment.Event)
		want   string
	}{
		"exactly the price":         {func(*payment.Event) {}, "paid, license paid"},
		"a cent less":               {func(e *payment.Event) { e.Minor-- }, "pending"},
		"more":                      {func(e *payment.Event) { e.Minor++ }, "paid, license paid"},
		"another currency":          {func(e *payment.Event) { e.Currency = "USD" }, "pending"},
		"in tenths of a cent":       {func(e *payment.Event) { e.Minor, e.Exponent = 49900, 3 }, "paid, license paid"},
		"a tenth of a cent less":    {func(e *payment.Event) { e.Minor, e.Exponent = 49899, 3 }, "pending"},
		"in whole euros, too few":   {func(e *payment.Event) { e.Minor, e.Exponent = 49, 0 }, "pending"},
		"in whole euros, enough":    {func(e *payment.Event) { e.Minor, e.Exponent = 50, 0 }, "paid, license paid"},
		"another payment page":      {func(e *payment.Event) { e.Reference.Session = "page-other" }, "pending"},
		"before the order was made": {func(e *payment.Event) { e.At = opened.Add(-time.Hour) }, "paid, license paid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			o := s.buy(t, "once")
			e := paid(o)
			tt.change(&e)
			out := s.tell(t, e)
			if got := s.state(t, o.ID); got != tt.want {
				t.Errorf("state = %s, want %s", got, tt.want)
			}
			if applied := tt.want != "pending"; applied == (out.Warning != "") {
				t.Errorf("outcome = %+v", out)
			}
			if at := s.order(t, o.ID).PaidAt; !at.IsZero() && at.Before(opened) {
				t.Errorf("paid at %v, before the order", at)
			}
		})
	}
}

func TestEventsOfOtherSystemsHaveNoEffect(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	for name, change := range map[string]func(e *payment.Event){
		"an unknown order":        func(e *payment.Event) { e.OrderID = "unknown" },
		"not an order id of ours": func(e *payment.Event) { e.OrderID = "ORDER #1" },
		"an unknown payment":      func(e *payment.Event) { e.OrderID, e.Reference.Payment = "", "pay-9" },
		"unrelated":               func(e *payment.Event) { e.Kind = payment.Unrelated },
	} {
		e := paid(o)
		change(&e)
		if out := s.tell(t, e); out.OrderID != "" || out.Done != "" {
			t.Errorf("%s: outcome = %+v, want none", name, out)
		}
	}
	if got := s.state(t, o.ID); got != "pending" {
		t.Errorf("state = %s, want pending", got)
	}
}

func TestOnlyTheProviderCanReportPayments(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	for name, tt := range map[string]struct {
		provider, signature string
		want                error
	}{
		"forged":                       {"bank", "forged", order.ErrNotSigned},
		"another provider":             {"stripe", "good", order.ErrNoProvider},
		"the provider does not answer": {"bank", "outage", order.ErrProviderUnreachable},
	} {
		if _, err := s.HandleWebhook(t.Context(), tt.provider, []byte(`{}`), tt.signature); !errors.Is(err, tt.want) {
			t.Errorf("%s: HandleWebhook = %v, want %v", name, err, tt.want)
		}
	}
	s.Payments = payment.Test{}
	if _, err := s.HandleWebhook(t.Context(), "test", []byte(`{}`), "good"); !errors.Is(err, order.ErrNoProvider) {
		t.Errorf("test payments: HandleWebhook = %v, want ErrNoProvider", err)
	}
}

func TestAPaidFurtherPeriodRenewsTheLicense(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, paid(o))
	first := s.license(t, o).ExpiresAt
	if want := opened.Add(time.Minute).AddDate(0, 1, 0); !first.Equal(want) { // the term begins when it is paid
		t.Fatalf("the first term ends %v, want %v", first, want)
	}
	renewed := payment.Event{
		ID: "renewed", Kind: payment.Renewed, At: first, Until: first.AddDate(0, 1, 0),
		Reference: payment.Reference{Invoice: "inv-2", Subscription: "sub-1"},
	}
	for range 2 { // an invoice renews once
		s.tell(t, renewed)
		if got, want := s.license(t, o).ExpiresAt, first.AddDate(0, 1, 0); !got.Equal(want) {
			t.Errorf("renewed until %v, want %v", got, want)
		}
	}
	other := renewed
	other.Reference.Subscription, other.OrderID, other.Reference.Invoice = "sub-2", o.ID, "inv-3"
	if out := s.tell(t, other); !strings.Contains(out.Warning, "another subscription") {
		t.Errorf("another subscription: outcome = %+v, want a warning", out)
	}
	s.tell(t, refunded(o))
	s.bank.asked()
	late := renewed
	late.ID, late.Reference.Invoice, late.At = "late", "inv-4", first.AddDate(1, 0, 0)
	if out := s.tell(t, late); !strings.Contains(out.Done, "it is refunded") {
		t.Errorf("after the refund: outcome = %+v, want the period refunded", out)
	}
	if calls := s.bank.asked(); !slices.Contains(calls, "refund inv-4") {
		t.Errorf("the bank was asked %v, want refund inv-4", calls)
	}
}

func TestAFurtherPeriodIsCollectedWhileTheOrderStands(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, paid(o))
	billed := payment.Event{
		ID: "billed", Kind: payment.Billed, At: opened.AddDate(0, 1, 0),
		Reference: payment.Reference{Invoice: "inv-2", Subscription: "sub-1"},
	}
	if out := s.tell(t, billed); out.Done == "" {
		t.Errorf("outcome = %+v", out)
	}
	s.bank.fail("collect", errors.New("the card is empty"))
	if out := s.tell(t, billed); !strings.Contains(out.Done, "left to the provider") {
		t.Errorf("uncollected: outcome = %+v", out)
	}
	if diff := cmp.Diff([]string{"collect inv-2", "collect inv-2"}, s.bank.asked()); diff != "" {
		t.Errorf("what the bank was asked (-want +got):\n%s", diff)
	}
	s.tell(t, refunded(o))
	s.bank.asked()
	s.tell(t, billed)
	if calls := s.bank.asked(); slices.Contains(calls, "collect inv-2") {
		t.Errorf("a refunded order is collected for: %v", calls)
	}
}

func TestARefundThatDidNotArriveIsReportedWithEachDelivery(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, paid(o))
	bounced := payment.Event{ID: "bounced", Kind: payment.Bounced, OrderID: o.ID, Note: "account closed"}
	for _, want := range []string{"The order stays paid.", "The order stays paid."} {
		out := s.tell(t, bounced)
		if !strings.Contains(out.Failure, want) || !strings.Contains(out.Failure, "account closed") {
			t.Errorf("outcome = %+v, want %q", out, want)
		}
	}
	s.tell(t, refunded(o))
	if out := s.tell(t, bounced); !strings.Contains(out.Failure, "stays revoked") {
		t.Errorf("after the refund: outcome = %+v", out)
	}
}

// Every order has one receipt and counts as one download.
func TestAnOrderIsSettledOnce(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	late, early := paid(o), paid(o)
	early.ID, early.At = "early", opened.Add(time.Second)
	s.tell(t, late)
	s.tell(t, early)
	s.tell(t, late)
	if at := s.order(t, o.ID).PaidAt; !at.Equal(early.At) {
		t.Errorf("paid at %v, want the earlier moment %v", at, early.At)
	}
	p, err := s.Products.Get(t.Context(), "mail-pack")
	if err != nil || p.DownloadCount != 1 {
		t.Errorf("downloads = %d, %v; want 1", p.DownloadCount, err)
	}
	receipts := 0
	for ; receipts < 3; receipts++ {
		lease := fmt.Sprint("lease", receipts)
		_, due, err := s.receipts.LeaseReceipt(t.Context(), lease, opened, opened.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if !due {
			break
		}
	}
	if receipts != 1 {
		t.Errorf("%d receipts are due, want 1", receipts)
	}
}
