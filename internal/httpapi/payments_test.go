package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/market"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

const webhook = "/api/marketplace/payments/stripe/webhook"

// withStripe makes an App take live payments with a Stripe, which opens a page of
// its own for every order.
func withStripe(srv *stripetest.Server) testkit.Option {
	srv.Answer(stripePages)
	return func(_ testing.TB, cfg *app.Config) {
		cfg.Payments = "live"
		cfg.Stripe = app.StripeConfig{SecretKey: stripetest.SecretKey, WebhookSecret: stripetest.WebhookSecret, APIBase: srv.URL}
	}
}

func stripePages(r stripetest.Request) *stripetest.Answer {
	if r.Path != "/v1/checkout/sessions" {
		return nil
	}
	id := "cs_" + r.Form.Get("client_reference_id")
	return &stripetest.Answer{Body: map[string]any{"id": id, "url": "https://checkout.stripe.com/c/pay/" + id}}
}

// liveShop returns an App with testCatalog that takes payments with a Stripe.
func liveShop(tb testing.TB, options ...testkit.Option) (*testkit.App, *stripetest.Server) {
	tb.Helper()
	srv := stripetest.New(tb)
	return shop(tb, append(options, withStripe(srv))...), srv
}

// tell delivers an event as Stripe does and returns the answer.
func tell(tb testing.TB, a *testkit.App, payload []byte) testkit.Response {
	tb.Helper()
	return a.Do(tb, testkit.Request{
		Method: http.MethodPost, Path: webhook, Body: string(payload),
		Header: http.Header{"Stripe-Signature": {stripetest.Sign(payload, stripetest.WebhookSecret, time.Now())}},
	})
}

func mustTell(tb testing.TB, a *testkit.App, payload []byte) {
	tb.Helper()
	if res := tell(tb, a, payload); res.Status != http.StatusOK {
		tb.Fatalf("webhook = %d %s", res.Status, res.Body)
	}
}

// sale is a purchase that waits for its payment.
type sale struct {
	orderID, key, url string
}

func orderLive(tb testing.TB, a *testkit.App, tier string) sale {
	tb.Helper()
	res := send(tb, a, products+"/mail-pack/purchase", map[string]any{"tierId": tier, "paymentMethod": "card"})
	if res.Status != http.StatusOK {
		tb.Fatalf("purchase = %d %s", res.Status, res.Body)
	}
	return sale{res.Text(tb, "orderId"), res.Text(tb, "licenseKey"), res.Text(tb, "paymentUrl")}
}

// The events of a sale of the tier "once".
func (s sale) session(id, kind, status string) []byte {
	at := testkit.T0.Add(time.Minute)
	if kind == "checkout.session.async_payment_succeeded" {
		at = at.Add(time.Hour)
	}
	return stripetest.Event(id+s.orderID, kind, at, map[string]any{
		"id": "cs_" + s.orderID, "metadata": map[string]any{"orderId": s.orderID}, "payment_status": status,
		"amount_total": 4990, "currency": "eur", "payment_intent": "pi_" + s.orderID,
	})
}

func (s sale) paid() []byte { return s.session("evt_paid_", "checkout.session.completed", "paid") }

func (s sale) expired() []byte { return s.session("evt_exp_", "checkout.session.expired", "unpaid") }

func (s sale) charge(id string, refunded int) []byte {
	return stripetest.Event(id+s.orderID, "charge.refunded", testkit.T0.Add(time.Hour), map[string]any{
		"id": "ch_" + s.orderID, "metadata": map[string]any{"orderId": s.orderID}, "payment_intent": "pi_" + s.orderID,
		"amount": 4990, "amount_refunded": refunded, "refunded": refunded == 4990, "currency": "eur",
	})
}

func (s sale) refunded() []byte { return s.charge("evt_refund_", 4990) }

func TestAPurchasePaidWithStripe(t *testing.T) {
	t.Parallel()

	for name, options := range map[string][]testkit.Option{"SQLite": nil, "PostgreSQL": {testkit.OnPostgres}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, srv := liveShop(t, options...)
			s := orderLive(t, a, "once")
			if s.url != "https://checkout.stripe.com/c/pay/cs_"+s.orderID {
				t.Errorf("paymentUrl = %q", s.url)
			}
			asked := srv.Requests("/v1/checkout/sessions")[0].Form
			if got := asked.Get("success_url"); got != a.URL+"/payment/success?order="+s.orderID {
				t.Errorf("success_url = %q", got)
			}
			for _, path := range []string{"success_url", "cancel_url"} {
				if res := fetch(t, a, strings.TrimPrefix(asked.Get(path), a.URL)); res.Status != http.StatusOK {
					t.Errorf("GET %s = %d", asked.Get(path), res.Status)
				}
			}
			wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "unpaid")

			mustTell(t, a, s.paid())
			if res := activate(t, a, s.key, "a.example"); res.Status != http.StatusOK {
				t.Errorf("activate = %d %s", res.Status, res.Body)
			}
			o := orderOf(t, a, s.orderID)
			if o.Status() != market.OrderPaid || o.Payment.Payment != "pi_"+s.orderID || !o.PaidAt.Equal(testkit.T0.Add(time.Minute)) || downloads(t, a) != 101 {
				t.Errorf("order %+v, %v downloads", o, downloads(t, a))
			}
			mustTell(t, a, s.charge("evt_part_", 990))
			if verify(t, a, "mail-pack", s.key, "a.example").Get(t, "valid") != true {
				t.Error("a refund of a part took the licence away")
			}
			mustTell(t, a, s.refunded())
			wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
		})
	}
}

