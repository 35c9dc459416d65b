package shop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// coupons manages discounts of an App.
type coupons struct {
	*testkit.App

	root string
}

func newCoupons(tb testing.TB, a *testkit.App) coupons {
	tb.Helper()
	return coupons{a, a.Admin(tb, "root").Access}
}

const adminDiscounts = "/api/v1/admin/discounts"

// make makes a discount and returns its path.
func (c coupons) make(tb testing.TB, body string) string {
	tb.Helper()
	res := c.Do(tb, testkit.Post(c.root, adminDiscounts, body))
	if res.Status != http.StatusCreated {
		tb.Fatalf("%s = %d %s", body, res.Status, res.Body)
	}
	return adminDiscounts + "/" + res.Text(tb, "data.id")
}

func (c coupons) uses(tb testing.TB, path string) int {
	tb.Helper()
	n, _ := c.Do(tb, testkit.Get(c.root, path)).Get(tb, "data.uses").(float64)
	return int(n)
}

// purchase is a request to buy a tier of mail-pack with a code.
func purchase(token, tier, code, email string) testkit.Request {
	body := map[string]any{"tierId": tier, "paymentMethod": "card", "discountCode": code}
	if email != "" {
		body["billingInfo"] = map[string]string{"email": email}
	}
	return testkit.Post(token, testkit.Products+"/mail-pack/purchase", body)
}

func (c coupons) buy(tb testing.TB, token, tier, code, email string) testkit.Response {
	tb.Helper()
	res := c.Do(tb, purchase(token, tier, code, email))
	if res.Status != http.StatusOK {
		tb.Fatalf("purchase = %d %s", res.Status, res.Body)
	}
	return res
}

func wantReason(tb testing.TB, res testkit.Response, reason string) {
	tb.Helper()
	if got, _ := res.Get(tb, "details.reason").(string); res.Status != 400 || res.Text(tb, "error") != "DISCOUNT_REFUSED" || got != reason {
		tb.Errorf("answer = %d %s, want the reason %s", res.Status, res.Body, reason)
	}
}

func priceOf(slug, tier, code string) string {
	q := url.Values{"tierId": {tier}}
	if code != "" {
		q.Set("discountCode", code)
	}
	return testkit.Products + "/" + slug + "/price?" + q.Encode()
}

// A kept answer does not say again what was left of a limit when it was made.
func TestARepeatedPurchaseHasNoLimitOfTheFirst(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, testkit.Limited)
	newCoupons(t, a).make(t, `{"code":"LAUNCH20","percentOff":20}`)
	req := purchase("", "once", "launch20", "ada@example.com")
	req.Header = http.Header{"Idempotency-Key": {"one"}}
	for _, want := range []string{`"discount"`, `"purchase"`} {
		res := a.Do(t, req)
		if name, _, _ := strings.Cut(res.Header.Get("RateLimit"), ";"); res.Status != http.StatusOK || name != want {
			t.Errorf("purchase = %d with the limit %s, want %s; replayed %q", res.Status, name, want, res.Header.Get("Idempotency-Replayed"))
		}
	}
}

