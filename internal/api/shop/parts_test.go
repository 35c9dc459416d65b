package shop_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/stripetest"
)

// till is what Stripe gives back of one payment of 49.90: once for each idempotency key, and never more than is left.
type till struct {
	mu      sync.Mutex
	back    int
	known   map[string]int
	refused int
	lost    int // so many answers are lost, after the money went back
}

func (c *till) answer(r stripetest.Request) *stripetest.Answer {
	if r.Path != "/v1/refunds" {
		return testkit.StripePages(r)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == http.MethodGet {
		return nil
	}
	if _, ok := c.known[r.IdempotencyKey]; !ok {
		amount, err := strconv.Atoi(cmp.Or(r.Form.Get("amount"), strconv.Itoa(4990-c.back)))
		if err != nil || amount <= 0 || c.back+amount > 4990 {
			c.refused++
			code := "amount_too_large"
			if c.back == 4990 {
				code = "charge_already_refunded"
			}
			return &stripetest.Answer{Status: http.StatusBadRequest, Body: map[string]any{
				"error": map[string]any{"type": "invalid_request_error", "code": code, "message": "No."},
			}}
		}
		c.known[r.IdempotencyKey] = amount
		c.back += amount
	}
	if c.lost > 0 {
		c.lost--
		return &stripetest.Answer{Status: http.StatusInternalServerError, Body: map[string]any{"error": map[string]any{"type": "api_error"}}}
	}
	return nil
}

// stripeReplicas runs test on each engine, with two apps on one database and one account at Stripe.
func stripeReplicas(t *testing.T, test func(t *testing.T, a, b *testkit.App, c *till)) {
	t.Helper()
	for name, url := range map[string]func(testing.TB) string{"SQLite": dbtest.SQLite, "PostgreSQL": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			at, srv, c := url(t), stripetest.New(t), &till{known: make(map[string]int)}
			srv.Answer(c.answer)
			replica := func(_ testing.TB, cfg *app.Config) {
				cfg.DatabaseURL, cfg.Payments = at, "live"
				cfg.Stripe = app.StripeConfig{
					SecretKey: stripetest.SecretKey, WebhookSecret: stripetest.WebhookSecret, APIBase: srv.URL,
				}
			}
			a := testkit.NewShop(t, replica)
			test(t, a, testkit.New(t, replica), c)
		})
	}
}

// refundOf is a request of an administrator to refund an order; amount 0 is all.
func refundOf(token, id string, amount float64) testkit.Request {
	var body any
	if amount > 0 {
		body = map[string]any{"amount": amount}
	}
	return testkit.Post(token, testkit.AdminOrders+"/"+id+"/refund", body)
}

// Parts on two replicas, the buyer, and an administrator who refunds all: Stripe is never asked for more than was paid,
// and what stoa says was given back is what Stripe gave.
func TestReplicasGiveBackWhatWasPaidAndNoMore(t *testing.T) {
	t.Parallel()

	stripeReplicas(t, func(t *testing.T, a, b *testkit.App, c *till) {
		root, ada := a.Admin(t, "root").Access, a.Register(t, "ada").Access
		offer(t, a, root, 14)
		sale := testkit.Sale{OrderID: a.Buy(t, ada, "once").Text(t, "orderId")}
		a.MustDeliver(t, sale.Paid())
		requests := []testkit.Request{
			testkit.Post(ada, orders+"/"+sale.OrderID+"/refund", nil), refundOf(root, sale.OrderID, 0),
		}
		for range 4 {
			requests = append(requests, refundOf(root, sale.OrderID, 20))
		}
		c.lost = 2
		var all sync.WaitGroup
		for i, r := range requests {
			all.Go(func() {
				replica := a
				if i%2 == 0 {
					replica = b
				}
				switch res := replica.Do(t, r); res.Status {
				case http.StatusOK, http.StatusBadRequest, http.StatusBadGateway:
				default:
					t.Errorf("refund %d = %d %s", i, res.Status, res.Body)
				}
			})
		}
		all.Wait()
		a.SweepOrders(t)
		// Both who wanted all may have met a part whose answer was lost: "Nothing was changed; try again."
		if res := a.Do(t, refundOf(root, sale.OrderID, 0)); res.Status != http.StatusOK {
			t.Errorf("all, again: %d %s", res.Status, res.Body)
		}
		b.MustDeliver(t, sale.Charge("evt_sum_", c.back))
		if c.back != 4990 || c.refused != 0 {
			t.Errorf("Stripe gave back %d, and refused %d requests", c.back, c.refused)
		}
		o := a.Do(t, testkit.Get(root, testkit.AdminOrders+"/"+sale.OrderID))
		sum := 0.0
		for _, r := range o.Get(t, "data.refunds").([]any) {
			sum += r.(map[string]any)["amount"].(float64)
		}
		if got := fmt.Sprintf("%s %.2f", o.Text(t, "data.status"), sum); got != "refunded 49.90" {
			t.Errorf("the order is %s: %s", got, o.Body)
		}
	})
}