// Who pays on a page gets the key by mail, once it is paid.
func TestTheReceiptIsMailedOncePaid(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	res := send(t, a, products+"/mail-pack/purchase", `{"tierId":"once","paymentMethod":"card","billingInfo":{"email":"ada@example.com"}}`)
	s := sale{orderID: res.Text(t, "orderId")}
	if mails := a.Mails(t); len(mails) != 0 {
		t.Errorf("mailed before it is paid: %+v", mails)
	}
	for range 2 {
		mustTell(t, a, s.paid())
	}
	if mails := a.Mails(t); len(mails) != 1 || !strings.Contains(mails[0].Text, res.Text(t, "licenseKey")) {
		t.Errorf("mails %+v, want one with the key", mails)
	}
}

// CONTRACT 3: the licence works only once the provider's signed webhook says paid.
func TestWebhooksThatStripeDidNotSignAreRefused(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	s := orderLive(t, a, "once")

	payload := s.paid()
	for _, signature := range []string{
		"",
		stripetest.Sign(payload, "whsec_other", time.Now()),
		stripetest.Sign(s.expired(), stripetest.WebhookSecret, time.Now()), // another body's
		stripetest.Sign(payload, stripetest.WebhookSecret, time.Now().Add(-6*time.Minute)),
	} {
		res := a.Do(t, testkit.Request{Method: http.MethodPost, Path: webhook, Body: string(payload), Header: http.Header{"Stripe-Signature": {signature}}})
		wantFlatError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	}
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "unpaid")

	big := strings.Repeat(" ", 1<<20-len(payload)) + string(payload)
	mustTell(t, a, []byte(big))
	wantFlatError(t, tell(t, a, []byte(" "+big)), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")

	test := shop(t)
	wantFlatError(t, tell(t, test, payload), http.StatusNotFound, "NOT_FOUND")
}

// An account at Stripe may have other systems, and sends what nobody asked for.
func TestWebhooksAboutOtherThingsAreTaken(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)

	for _, s := range []sale{{orderID: "unknown"}, {orderID: ""}, {orderID: "../../etc"}, {orderID: strings.Repeat("x", 500)}} {
		mustTell(t, a, s.paid())
		mustTell(t, a, s.expired())
	}
	mustTell(t, a, stripetest.Event("evt_1", "customer.created", testkit.T0, map[string]any{"id": "cus_1"}))
	mustTell(t, a, []byte(`{"id":"evt_2","type":"checkout.session.completed","data":{"object":[]}}`))

	// A free order was never Stripe's to pay.
	free := send(t, a, products+"/mail-pack/purchase", `{"tierId":"free","paymentMethod":"card"}`)
	mustTell(t, a, sale{orderID: free.Text(t, "orderId")}.refunded())
	if o := orderOf(t, a, free.Text(t, "orderId")); o.Status() != market.OrderPaid {
		t.Errorf("the free order is %s", o.Status())
	}
}

// Somebody who can have another system make pages at the same account must not
// get a licence for a cent.
func TestAPaymentThatIsNotThePriceSettlesNothing(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)

	for name, change := range map[string]func(string) string{
		"a cent":         func(s string) string { return strings.Replace(s, `"amount_total":4990`, `"amount_total":1`, 1) },
		"a cent less":    func(s string) string { return strings.Replace(s, `"amount_total":4990`, `"amount_total":4989`, 1) },
		"other currency": func(s string) string { return strings.Replace(s, `"currency":"eur"`, `"currency":"jpy"`, 1) },
		"another page":   func(s string) string { return strings.Replace(s, `"id":"cs_`, `"id":"cs_x`, 1) },
	} {
		s := orderLive(t, a, "once")
		mustTell(t, a, []byte(change(string(s.paid()))))
		if o := orderOf(t, a, s.orderID); o.Status() != market.OrderPending {
			t.Errorf("%s: the order is %s", name, o.Status())
		}
		wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "unpaid")
	}
}