func TestAPriceWithACode(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	c := newCoupons(t, a)
	path := c.make(t, `{"code":"LAUNCH20","percentOff":20}`)
	c.make(t, `{"code":"FIVE","amountOff":5,"currency":"EUR"}`)
	for _, tt := range []struct{ tier, code, want string }{
		{"once", "", `{"price":49.9,"discount":0,"total":49.9,"currency":"EUR"}`},
		{"once", "launch20", `{"price":49.9,"discount":9.98,"total":39.92,"currency":"EUR"}`},
		{"monthly", "FIVE", `{"price":5,"discount":5,"total":0,"currency":"EUR"}`},
		{"yearly", "LAUNCH20", `{"price":5000,"discount":1000,"total":4000,"currency":"JPY"}`},
		{"free", "", `{"price":0,"discount":0,"total":0,"currency":"EUR"}`},
	} {
		if res := a.Fetch(t, priceOf("mail-pack", tt.tier, tt.code)); strings.TrimSpace(string(res.Body)) != tt.want {
			t.Errorf("%s with %q = %s, want %s", tt.tier, tt.code, res.Body, tt.want)
		}
	}
	wantReason(t, a.Fetch(t, priceOf("mail-pack", "yearly", "FIVE")), "not_applicable")
	wantReason(t, a.Fetch(t, priceOf("mail-pack", "free", "FIVE")), "not_applicable")
	wantReason(t, a.Fetch(t, priceOf("mail-pack", "once", "NONE")), "not_found")
	wantReason(t, a.Fetch(t, priceOf("mail-pack", "once", "no code at all")), "not_found")
	testkit.WantFlatError(t, a.Fetch(t, priceOf("mail-pack", "gold", "")), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Fetch(t, priceOf("hidden", "only", "")), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/mail-pack/price"), 400, "VALIDATION_ERROR")
	if got := c.uses(t, path); got != 0 {
		t.Errorf("asking took %d uses", got)
	}
}

func TestAPurchaseWithACodeShowsItEverywhere(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		c := newCoupons(t, a)
		path := c.make(t, `{"code":"LAUNCH20","percentOff":20}`)
		ada := a.Register(t, "ada").Access
		plain := a.Buy(t, ada, "once").Text(t, "orderId")
		a.Clock.Advance(time.Second) // so that the next is the first of the list
		bought := c.buy(t, ada, "once", "launch20", "").Text(t, "orderId")
		want := any(map[string]any{"code": "LAUNCH20", "amount": 9.98, "duration": "once"})
		for what, o := range map[string]any{
			"its page":       a.Do(t, testkit.Get(ada, orders+"/"+bought)).JSON(t),
			"my orders":      a.Do(t, testkit.Get(ada, orders)).Get(t, "orders").([]any)[0],
			"administration": a.Do(t, testkit.Get(c.root, testkit.AdminOrders+"/"+bought)).Get(t, "data"),
		} {
			got := o.(map[string]any)
			if !cmp.Equal(got["discount"], want) || got["amount"] != 39.92 || got["status"] != "paid" {
				t.Errorf("%s shows %v", what, got)
			}
		}
		if res := a.Do(t, testkit.Get(ada, orders+"/"+plain)); strings.Contains(string(res.Body), "discount") {
			t.Errorf("an order without a code is %s", res.Body)
		}
		told, err := database.Texts(t.Context(), a.DB.Conn().Read,
			`SELECT data_json FROM events WHERE type = 'order.paid' ORDER BY seq`)
		if err != nil || len(told) != 2 || strings.Contains(told[0], "discount") {
			t.Fatalf("events are %q, %v", told, err)
		}
		var data struct {
			OrderID  string `json:"orderId"`
			Discount any    `json:"discount"`
		}
		_ = json.Unmarshal([]byte(told[1]), &data)
		if want := any(map[string]any{"code": "LAUNCH20", "amount": 9.98, "currency": "EUR"}); !cmp.Equal(data.Discount, want) || data.OrderID != bought {
			t.Errorf("the event is %s", told[1])
		}

		// An order keeps what it had, and a refund gives no use back.
		a.Do(t, testkit.Patch(c.root, path, `{"percentOff":50}`))
		refunded := a.Refund(t, c.root, bought)
		if got := refunded.Get(t, "data.discount"); !cmp.Equal(got, want) || c.uses(t, path) != 1 {
			t.Errorf("after the refund: %v, %d uses", got, c.uses(t, path))
		}
	})
}

func TestTheReceiptNamesTheDiscount(t *testing.T) {
	t.Parallel()

	sent := new(mailer)
	a := testkit.NewShop(t, mailing(sent))
	c := newCoupons(t, a)
	c.make(t, `{"code":"LAUNCH20","percentOff":20}`)
	c.buy(t, "", "once", "LAUNCH20", "ada@example.com")
	deliver(t, a)
	_, mails := sent.take()
	if len(mails) != 1 || !strings.Contains(mails[0].Text, "  Discount  LAUNCH20\n  Amount    39.92 EUR\n") {
		t.Errorf("mails = %+v", mails)
	}
}

