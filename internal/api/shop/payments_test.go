package shop_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

func TestAPurchasePaidWithStripe(t *testing.T) {
	t.Parallel()

	for name, options := range map[string][]testkit.Option{"SQLite": nil, "PostgreSQL": {testkit.OnPostgres}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, srv := testkit.NewStripeShop(t, options...)
			s := a.Sell(t, "once")
			if s.URL != "https://checkout.stripe.com/c/pay/cs_"+s.OrderID {
				t.Errorf("paymentUrl = %q", s.URL)
			}
			asked := srv.Requests("/v1/checkout/sessions")[0].Form
			if got := asked.Get("success_url"); got != a.URL+"/payment/success?order="+s.OrderID {
				t.Errorf("success_url = %q", got)
			}
			for _, path := range []string{"success_url", "cancel_url"} {
				if res := a.Fetch(t, strings.TrimPrefix(asked.Get(path), a.URL)); res.Status != http.StatusOK {
					t.Errorf("GET %s = %d", asked.Get(path), res.Status)
				}
			}
			testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "unpaid")

			a.MustDeliver(t, s.Paid())
			if res := a.Activate(t, s.Key, "a.example"); res.Status != http.StatusOK {
				t.Errorf("activate = %d %s", res.Status, res.Body)
			}
			o := a.StoredOrder(t, s.OrderID)
			if o.Status() != order.Paid || o.Payment.Payment != "pi_"+s.OrderID ||
				!o.PaidAt.Equal(testkit.T0.Add(time.Minute)) || downloads(t, a) != 101 {
				t.Errorf("order %+v, %v downloads", o, downloads(t, a))
			}
			a.MustDeliver(t, s.Charge("evt_part_", 990))
			if a.Verify(t, "mail-pack", s.Key, "a.example").Get(t, "valid") != true {
				t.Error("a refund of a part took the license away")
			}
			a.MustDeliver(t, s.Refunded())
			testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
		})
	}
}

// A buyer who pays on a page gets the key by mail once the payment arrived.
func TestTheReceiptIsMailedOncePaid(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	res := a.Send(t, testkit.Products+"/mail-pack/purchase",
		`{"tierId":"once","paymentMethod":"card","billingInfo":{"email":"ada@example.com"}}`)
	s := testkit.Sale{OrderID: res.Text(t, "orderId")}
	if mails := a.Mails(t); len(mails) != 0 {
		t.Errorf("mailed before it is paid: %+v", mails)
	}
	for range 2 {
		a.MustDeliver(t, s.Paid())
	}
	if mails := a.Mails(t); len(mails) != 1 || !strings.Contains(mails[0].Text, res.Text(t, "licenseKey")) {
		t.Errorf("mails %+v, want one with the key", mails)
	}
}

// The license works only after the provider's signed webhook reported the payment
// (contract 3.4).
func TestWebhooksThatStripeDidNotSignAreRefused(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")

	payload := s.Paid()
	for _, signature := range []string{
		"",
		stripetest.Sign(payload, "whsec_other", time.Now()),
		stripetest.Sign(s.Expired(), stripetest.WebhookSecret, time.Now()), // another body's
		stripetest.Sign(payload, stripetest.WebhookSecret, time.Now().Add(-6*time.Minute)),
	} {
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: testkit.StripeWebhook,
			Body: string(payload), Header: http.Header{"Stripe-Signature": {signature}},
		})
		testkit.WantFlatError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "unpaid")

	big := strings.Repeat(" ", 1<<20-len(payload)) + string(payload)
	a.MustDeliver(t, []byte(big))
	testkit.WantFlatError(t, a.Deliver(t, []byte(" "+big)), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")

	test := testkit.NewShop(t)
	testkit.WantFlatError(t, test.Deliver(t, payload), http.StatusNotFound, "NOT_FOUND")
}

