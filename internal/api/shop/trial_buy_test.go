package shop_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

func TestATrialIsBoughtInPlace(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		offerTrials(t, a, 14)
		a.Admin(t, "root")
		ada := a.Register(t, "ada").Access
		trial := tried(t, a, ada, "")
		key := trial.Text(t, "licenseKey")
		id := a.UseLicense(t, key)
		a.Clock.Advance(20 * 24 * time.Hour) // it is over
		root, ada := a.Login(t, "root").Access, a.Login(t, "ada").Access
		res := a.Do(t, buyTrial(ada, "monthly", key))
		if res.Status != 200 || res.Text(t, "licenseKey") != key {
			t.Fatalf("purchase = %d %s", res.Status, res.Body)
		}
		if res := a.Verify(t, "mail-pack", key, "first.example"); res.Get(t, "valid") != true || res.Get(t, "trial") != nil ||
			res.Text(t, "license.id") != id || res.Get(t, "license.maxInstances") != 1.0 ||
			res.Text(t, "license.expiresAt") != a.Clock.Now().AddDate(0, 1, 0).UTC().Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("verify = %s", res.Body)
		}
		list := a.Do(t, testkit.Get(ada, "/api/marketplace/licenses")).Get(t, "licenses").([]any)
		if l := list[0].(map[string]any); len(list) != 1 || l["tierId"] != "monthly" || l["trial"] != nil || l["orderId"] != res.Text(t, "orderId") {
			t.Errorf("my licenses: %v", list)
		}
		testkit.WantFlatError(t, a.Do(t, buyTrial(ada, "once", key)), 400, "PURCHASE_FAILED") // it is no trial any more
		bought := res.Text(t, "orderId")
		if res := a.Refund(t, root, bought); res.Status != 200 {
			t.Fatalf("refund = %s", res.Body)
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "revoked")
		for _, o := range a.Do(t, testkit.Get(ada, orders)).Get(t, "orders").([]any) {
			if got := o.(map[string]any)["status"]; got != "refunded" {
				t.Errorf("an order of the revoked license is %v", got)
			}
		}
	})
}

// The order of a license is the one of which its owner manages the payment: of a trial that was bought, the purchase.
func TestALicenseNamesTheOrderThatBoughtIt(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		offerTrials(t, a, 14)
		ada := a.Register(t, "ada").Access
		orderOf := func() string {
			t.Helper()
			list, _ := a.Do(t, testkit.Get(ada, "/api/marketplace/licenses")).Get(t, "licenses").([]any)
			if len(list) != 1 {
				t.Fatalf("my licenses: %v", list)
			}
			id, _ := list[0].(map[string]any)["orderId"].(string)
			return id
		}
		trial := tried(t, a, "", "eve@example.com") // a guest's trial, which ada buys
		bought := a.Do(t, buyTrial(ada, "monthly", trial.Text(t, "licenseKey"))).Text(t, "orderId")
		if got := orderOf(); got != bought {
			t.Fatalf("a trial that was bought is of the order %s, want %s", got, bought)
		}
		order := a.Do(t, testkit.Get(ada, orders+"/"+bought))
		if order.Status != 200 || order.Text(t, "billingPeriod") != "monthly" {
			t.Errorf("its order = %d %s", order.Status, order.Body)
		}
		if res := a.Do(t, testkit.Post(ada, orders+"/"+bought+"/portal", nil)); res.Status != 200 {
			t.Errorf("the portal of its order = %d %s", res.Status, res.Body)
		}
		if res := a.Do(t, testkit.Post(ada, orders+"/"+bought+"/end-subscription", nil)); res.Status != 200 {
			t.Errorf("the end of its order = %d %s", res.Status, res.Body)
		}
	})
}

func TestRefundingATrialRefundsWhatBoughtItFirst(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	offerTrials(t, a, 14)
	root := a.Admin(t, "root").Access
	trial := tried(t, a, "", "ada@example.com")
	bought := a.Do(t, buyTrial("", "once", trial.Text(t, "licenseKey"))).Text(t, "orderId")
	if res := a.Refund(t, root, trial.Text(t, "orderId")); res.Status != 200 || res.Text(t, "data.status") != "refunded" {
		t.Fatalf("refund = %s", res.Body)
	}
	if o := a.StoredOrder(t, bought); o.Status() != "refunded" {
		t.Errorf("the purchase is %s", o.Status())
	}
}

func TestWhoseTrialsAreBought(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	offerTrials(t, a, 14)
	root, ada, bob := a.Admin(t, "root").Access, a.Register(t, "ada").Access, a.Register(t, "bob").Access
	adas := tried(t, a, ada, "").Text(t, "licenseKey")
	nobodys := tried(t, a, "", "eve@example.com").Text(t, "licenseKey")
	revoked := tried(t, a, "", "joe@example.com")
	a.Do(t, testkit.Post(root, "/api/v1/admin/licenses/"+a.StoredOrder(t, revoked.Text(t, "orderId")).LicenseID+"/revoke", nil))
	before := len(a.Do(t, testkit.Get(root, testkit.AdminOrders)).Get(t, "data.items").([]any))
	for what, request := range map[string]testkit.Request{
		"of somebody else":       buyTrial(bob, "once", adas),
		"of an account, a guest": buyTrial("", "once", adas),
		"of another product": testkit.Post(ada, testkit.Products+"/bare/purchase",
			map[string]any{"tierId": "only", "paymentMethod": "card", "licenseKey": adas}),
		"a revoked one":     buyTrial(ada, "once", revoked.Text(t, "licenseKey")),
		"a paid license":    buyTrial(ada, "once", a.BuyKey(t, ada, "free")),
		"an unknown key":    buyTrial(ada, "once", testkit.UnknownKey()),
		"what is not a key": buyTrial(ada, "once", "x"),
	} {
		if res := a.Do(t, request); res.Status != 400 || res.Text(t, "error") != "PURCHASE_FAILED" {
			t.Errorf("%s: %d %s", what, res.Status, res.Body)
		}
	}
	if after := len(a.Do(t, testkit.Get(root, testkit.AdminOrders)).Get(t, "data.items").([]any)); after != before+1 {
		t.Errorf("%d orders, want %d", after, before+1)
	}
	if res := a.Do(t, buyTrial(bob, "once", nobodys)); res.Status != 200 {
		t.Fatalf("nobody's = %s", res.Body)
	}
	list := a.Do(t, testkit.Get(bob, "/api/marketplace/licenses")).Get(t, "licenses").([]any)
	if len(list) != 1 || list[0].(map[string]any)["licenseKey"] != nobodys {
		t.Errorf("the buyer of nobody's trial has %v", list)
	}
}