func TestCodesAreRefused(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	c := newCoupons(t, a)
	now := a.Clock.Now()
	at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339) }
	off := c.make(t, `{"code":"SWITCHED","percentOff":20}`)
	a.Do(t, testkit.Patch(c.root, off, `{"active":false}`))
	c.make(t, `{"code":"BARE","percentOff":20,"products":["bare"]}`)
	c.make(t, `{"code":"YEARS","percentOff":20,"tiers":["yearly"]}`)
	c.make(t, `{"code":"LATER","percentOff":20,"startsAt":"`+at(time.Hour)+`"}`)
	c.make(t, `{"code":"OVER","percentOff":20,"startsAt":"`+at(-2*time.Hour)+`","endsAt":"`+at(0)+`"}`)
	last := c.make(t, `{"code":"LAST","percentOff":20,"maxUses":1}`)
	c.buy(t, "", "once", "LAST", "")
	for code, reason := range map[string]string{
		"UNKNOWN": "not_found", "a b": "not_found", "SWITCHED": "not_found", "BARE": "not_applicable", "YEARS": "not_applicable",
		"LATER": "not_started", "OVER": "expired", "LAST": "used_up",
	} {
		wantReason(t, a.Do(t, purchase("", "once", code, "")), reason)
		wantReason(t, a.Fetch(t, priceOf("mail-pack", "once", code)), reason)
	}
	wantReason(t, a.Do(t, purchase("", "free", "LAST", "")), "not_applicable")
	a.Clock.Advance(time.Hour)
	c.buy(t, "", "once", "LATER", "")
	if n := a.Do(t, testkit.Get(c.root, testkit.AdminOrders)).Get(t, "data.pagination.total"); n != 2.0 || c.uses(t, last) != 1 {
		t.Errorf("%v orders, want the two that were answered", n)
	}
}

func TestOncePerCustomer(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		c := newCoupons(t, a)
		path := c.make(t, `{"code":"WELCOME","percentOff":20,"oncePerCustomer":true}`)
		ada := a.Register(t, "ada").Access // ada@example.com
		wantReason(t, a.Do(t, purchase("", "once", "WELCOME", "")), "email_required")
		wantReason(t, a.Do(t, purchase("", "once", "WELCOME", "a@example.com, b@example.com")), "email_required")

		c.buy(t, "", "once", "WELCOME", "ADA@Example.com")
		wantReason(t, a.Do(t, purchase(ada, "once", "WELCOME", "")), "already_used") // her account's address
		wantReason(t, a.Do(t, purchase(ada, "once", "WELCOME", "other@example.com")), "already_used")
		wantReason(t, a.Do(t, purchase("", "once", "WELCOME", " ada@example.com ")), "already_used") // a guest again
		c.buy(t, "", "once", "WELCOME", "ada+1@example.com")                                         // another mailbox

		bob := a.Register(t, "bob").Access
		c.buy(t, bob, "once", "WELCOME", "billing@example.com")
		wantReason(t, a.Do(t, purchase("", "once", "WELCOME", "billing@example.com")), "already_used")
		wantReason(t, a.Do(t, purchase("", "once", "WELCOME", "bob@example.com")), "already_used")
		if got := c.uses(t, path); got != 3 {
			t.Errorf("%d uses, want 3", got)
		}
	})
}

// However many buy at once, as many get the code as may.
func TestACodeIsNotUsedTooOften(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		c := newCoupons(t, a)
		path := c.make(t, `{"code":"FIRST10","percentOff":20,"maxUses":10}`)
		var wg sync.WaitGroup
		var bought atomic.Int32
		for range 40 {
			wg.Go(func() {
				res := a.Do(t, purchase("", "once", "FIRST10", ""))
				if res.Status == http.StatusOK {
					bought.Add(1)
					return
				}
				wantReason(t, res, "used_up")
			})
		}
		wg.Wait()
		if got := c.uses(t, path); bought.Load() != 10 || got != 10 {
			t.Errorf("%d bought and %d uses, want 10", bought.Load(), got)
		}
		total := a.Do(t, testkit.Get(c.root, testkit.AdminOrders)).Get(t, "data.pagination.total")
		if total != 10.0 {
			t.Errorf("%v orders, want 10", total)
		}
	})
}