// state is what must not depend on the order of events.
func state(tb testing.TB, a *testkit.App, s sale) string {
	tb.Helper()
	o := orderOf(tb, a, s.orderID)
	l, err := a.Market.Sales.LicenseByID(tb.Context(), o.LicenseID)
	if err != nil {
		tb.Fatal(err)
	}
	ref := strings.ReplaceAll(fmt.Sprint(o.Payment), s.orderID, "ID")
	return fmt.Sprintf("%s %s paid %s refunded %s cancelled %s; licence paid %v until %s revoked %s",
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

// Stripe promises neither order nor a single delivery: whatever comes how often
// in which order, the outcome is the same.
func TestTheOrderOfEventsDoesNotMatter(t *testing.T) {
	t.Parallel()

	unpaid := func(s sale) []byte { return s.session("evt_unpaid_", "checkout.session.completed", "unpaid") }
	later := func(s sale) []byte {
		return s.session("evt_later_", "checkout.session.async_payment_succeeded", "paid")
	}
	refused := func(s sale) []byte {
		return s.session("evt_refused_", "checkout.session.async_payment_failed", "unpaid")
	}
	part := func(s sale) []byte { return s.charge("evt_part_", 990) }
	sets := map[string][]func(sale) []byte{
		"paid":                       {sale.paid, sale.paid, unpaid},
		"paid later":                 {unpaid, later, later},
		"told twice":                 {sale.paid, later, sale.paid},
		"refused later":              {unpaid, refused, refused},
		"expired":                    {sale.expired, sale.expired},
		"paid and refunded":          {sale.paid, sale.refunded, sale.paid, sale.refunded},
		"paid later and refunded":    {unpaid, later, part, sale.refunded},
		"refunded piece by piece":    {sale.paid, part, part, sale.refunded},
		"refunded by another charge": {sale.paid, sale.refunded, func(s sale) []byte { return s.charge("evt_again_", 4990) }},
	}
	a, _ := liveShop(t)
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := ""
			permutations(set, func(events []func(sale) []byte) {
				s := orderLive(t, a, "monthly") // its term shows; it costs less than what is paid
				for _, event := range events {
					mustTell(t, a, event(s))
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

// An order that was cancelled may be paid all the same, by a buyer who was about
// to: the money goes back, and nothing works.
func TestAPaymentForACancelledOrderIsGivenBack(t *testing.T) {
	t.Parallel()
	a, srv := liveShop(t)
	s := orderLive(t, a, "once")
	mustTell(t, a, s.expired())

	// Stripe is down at first: the webhook is to come again.
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Path != "/v1/refunds" {
			return stripePages(r)
		}
		return &stripetest.Answer{Status: http.StatusUnauthorized, Body: map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "No."}}}
	})
	wantFlatError(t, tell(t, a, s.paid()), http.StatusBadGateway, "PAYMENT_UNREACHABLE")
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
	if o := orderOf(t, a, s.orderID); !o.RefundedAt.IsZero() || o.Status() != market.OrderCancelled {
		t.Errorf("the order is %+v", o)
	}

	srv.Answer(stripePages)
	for range 2 { // it comes again, and once more
		mustTell(t, a, s.paid())
	}
	refunds := srv.Requests("/v1/refunds")
	last := refunds[len(refunds)-1]
	if last.Form.Get("payment_intent") != "pi_"+s.orderID || last.IdempotencyKey != "stoa-refund-"+s.orderID+"-pi_"+s.orderID {
		t.Errorf("refund %+v", last)
	}
	before := len(refunds)
	mustTell(t, a, s.refunded())
	if o := orderOf(t, a, s.orderID); o.RefundedAt.IsZero() || o.Status() != market.OrderCancelled || len(srv.Requests("/v1/refunds")) != before {
		t.Errorf("the order is %+v after %d refunds", o, len(srv.Requests("/v1/refunds")))
	}
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
	if got := downloads(t, a); got != 100 {
		t.Errorf("downloadCount = %v, want what was not sold not counted", got)
	}
}

// A subscription's term begins when it is paid, and each paid invoice renews it
// once.
func TestPaidInvoicesRenewTheLicense(t *testing.T) {
	t.Parallel()
	a, _ := liveShop(t)
	s := orderLive(t, a, "monthly")
	mustTell(t, a, s.paid())
	ends := func() string { return activate(t, a, s.key, "a.example").Text(t, "license.expiresAt") }
	if got := ends(); got != "2030-04-01T12:01:00.000Z" {
		t.Errorf("the term ends %s, want a month after the payment", got)
	}
	invoice := func(event, id, reason string) []byte {
		return stripetest.Event(event+s.orderID, "invoice.paid", testkit.T0.AddDate(0, 1, 0), map[string]any{
			"id": id + s.orderID, "billing_reason": reason,
			"parent": map[string]any{"subscription_details": map[string]any{"metadata": map[string]any{"orderId": s.orderID}, "subscription": "sub_1"}},
		})
	}
	mustTell(t, a, invoice("evt_1", "in_1", "subscription_create"))
	mustTell(t, a, invoice("evt_2", "in_2", "subscription_cycle"))
	mustTell(t, a, invoice("evt_2", "in_2", "subscription_cycle"))
	mustTell(t, a, invoice("evt_3", "in_2", "subscription_cycle")) // another event, the same invoice
	if got := ends(); got != "2030-05-01T12:01:00.000Z" {
		t.Errorf("the term ends %s, want one month more", got)
	}
	mustTell(t, a, s.refunded())
	mustTell(t, a, invoice("evt_4", "in_3", "subscription_cycle")) // revoked is final
	wantVerdict(t, verify(t, a, "mail-pack", s.key, "a.example"), "revoked")
}