// Stripe reports the sum of our parts and of those in its dashboard, twice, late and in any order, and also while the
// answer about a part is lost: it is counted once.
func TestStripesSumsAndOurPartsAreCountedOnce(t *testing.T) {
	t.Parallel()

	stripeReplicas(t, func(t *testing.T, a, b *testkit.App, c *till) {
		root := a.Admin(t, "root").Access
		sale := a.Sell(t, "once")
		a.MustDeliver(t, sale.Paid())
		part := func(amount float64, want int) {
			t.Helper()
			if res := a.Do(t, refundOf(root, sale.OrderID, amount)); res.Status != want {
				t.Fatalf("a part = %d %s", res.Status, res.Body)
			}
		}
		is := func(want string) {
			t.Helper()
			o := a.Do(t, testkit.Get(root, testkit.AdminOrders+"/"+sale.OrderID))
			var got []string
			for _, r := range o.Get(t, "data.refunds").([]any) {
				by := "provider"
				if r.(map[string]any)["by"] != by {
					by = "us"
				}
				got = append(got, fmt.Sprint(r.(map[string]any)["amount"], " ", by))
			}
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("refunds %s, want %s", text, want)
			}
		}
		told := func(ids ...string) {
			t.Helper()
			sums := map[string]int{"evt_1_": 1000, "evt_2_": 1500, "evt_3_": 3500, "evt_4_": 4990}
			for _, id := range append(ids, ids...) {
				b.MustDeliver(t, sale.Charge(id, sums[id]))
			}
		}
		part(10, 200)
		a.Clock.Advance(time.Minute)
		b.Clock.Advance(time.Minute)
		told("evt_1_")
		is("10 us")
		c.mu.Lock()
		c.back += 500 // in the dashboard
		c.lost = 10
		c.mu.Unlock()
		part(20, 502) // the money went back, the answer was lost
		c.mu.Lock()
		c.lost = 0
		c.mu.Unlock()
		root = a.Login(t, "root").Access
		told("evt_3_", "evt_2_", "evt_1_")
		if c.back != 3500 || len(c.known) != 2 {
			t.Errorf("Stripe gave back %d in %v", c.back, c.known)
		}
		res := a.Do(t, testkit.Get(root, testkit.AdminOrders+"/"+sale.OrderID))
		if res.Get(t, "data.partlyRefunded") != 35.0 || res.Text(t, "data.status") != "paid" {
			t.Errorf("order = %s", res.Body)
		}
		is("10 us, 20 us, 5 provider") // the oldest first
		told("evt_4_", "evt_2_")
		res = a.Do(t, testkit.Get(root, testkit.AdminOrders+"/"+sale.OrderID))
		if res.Text(t, "data.status") != "refunded" {
			t.Errorf("order = %s", res.Body)
		}
	})
}

// One purchase of a trial is open at a time, on every replica.
func TestOnePurchaseOfATrialIsOpenOnAllReplicas(t *testing.T) {
	t.Parallel()

	stripeReplicas(t, func(t *testing.T, a, b *testkit.App, _ *till) {
		offerTrials(t, a, 14)
		root := a.Admin(t, "root").Access
		key := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
		var mu sync.Mutex
		opened, named := make(map[string]bool), make(map[string]bool)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				replica := a
				if i%2 == 0 {
					replica = b
				}
				res := replica.Do(t, buyTrial("", "once", key))
				mu.Lock()
				defer mu.Unlock()
				switch res.Status {
				case http.StatusOK:
					opened[res.Text(t, "orderId")] = true
				case http.StatusConflict:
					named[res.Text(t, "details.orderId")] = true
				default:
					t.Errorf("purchase = %d %s", res.Status, res.Body)
				}
			})
		}
		all.Wait()
		if fmt.Sprint(opened) != fmt.Sprint(named) || len(opened) != 1 {
			t.Errorf("opened %v, the others were told of %v", opened, named)
		}
		if list := a.Do(t, testkit.Get(root, testkit.AdminOrders)).Get(t, "data.items").([]any); len(list) != 2 {
			t.Errorf("%d orders, want that of the trial and one purchase", len(list))
		}
	})
}

// A refund that waits for that of another request is not recorded, and says so when the provider is away.
func TestARefundBehindAnotherOneIsNotKept(t *testing.T) {
	t.Parallel()

	stripeReplicas(t, func(t *testing.T, a, b *testkit.App, c *till) {
		root, ada := a.Admin(t, "root").Access, a.Register(t, "ada").Access
		offer(t, a, root, 14)
		sale := testkit.Sale{OrderID: a.Buy(t, ada, "once").Text(t, "orderId")}
		a.MustDeliver(t, sale.Paid())
		c.lost = 2
		part := a.Do(t, refundOf(root, sale.OrderID, 20))
		if part.Status != http.StatusBadGateway || !strings.Contains(part.Text(t, "error.message"), "The refund is kept") {
			t.Errorf("a part: %d %s", part.Status, part.Body)
		}
		all := b.Do(t, refundOf(root, sale.OrderID, 0))
		if all.Status != http.StatusBadGateway || !strings.Contains(all.Text(t, "error.message"), "Nothing was changed") {
			t.Errorf("all: %d %s", all.Status, all.Body)
		}
		if res := b.Do(t, refundOf(root, sale.OrderID, 0)); res.Status != http.StatusOK || c.back != 4990 {
			t.Errorf("all, again: %d %s, %d given back", res.Status, res.Body, c.back)
		}
	})
}