// What is cancelled gives its use back, once.
func TestACancelledOrderGivesItsUseBack(t *testing.T) {
	t.Parallel()

	a, bank := testkit.NewBankShop(t)
	c := newCoupons(t, a)
	path := c.make(t, `{"code":"LAST","percentOff":20,"maxUses":1,"oncePerCustomer":true}`)
	first := c.buy(t, "", "once", "LAST", "ada@example.com").Text(t, "orderId")
	if got := bank.Charges(); len(got) != 1 || got[0].Minor != 3992 || got[0].Off != 0 {
		t.Errorf("the bank was asked for %+v", got)
	}
	wantReason(t, a.Do(t, purchase("", "once", "LAST", "bob@example.com")), "used_up")
	for range 2 {
		a.Cancel(t, c.root, first)
	}
	if got := c.uses(t, path); got != 0 {
		t.Fatalf("%d uses after the cancellation", got)
	}
	bank.Fail(payment.ErrRefused)
	testkit.WantFlatError(t, a.Do(t, purchase("", "once", "LAST", "ada@example.com")), 400, "PURCHASE_FAILED")
	if got := c.uses(t, path); got != 0 {
		t.Fatalf("%d uses after a refused payment", got)
	}
	bank.Fail(errors.New("away"))
	testkit.WantFlatError(t, a.Do(t, purchase("", "once", "LAST", "ada@example.com")), 502, "PURCHASE_FAILED")
	if got := c.uses(t, path); got != 0 {
		t.Fatalf("%d uses after an outage", got)
	}
	bank.Fail(nil)
	req := purchase("", "once", "LAST", "ada@example.com")
	req.Header = http.Header{"Idempotency-Key": {"k1"}}
	for range 3 {
		if res := a.Do(t, req); res.Status != http.StatusOK {
			t.Fatalf("purchase = %d %s", res.Status, res.Body)
		}
	}
	if got := c.uses(t, path); got != 1 {
		t.Errorf("%d uses after a purchase and its replays, want 1", got)
	}
}

// A total of 0 settles like a free tier, also where no payment is taken.
func TestATotalOfNothingIsPaid(t *testing.T) {
	t.Parallel()

	a, srv := testkit.NewStripeShop(t)
	c := newCoupons(t, a)
	c.make(t, `{"code":"GIFT","percentOff":100}`)
	res := c.buy(t, "", "monthly", "GIFT", "")
	if res.Get(t, "paymentUrl") != nil || len(srv.Requests("/v1/checkout/sessions")) != 0 || len(srv.Requests("/v1/coupons")) != 0 {
		t.Errorf("purchase = %s; %d pages", res.Body, len(srv.Requests("/v1/checkout/sessions")))
	}
	id := res.Text(t, "orderId")
	o := a.Do(t, testkit.Get(c.root, testkit.AdminOrders+"/"+id))
	if o.Text(t, "data.status") != "paid" || o.Get(t, "data.amount") != 0.0 || o.Get(t, "data.discount.amount") != 5.0 {
		t.Errorf("the order is %s", o.Body)
	}
	a.UseLicense(t, res.Text(t, "licenseKey")) // it works
	res = a.Refund(t, c.root, id)
	if res.Text(t, "data.status") != "refunded" {
		t.Errorf("refund = %s", res.Body)
	}
}