func TestATrialWithMoreInstancesThanThePlan(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	offerTrials(t, a, 14)
	key := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
	for _, instance := range []string{"a.example", "b.example", "localhost"} {
		a.Activate(t, key, instance)
	}
	res := a.Do(t, buyTrial("", "monthly", key))
	want := map[string]any{"maxInstances": 1.0, "instances": []any{"a.example", "b.example"}}
	if res.Status != 409 || res.Text(t, "error") != "SEATS_IN_USE" || !cmp.Equal(res.Get(t, "details"), any(want)) {
		t.Errorf("purchase = %d %s", res.Status, res.Body)
	}
	a.Deactivate(t, key, "a.example")
	if res := a.Do(t, buyTrial("", "monthly", key)); res.Status != 200 {
		t.Errorf("purchase = %d %s", res.Status, res.Body)
	}
}

// With live payments a trial goes on until it is paid, also if the page expires, and one purchase is open at a time.
func TestATrialGoesOnUntilItIsPaid(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	offerTrials(t, a, 14)
	root := a.Admin(t, "root").Access
	key := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
	a.UseLicense(t, key)
	buy := func() testkit.Sale {
		t.Helper()
		res := a.Do(t, buyTrial("", "once", key))
		if res.Status != http.StatusOK || res.Text(t, "paymentUrl") == "" {
			t.Fatalf("purchase = %d %s", res.Status, res.Body)
		}
		return testkit.Sale{OrderID: res.Text(t, "orderId"), Key: key}
	}
	first := buy()
	second := a.Do(t, buyTrial("", "once", key))
	if second.Status != 409 || second.Text(t, "error") != "CONFLICT" || second.Text(t, "details.orderId") != first.OrderID {
		t.Errorf("a second purchase = %d %s", second.Status, second.Body)
	}
	goesOn := func(when string, trial any) {
		t.Helper()
		if res := a.Verify(t, "mail-pack", key, "first.example"); res.Get(t, "valid") != true || res.Get(t, "trial") != trial {
			t.Errorf("%s: %s", when, res.Body)
		}
	}
	goesOn("while it waits", true)
	a.MustDeliver(t, first.Expired())
	goesOn("once the page has expired", true)
	third := buy()
	a.MustDeliver(t, third.Paid())
	goesOn("once it is paid", nil)
	a.MustDeliver(t, first.Paid()) // too late: it is refunded
	goesOn("after a late payment", nil)
	if o := a.StoredOrder(t, first.OrderID); o.Status() != "cancelled" || o.RefundedAt.IsZero() {
		t.Errorf("the late payment: %+v", o)
	}
	a.MustDeliver(t, third.Refunded())
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "revoked")

	// A trial that is revoked while its purchase waits is not bought.
	key = tried(t, a, "", "eve@example.com").Text(t, "licenseKey")
	fourth := buy()
	a.Do(t, testkit.Post(root, "/api/v1/admin/licenses/"+a.StoredOrder(t, fourth.OrderID).LicenseID+"/revoke", nil))
	a.MustDeliver(t, fourth.Paid())
	if o := a.StoredOrder(t, fourth.OrderID); o.Status() != "cancelled" || o.RefundedAt.IsZero() {
		t.Errorf("the payment of a revoked trial: %+v", o)
	}
}

func TestOneOfManyPurchasesOfATrialIsOpen(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		offerTrials(t, a, 14)
		key := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
		var bought atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if res := a.Do(t, buyTrial("", "once", key)); res.Status == 200 {
					bought.Add(1)
				} else if res.Status != 400 {
					t.Errorf("purchase = %d %s", res.Status, res.Body)
				}
			})
		}
		all.Wait()
		if bought.Load() != 1 {
			t.Errorf("it was bought %d times", bought.Load())
		}
	})
}

// The purchase of a trial that is paid too late goes back, and its mail does not say that the license is over.
func TestTheMailAboutALatePurchaseOfATrial(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	offerTrials(t, a, 14)
	a.Admin(t, "root")
	key := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
	a.UseLicense(t, key)
	request := buyTrial("", "once", key)
	request.Body.(map[string]any)["billingInfo"] = map[string]any{"email": "ada@example.com"}
	late := testkit.Sale{OrderID: a.Do(t, request).Text(t, "orderId"), Key: key}
	a.MustDeliver(t, late.Expired())
	a.Mails(t)
	a.MustDeliver(t, late.Paid())
	if res := a.Verify(t, "mail-pack", key, "first.example"); res.Get(t, "valid") != true || res.Get(t, "trial") != true {
		t.Errorf("verify = %s", res.Body)
	}
	mails := a.Mails(t)
	if len(mails) != 1 || !strings.Contains(mails[0].Text, "49.90 EUR") || !strings.Contains(mails[0].Text, "license of the order goes on") {
		t.Errorf("mails: %+v", mails)
	}
}
