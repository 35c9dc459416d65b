package shop_test

import (
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
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/stripetest"
)

// keepLog makes an App log into a buffer.
func keepLog(log *logtest.Buffer) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() }
}

// linesOf returns the lines of a log that contain all of the words.
func linesOf(log *logtest.Buffer, words ...string) []string {
	var found []string
	for line := range strings.Lines(log.String()) {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			found = append(found, line)
		}
	}
	return found
}

// A wrong secret is logged at once, and strangers who post nonsense do not fill
// the log.
func TestWebhooksThatAreNotSignedAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	a, _ := testkit.NewStripeShop(t, keepLog(&log))
	forge := func() {
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: testkit.StripeWebhook,
			Body: `{"id":"evt_1"}`, Header: http.Header{"Stripe-Signature": {"t=1,v1=00"}},
		})
		testkit.WantFlatError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	}
	for range 5 {
		forge()
	}
	if got := linesOf(&log, "level=WARN", "webhooks refused"); len(got) != 1 || !strings.Contains(got[0], "count=1") {
		t.Errorf("log: %q, want one line at once", got)
	}
	a.Clock.Advance(time.Minute - time.Millisecond)
	forge()
	a.Clock.Advance(time.Millisecond)
	forge()
	if got := linesOf(&log, "level=WARN", "webhooks refused"); len(got) != 2 || !strings.Contains(got[1], "count=6") {
		t.Errorf("log: %q, want a second line with the six since then", got)
	}
	if got := linesOf(&log, stripetest.WebhookSecret); len(got) != 0 {
		t.Errorf("the log has the secret: %q", got)
	}
}

func TestAPurchaseThatTheProviderRefusesIsLogged(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	a, srv := testkit.NewStripeShop(t, keepLog(&log))
	srv.Answer(func(stripetest.Request) *stripetest.Answer {
		return &stripetest.Answer{
			Status: http.StatusBadRequest,
			Body: map[string]any{
				"error": map[string]any{
					"type": "invalid_request_error", "code": "amount_too_small", "message": "Too small.",
				},
			},
		}
	})
	testkit.WantFlatError(t, a.Do(t, testkit.Purchase("", "once")), http.StatusBadRequest, "PURCHASE_FAILED")
	id := srv.Requests("/v1/checkout/sessions")[0].Form.Get("client_reference_id")
	if got := linesOf(&log, "level=WARN", id, "Too small."); len(got) != 1 {
		t.Errorf("no line has the order and the reason")
	}
	if got := linesOf(&log, stripetest.SecretKey); len(got) != 0 {
		t.Errorf("the log has the key: %q", got)
	}
}

func TestLivePaymentsWithoutKeysAreLoggedAtStart(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]int{"live": 1, "test": 0} {
		var log logtest.Buffer
		testkit.New(t, keepLog(&log), func(_ testing.TB, cfg *app.Config) { cfg.Payments = mode })
		if got := linesOf(&log, "level=WARN", "STOA_STRIPE_SECRET_KEY"); len(got) != want {
			t.Errorf("%s: %q, want %d", mode, got, want)
		}
	}
}

// A buyer whose order was cancelled while its page was being opened must not be
// sent to pay.
func TestAnOrderCancelledWhileItsPageOpensIsNotSold(t *testing.T) {
	t.Parallel()
	a, srv := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	orderID := ""
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Path == "/v1/checkout/sessions" {
			orderID = r.Form.Get("client_reference_id")
			if res := a.Cancel(t, admin, orderID); res.Status != http.StatusOK {
				t.Errorf("cancel = %d %s", res.Status, res.Body)
			}
		}
		return testkit.StripePages(r)
	})
	res := a.Do(t, testkit.Purchase("", "once"))
	testkit.WantFlatError(t, res, http.StatusBadRequest, "PURCHASE_FAILED")
	if !strings.Contains(string(res.Body), "cancelled") {
		t.Errorf("purchase = %s", res.Body)
	}
	if got := srv.Requests("/v1/checkout/sessions/cs_" + orderID + "/expire"); len(got) != 1 {
		t.Errorf("the page was closed %d times, want once", len(got))
	}
}

// A buyer who closed the tab finds the payment page again.
func TestAPendingOrderTellsItsOwnerWhereToPay(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	u := a.Register(t, "ada")
	bought := a.Do(t, testkit.Purchase(u.Access, "once"))
	list := func() map[string]any {
		res := a.Do(t, testkit.Get(u.Access, orders))
		return res.Get(t, "orders").([]any)[0].(map[string]any)
	}
	if got, want := list()["paymentUrl"], bought.Text(t, "paymentUrl"); got != want {
		t.Errorf("paymentUrl = %v, want %s", got, want)
	}
	b.Show(payment.Event{ID: "paid 1", Kind: payment.Paid, Minor: 4990, Exponent: 2, Currency: "EUR"})
	a.Clock.Advance(25 * time.Hour)
	a.SweepOrders(t)
	if got := list(); got["status"] != string(order.Paid) || got["paymentUrl"] != nil {
		t.Errorf("order = %s", fmt.Sprint(got))
	}
}