// At Stripe: a lower price, or a coupon for the first payment of a subscription.
func TestWhatStripeIsAskedWithACode(t *testing.T) {
	t.Parallel()

	a, srv := testkit.NewStripeShop(t)
	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		if r.Path == "/v1/coupons" {
			return &stripetest.Answer{Body: map[string]any{"id": "co_1", "object": "coupon"}}
		}
		return testkit.StripePages(r)
	})
	c := newCoupons(t, a)
	path := c.make(t, `{"code":"ONCE","percentOff":20}`)
	c.make(t, `{"code":"ALWAYS","percentOff":20,"duration":"forever"}`)
	for i, tt := range []struct{ tier, code, unit, coupon, off string }{
		{"once", "ONCE", "3992", "", ""},
		{"monthly", "ALWAYS", "400", "", ""},
		{"monthly", "ONCE", "500", "co_1", "100"},
	} {
		c.buy(t, "", tt.tier, tt.code, "")
		page := srv.Requests("/v1/checkout/sessions")[i]
		if page.Form.Get("line_items[0][price_data][unit_amount]") != tt.unit || page.Form.Get("discounts[0][coupon]") != tt.coupon {
			t.Errorf("%s with %s: %v", tt.tier, tt.code, page.Form)
		}
		if made := srv.Requests("/v1/coupons"); tt.off != "" && (len(made) != 1 || made[0].Form.Get("amount_off") != tt.off ||
			made[0].Form.Get("duration") != "once" || made[0].Form.Get("currency") != "eur") {
			t.Errorf("the coupons are %v", made)
		} else if tt.off == "" && len(made) != 0 {
			t.Errorf("a coupon for %s with %s: %v", tt.tier, tt.code, made)
		}
	}

	// The discounted amount settles an order, and less does not. An expired page gives the use back.
	res := c.buy(t, "", "once", "ONCE", "")
	s := testkit.Sale{OrderID: res.Text(t, "orderId"), Key: res.Text(t, "licenseKey")}
	status := func() string {
		return a.Do(t, testkit.Get(c.root, testkit.AdminOrders+"/"+s.OrderID)).Text(t, "data.status")
	}
	cents := func(id string, n int) []byte {
		return []byte(strings.Replace(string(s.Session(id, "checkout.session.completed", "paid")), "4990", fmt.Sprint(n), 1))
	}
	a.MustDeliver(t, cents("evt_less_", 3991))
	if got := status(); got != "pending" {
		t.Errorf("with a cent less the order is %s", got)
	}
	a.MustDeliver(t, cents("evt_paid_", 3992))
	if got := status(); got != "paid" {
		t.Errorf("with the total the order is %s", got)
	}
	before := c.uses(t, path)
	res = c.buy(t, "", "once", "ONCE", "")
	s = testkit.Sale{OrderID: res.Text(t, "orderId")}
	a.MustDeliver(t, s.Expired())
	a.MustDeliver(t, cents("evt_late_", 3992)) // a payment after the cancellation takes none
	if got := c.uses(t, path); got != before || status() != "cancelled" {
		t.Errorf("%d uses after the page expired, want %d; the order is %s", got, before, status())
	}
}

// Requests with a code share one limit; others do not count.
func TestCodesCannotBeGuessedQuickly(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, testkit.Limited)
	from := func(req testkit.Request, address string) testkit.Request {
		req.Header = testkit.From(address)
		return req
	}
	for i := range 20 {
		req := from(testkit.Get("", priceOf("mail-pack", "once", fmt.Sprint("CODE", i))), "203.0.113.9")
		if i%2 == 1 {
			req = from(purchase("", "once", fmt.Sprint("CODE", i), ""), "203.0.113.9")
		}
		wantReason(t, a.Do(t, req), "not_found")
	}
	testkit.WantFlatError(t, a.Do(t, from(purchase("", "once", "CODE", ""), "203.0.113.9")), 429, "RATE_LIMIT_EXCEEDED")
	testkit.WantFlatError(t, a.Do(t, from(testkit.Get("", priceOf("mail-pack", "once", "CODE")), "203.0.113.9")), 429, "RATE_LIMIT_EXCEEDED")
	if res := a.Do(t, from(testkit.Get("", priceOf("mail-pack", "once", "")), "203.0.113.9")); res.Status != 200 {
		t.Errorf("without a code: %d", res.Status)
	}
	if res := a.Do(t, from(testkit.Purchase("", "once"), "203.0.113.9")); res.Status != 200 {
		t.Errorf("a purchase without a code: %d", res.Status)
	}
	wantReason(t, a.Do(t, from(testkit.Get("", priceOf("mail-pack", "once", "CODE")), "203.0.113.10")), "not_found")
}