// A Stripe account may serve other systems too, and send events that do not concern stoa.
func TestWebhooksAboutOtherThingsAreTaken(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)

	for _, s := range []testkit.Sale{
		{OrderID: "unknown"}, {OrderID: ""}, {OrderID: "../../etc"}, {OrderID: strings.Repeat("x", 500)},
	} {
		a.MustDeliver(t, s.Paid())
		a.MustDeliver(t, s.Expired())
	}
	a.MustDeliver(t, stripetest.Event("evt_1", "customer.created", testkit.T0, map[string]any{"id": "cus_1"}))
	a.MustDeliver(t, []byte(`{"id":"evt_2","type":"checkout.session.completed","data":{"object":[]}}`))

	// A free order has no payment at Stripe.
	free := a.Send(t, testkit.Products+"/mail-pack/purchase", `{"tierId":"free","paymentMethod":"card"}`)
	a.MustDeliver(t, testkit.Sale{OrderID: free.Text(t, "orderId")}.Refunded())
	if o := a.StoredOrder(t, free.Text(t, "orderId")); o.Status() != order.Paid {
		t.Errorf("the free order is %s", o.Status())
	}
}

// Another system may open pages at the same account: paying one cent there must
// not buy a license.
func TestAPaymentThatIsNotThePriceSettlesNothing(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)

	for name, change := range map[string]func(string) string{
		"a cent": func(s string) string {
			return strings.Replace(s, `"amount_total":4990`, `"amount_total":1`,
				1)
		},
		"a cent less": func(s string) string {
			return strings.Replace(s, `"amount_total":4990`,
				`"amount_total":4989`, 1)
		},
		"other currency": func(s string) string {
			return strings.Replace(s, `"currency":"eur"`, `"currency":"jpy"`,
				1)
		},
		"another page": func(s string) string { return strings.Replace(s, `"id":"cs_`, `"id":"cs_x`, 1) },
	} {
		s := a.Sell(t, "once")
		a.MustDeliver(t, []byte(change(string(s.Paid()))))
		if o := a.StoredOrder(t, s.OrderID); o.Status() != order.Pending {
			t.Errorf("%s: the order is %s", name, o.Status())
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "unpaid")
	}
}

// state returns the part of an order and its license that must not depend on
// the order of events.
func state(tb testing.TB, a *testkit.App, s testkit.Sale) string {
	tb.Helper()
	o := a.StoredOrder(tb, s.OrderID)
	l, err := a.Orders.Store.LicenseByID(tb.Context(), o.LicenseID)
	if err != nil {
		tb.Fatal(err)
	}
	ref := strings.ReplaceAll(fmt.Sprint(o.Payment), s.OrderID, "ID")
	return fmt.Sprintf("%s %s paid %s refunded %s cancelled %s; license paid %v until %s revoked %s",
		o.Status(), ref, o.PaidAt, o.RefundedAt, o.CancelledAt, l.Paid, l.ExpiresAt, l.RevokedAt)
}

func permutations[T any](list []T, each func([]T)) {
	var permute func(n int)
	permute = func(n int) {
		if n == len(list) {
			each(list)
			return
		}
		for i := n; i < len(list); i++ {
			list[n], list[i] = list[i], list[n]
			permute(n + 1)
			list[n], list[i] = list[i], list[n]
		}
	}
	permute(0)
}

// Stripe guarantees neither the order of events nor a single delivery: the
// outcome is the same in any order and with repetitions.
func TestTheOrderOfEventsDoesNotMatter(t *testing.T) {
	t.Parallel()

	unpaid := func(s testkit.Sale) []byte { return s.Session("evt_unpaid_", "checkout.session.completed", "unpaid") }
	later := func(s testkit.Sale) []byte {
		return s.Session("evt_later_", "checkout.session.async_payment_succeeded", "paid")
	}
	refused := func(s testkit.Sale) []byte {
		return s.Session("evt_refused_", "checkout.session.async_payment_failed", "unpaid")
	}
	part := func(s testkit.Sale) []byte { return s.Charge("evt_part_", 990) }
	sets := map[string][]func(testkit.Sale) []byte{
		"paid":          {testkit.Sale.Paid, testkit.Sale.Paid, unpaid},
		"paid later":    {unpaid, later, later},
		"sent twice":    {testkit.Sale.Paid, later, testkit.Sale.Paid},
		"refused later": {unpaid, refused, refused},
		"expired":       {testkit.Sale.Expired, testkit.Sale.Expired},
		"paid and refunded": {
			testkit.Sale.Paid, testkit.Sale.Refunded, testkit.Sale.Paid, testkit.Sale.Refunded,
		},
		"paid later and refunded": {unpaid, later, part, testkit.Sale.Refunded},
		"refunded piece by piece": {testkit.Sale.Paid, part, part, testkit.Sale.Refunded},
		"refunded by another charge": {
			testkit.Sale.Paid, testkit.Sale.Refunded,
			func(s testkit.Sale) []byte { return s.Charge("evt_again_", 4990) },
		},
	}
	a, _ := testkit.NewStripeShop(t)
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := ""
			permutations(set, func(events []func(testkit.Sale) []byte) {
				s := a.Sell(t, "monthly") // its term shows; it costs less than what is paid
				for _, event := range events {
					a.MustDeliver(t, event(s))
				}
				got := state(t, a, s)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("in another order\n%s\nwant\n%s", got, want)
				}
			})
			t.Log(want)
		})
	}
}

