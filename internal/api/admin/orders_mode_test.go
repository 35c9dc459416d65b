package admin_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// An order that was settled without money must not look like a sale.
func TestAnswersWithOrdersTellTestPayments(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin := a.Admin(t, "root").Access
	buy := testkit.Purchase(admin, "once")
	buy.Header = http.Header{"Idempotency-Key": {`"one"`}}
	bought := a.Do(t, buy)
	order := testkit.AdminOrders + "/" + bought.Text(t, "orderId")
	for name, res := range map[string]testkit.Response{
		"purchase":    bought,
		"a retry":     a.Do(t, buy),
		"own orders":  a.Do(t, testkit.Get(admin, "/api/marketplace/orders")),
		"all orders":  a.Do(t, testkit.Get(admin, testkit.AdminOrders)),
		"one order":   a.Do(t, testkit.Get(admin, order)),
		"a refund":    a.Do(t, testkit.Post(admin, order+"/refund", nil)),
		"a refund 2x": a.Do(t, testkit.Post(admin, order+"/refund", nil)),
	} {
		if got := res.Header.Get("X-Stoa-Payments"); res.Status != http.StatusOK || got != "test" {
			t.Errorf("%s = %d, X-Stoa-Payments %q; want 200, test", name, res.Status, got)
		}
	}

	live, _ := testkit.NewStripeShop(t)
	if res := live.Buy(t, "", "once"); res.Header.Get("X-Stoa-Payments") != "" {
		t.Errorf("a live purchase has X-Stoa-Payments %q", res.Header.Get("X-Stoa-Payments"))
	}
}