// A buyer may pay a cancelled order whose page is still open: the money goes
// back, and the license does not work.
func TestAPaymentForACancelledOrderIsGivenBack(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	a.MustDeliver(t, s.Expired())

	// Stripe is down at first: the webhook must be repeated.
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Path != "/v1/refunds" {
			return testkit.StripePages(r)
		}
		return &stripetest.Answer{
			Status: http.StatusUnauthorized,
			Body:   map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "No."}},
		}
	})
	testkit.WantFlatError(t, a.Deliver(t, s.Paid()), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
	if o := a.StoredOrder(t, s.OrderID); !o.RefundedAt.IsZero() || o.Status() != order.Cancelled {
		t.Errorf("the order is %+v", o)
	}

	srv.Answer(testkit.StripePages)
	for range 2 { // it comes again, and once more
		a.MustDeliver(t, s.Paid())
	}
	refunds := srv.Requests("/v1/refunds")
	last := refunds[len(refunds)-1]
	if last.Form.Get("payment_intent") != "pi_"+s.OrderID ||
		last.IdempotencyKey != "stoa-refund-"+s.OrderID+"-pi_"+s.OrderID {
		t.Errorf("refund %+v", last)
	}
	before := len(refunds)
	a.MustDeliver(t, s.Refunded())
	if o := a.StoredOrder(t, s.OrderID); o.RefundedAt.IsZero() || o.Status() != order.Cancelled ||
		len(srv.Requests("/v1/refunds")) != before {
		t.Errorf("the order is %+v after %d refunds", o, len(srv.Requests("/v1/refunds")))
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
	if got := downloads(t, a); got != 100 {
		t.Errorf("downloadCount = %v, want what was not sold not counted", got)
	}
}

// The term of a subscription begins with its payment, and each paid invoice
// renews it once.
func TestPaidInvoicesRenewTheLicense(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "monthly")
	a.MustDeliver(t, s.Paid())
	ends := func() string { return a.Activate(t, s.Key, "a.example").Text(t, "license.expiresAt") }
	if got := ends(); got != "2030-04-01T12:01:00.000Z" {
		t.Errorf("the term ends %s, want a month after the payment", got)
	}
	invoice := func(event, id, reason string) []byte {
		return stripetest.Event(event+s.OrderID, "invoice.paid", testkit.T0.AddDate(0, 1, 0), map[string]any{
			"id": id + s.OrderID, "billing_reason": reason,
			"parent": map[string]any{
				"subscription_details": map[string]any{
					"metadata": map[string]any{"orderId": s.OrderID}, "subscription": "sub_1",
				},
			},
		})
	}
	a.MustDeliver(t, invoice("evt_1", "in_1", "subscription_create"))
	a.MustDeliver(t, invoice("evt_2", "in_2", "subscription_cycle"))
	a.MustDeliver(t, invoice("evt_2", "in_2", "subscription_cycle"))
	a.MustDeliver(t, invoice("evt_3", "in_2", "subscription_cycle")) // another event, the same invoice
	if got := ends(); got != "2030-05-01T12:01:00.000Z" {
		t.Errorf("the term ends %s, want one month more", got)
	}
	a.MustDeliver(t, s.Refunded())
	a.MustDeliver(t, invoice("evt_4", "in_3", "subscription_cycle")) // revoked is final
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "revoked")
}
