package shop_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// plans are the tiers of mail-pack between which licenses change.
const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s, description: d,
	icon: /i.svg, pricingTiers: [
	{id: free, name: Free, price: 0},
	{id: once, name: Once, price: 49.90, features: [Mails], maxInstances: 1, trialDays: 14},
	{id: twice, name: Twice, price: 80, features: [Mails, Support], maxInstances: 3},
	{id: same, name: Same, price: 80, maxInstances: 3},
	{id: small, name: Small, price: 10, billingPeriod: monthly, features: [Mails], maxInstances: 1},
	{id: large, name: Large, price: 30, billingPeriod: monthly, features: [Mails, Support], maxInstances: 2},
	{id: year, name: Year, price: 100, billingPeriod: yearly, features: [Mails], maxInstances: 1},
	{id: gratis, name: Gratis, price: 0, billingPeriod: monthly},
	{id: yen, name: Yen, price: 9000, currency: JPY, maxInstances: 1}]}]}`

func sellPlans(tb testing.TB, a *testkit.App) {
	tb.Helper()
	if _, err := a.Catalog.ImportBytes(tb.Context(), []byte(plans)); err != nil {
		tb.Fatal(err)
	}
}

// owner is a user who bought a tier of mail-pack.
type owner struct {
	*testkit.App

	root, token, id, order, key string
}

// owns lets a user buy a tier, on the first of March 2030.
func owns(tb testing.TB, a *testkit.App, tier string) owner {
	tb.Helper()
	sellPlans(tb, a)
	o := owner{App: a, root: a.Admin(tb, "root").Access, token: a.Register(tb, "ada").Access}
	res := a.Buy(tb, o.token, tier)
	o.order, o.key = res.Text(tb, "orderId"), res.Text(tb, "licenseKey")
	o.id = a.StoredOrder(tb, o.order).LicenseID
	return o
}

// ask sends a request about the owner's license.
func (o owner) ask(tb testing.TB, what string, body map[string]any) testkit.Response {
	tb.Helper()
	r := testkit.Post(o.token, ownLicenses+"/"+o.id+"/"+what, nil)
	if body != nil {
		r.Body = body
	}
	return o.Do(tb, r)
}

// must is ask for a request that is done.
func (o owner) must(tb testing.TB, what string, body map[string]any) testkit.Response {
	tb.Helper()
	res := o.ask(tb, what, body)
	if res.Status != http.StatusOK {
		tb.Fatalf("%s = %d %s", what, res.Status, res.Body)
	}
	return res
}

// is fails unless the license has a tier and that many seats, and ends as it says.
func (o owner) is(tb testing.TB, tier string, seats float64, end time.Time) {
	tb.Helper()
	res := o.Do(tb, testkit.Get(o.token, ownLicenses+"/"+o.id))
	ends := any(nil)
	if !end.IsZero() {
		ends = stamp(end)
	}
	got := []any{res.Get(tb, "tierId"), res.Get(tb, "maxInstances"), res.Get(tb, "expiresAt")}
	if diff := cmp.Diff([]any{tier, seats, ends}, got); diff != "" {
		tb.Errorf("license (-want +got):\n%s", diff)
	}
}

func (o owner) refund(tb testing.TB, id string) {
	tb.Helper()
	if res := o.Refund(tb, o.root, id); res.Status != 200 || res.Text(tb, "data.status") != "refunded" {
		tb.Fatalf("refund = %d %s", res.Status, res.Body)
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func tierOf(id string) map[string]any { return map[string]any{"tierId": id} }

func preview(id string) map[string]any { return map[string]any{"tierId": id, "preview": true} }

func TestALicensePaidOnceBecomesDearer(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		o := owns(t, a, "once")
		want := map[string]any{"amountDue": 30.1, "credit": 49.9, "currency": "EUR", "effectiveAt": stamp(a.Clock.Now())}
		if got := o.must(t, "change", preview("twice")).JSON(t); !cmp.Equal(got, want) {
			t.Errorf("preview = %v", got)
		}
		o.is(t, "once", 1, time.Time{})
		res := o.must(t, "change", tierOf("twice"))
		if res.Text(t, "licenseKey") != o.key || res.Get(t, "paymentUrl") != nil {
			t.Errorf("change = %s", res.Body)
		}
		o.is(t, "twice", 3, time.Time{})
		changed := res.Text(t, "orderId")
		shown := a.Do(t, testkit.Get(o.token, orders+"/"+changed))
		if shown.Text(t, "kind") != "change" || shown.Get(t, "amount") != 30.1 || shown.Text(t, "status") != "paid" ||
			shown.Get(t, "billingPeriod") != nil {
			t.Errorf("order = %s", shown.Body)
		}
		// What costs the same is changed without an order to pay.
		if res := o.must(t, "change", tierOf("same")); res.Text(t, "license.tierId") != "same" || res.Get(t, "orderId") != nil {
			t.Errorf("change = %s", res.Body)
		}
		// A refunded change brings the tier before back, also if another one followed.
		o.refund(t, changed)
		o.is(t, "same", 3, time.Time{})
		if got := o.must(t, "change", preview("twice")); got.Get(t, "credit") != 49.9 {
			t.Errorf("preview = %s", got.Body)
		}
		o.refund(t, o.order)
		testkit.WantRefused(t, a.Verify(t, "mail-pack", o.key, "x.example"), "revoked")
		for _, listed := range a.Do(t, testkit.Get(o.token, orders)).Get(t, "orders").([]any) {
			if got := listed.(map[string]any)["status"]; got != "refunded" {
				t.Errorf("an order of the revoked license is %v", got)
			}
		}
	})
}

func TestASubscriptionBecomesDearerAtOnce(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		o := owns(t, a, "small")
		begin := a.Clock.Now()
		end := begin.AddDate(0, 1, 0)
		half := end.Sub(begin) / 2
		a.Clock.Advance(half)
		o.token, o.root = a.Login(t, "ada").Access, a.Login(t, "root").Access
		if got := o.must(t, "change", preview("large")); got.Get(t, "amountDue") != 10.0 || got.Get(t, "credit") != 5.0 {
			t.Errorf("preview = %s", got.Body)
		}
		changed := o.must(t, "change", tierOf("large")).Text(t, "orderId")
		o.is(t, "large", 2, end)
		// By the year: a new term begins, and what is left of the month counts.
		got := o.must(t, "change", preview("year"))
		if got.Get(t, "amountDue") != 85.0 || got.Get(t, "credit") != 15.0 {
			t.Errorf("preview = %s", got.Body)
		}
		yearly := o.must(t, "change", tierOf("year")).Text(t, "orderId")
		o.is(t, "year", 1, a.Clock.Now().AddDate(1, 0, 0))
		o.refund(t, yearly)
		o.is(t, "large", 2, end)
		o.refund(t, changed)
		o.is(t, "small", 1, end)
	})
}

func TestACheaperPlanBeginsWithTheNextPeriod(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		o := owns(t, a, "large")
		end := a.Clock.Now().AddDate(0, 1, 0)
		want := map[string]any{"amountDue": 0.0, "credit": 0.0, "currency": "EUR", "effectiveAt": stamp(end)}
		if got := o.must(t, "change", preview("small")).JSON(t); !cmp.Equal(got, want) {
			t.Errorf("preview = %v", got)
		}
		next := map[string]any{"tierId": "small", "at": stamp(end)}
		if got := o.must(t, "change", tierOf("small")).Get(t, "license.next"); !cmp.Equal(got, any(next)) {
			t.Errorf("next = %v", got)
		}
		o.is(t, "large", 2, end)
		managed := a.Do(t, testkit.Get(o.root, "/api/v1/admin/licenses")).Get(t, "data.items").([]any)
		if got := managed[0].(map[string]any)["next"]; !cmp.Equal(got, any(next)) {
			t.Errorf("administration = %v", got)
		}
		// Another change has to wait; the one to the tier that it has takes it back.
		res := o.ask(t, "change", tierOf("year"))
		if res.Status != 409 || res.Text(t, "details.orderId") == "" {
			t.Errorf("change = %d %s", res.Status, res.Body)
		}
		if got := o.must(t, "change", tierOf("large")); got.Get(t, "license.next") != nil || got.Text(t, "license.tierId") != "large" {
			t.Errorf("change = %s", got.Body)
		}
		o.must(t, "change", tierOf("small"))
		if got := o.must(t, "renew", nil); got.Get(t, "paymentUrl") != nil {
			t.Errorf("renewal = %s", got.Body)
		} else if paid := a.StoredOrder(t, got.Text(t, "orderId")); paid.Amount.Minor != 1000 || paid.Kind != "renewal" {
			t.Errorf("the order of the renewal: %+v", paid)
		}
		o.is(t, "small", 1, end.AddDate(0, 1, 0))
		if got := a.Do(t, testkit.Get(o.token, ownLicenses+"/"+o.id)); got.Get(t, "next") != nil {
			t.Errorf("next = %v", got.Get(t, "next"))
		}
	})
}

func TestARenewalByItsOwner(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		o := owns(t, a, "small")
		end := a.Clock.Now().AddDate(0, 1, 0)
		first := o.must(t, "renew", map[string]any{}).Text(t, "orderId")
		o.is(t, "small", 1, end.AddDate(0, 1, 0))
		o.must(t, "renew", nil)
		o.is(t, "small", 1, end.AddDate(0, 2, 0))
		o.refund(t, first) // it loses its term
		o.is(t, "small", 1, end.AddDate(0, 1, 0))
		a.Clock.Advance(90 * 24 * time.Hour) // it is over
		o.token, o.root = a.Login(t, "ada").Access, a.Login(t, "root").Access
		o.must(t, "renew", nil)
		o.is(t, "small", 1, a.Clock.Now().AddDate(0, 1, 0))
	})
}

func TestWhatCannotBeChanged(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	once := owns(t, a, "once")
	other := func(tier string) owner {
		o := once
		res := a.Buy(t, o.token, tier)
		o.order, o.key = res.Text(t, "orderId"), res.Text(t, "licenseKey")
		o.id = a.StoredOrder(t, o.order).LicenseID
		return o
	}
	revoked, twice, small := other("once"), other("twice"), other("small")
	a.Refund(t, once.root, revoked.order)
	trial := once
	trial.id = a.StoredOrder(t, tried(t, a, once.token, "").Text(t, "orderId")).LicenseID
	strange, guest := once, once
	strange.token, guest.token = a.Register(t, "eve").Access, ""
	for _, tc := range []struct {
		name, what, tier string
		of               owner
		status           int
		code             string
	}{
		{"an unknown tier", "change", "none", once, 400, "PURCHASE_FAILED"},
		{"the same tier", "change", "once", once, 409, "CONFLICT"},
		{"once to a subscription", "change", "small", once, 409, "CONFLICT"},
		{"a subscription to once", "change", "twice", small, 409, "CONFLICT"},
		{"a cheaper one", "change", "once", twice, 409, "CONFLICT"},
		{"another currency", "change", "yen", once, 409, "CONFLICT"},
		{"a revoked license", "change", "twice", revoked, 409, "CONFLICT"},
		{"a trial", "change", "twice", trial, 409, "CONFLICT"},
		{"somebody else's", "change", "twice", strange, 404, "NOT_FOUND"},
		{"a guest's", "change", "twice", guest, 401, "UNAUTHORIZED"},
		{"no tier", "change", "", once, 400, "VALIDATION_ERROR"},
		{"a perpetual license", "renew", "", once, 409, "CONFLICT"},
		{"a revoked license", "renew", "", revoked, 409, "CONFLICT"},
		{"a trial", "renew", "", trial, 409, "CONFLICT"},
		{"somebody else's", "renew", "", strange, 404, "NOT_FOUND"},
		{"a guest's", "renew", "", guest, 401, "UNAUTHORIZED"},
	} {
		for _, asked := range []bool{false, true} {
			body := map[string]any{}
			if tc.what == "change" {
				body = map[string]any{"tierId": tc.tier, "preview": asked}
			} else if asked {
				continue
			}
			if res := tc.of.ask(t, tc.what, body); res.Status != tc.status || res.Text(t, "error") != tc.code {
				t.Errorf("%s of %s, preview %v: %d %s", tc.what, tc.name, asked, res.Status, res.Body)
			}
		}
	}
	if res := once.ask(t, "change", map[string]any{"tierId": "twice", "previews": true}); res.Status != 400 {
		t.Errorf("a mistyped member = %d", res.Status)
	}
}

func TestSeatsBeyondThePlan(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	o := owns(t, a, "large")
	for _, instance := range []string{"b.example", "a.example", "localhost"} {
		a.Activate(t, o.key, instance)
	}
	for _, body := range []map[string]any{preview("small"), tierOf("small"), tierOf("year")} {
		res := o.ask(t, "change", body)
		want := map[string]any{"maxInstances": 1.0, "instances": []any{"a.example", "b.example"}}
		if res.Status != 409 || res.Text(t, "error") != "SEATS_IN_USE" || !cmp.Equal(res.Get(t, "details"), any(want)) {
			t.Errorf("%v = %d %s", body, res.Status, res.Body)
		}
	}
	a.Deactivate(t, o.key, "a.example")
	o.must(t, "change", tierOf("small"))
}

func TestAFreePlanIsRenewedAtOnce(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	o := owns(t, a, "gratis")
	res := o.must(t, "renew", nil)
	if res.Get(t, "orderId") != nil || res.Text(t, "license.expiresAt") != stamp(a.Clock.Now().AddDate(0, 2, 0)) {
		t.Errorf("renewal = %s", res.Body)
	}
}

// A code for ever holds for renewals without another use; one that holds once does not.
func TestCodesOfRenewals(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	o := owns(t, a, "large")
	for code, duration := range map[string]string{"EVER": "forever", "ONCE": "once"} {
		res := a.Do(t, testkit.Post(o.root, "/api/v1/admin/discounts",
			map[string]any{"code": code, "percentOff": 50, "duration": duration, "maxUses": 1}))
		if res.Status != http.StatusCreated {
			t.Fatalf("%s = %s", code, res.Body)
		}
	}
	renewed := func(body map[string]any, want int64) {
		t.Helper()
		if got := a.StoredOrder(t, o.must(t, "renew", body).Text(t, "orderId")); got.Amount.Minor != want {
			t.Errorf("renewal for %d, want %d", got.Amount.Minor, want)
		}
	}
	renewed(nil, 3000)
	renewed(map[string]any{"discountCode": "once"}, 1500)
	renewed(nil, 3000)
	res := a.Do(t, testkit.Post(o.token, testkit.Products+"/mail-pack/purchase",
		map[string]any{"tierId": "small", "paymentMethod": "card", "discountCode": "EVER"}))
	o.id = a.StoredOrder(t, res.Text(t, "orderId")).LicenseID
	renewed(nil, 500)
	renewed(nil, 500)
	if res := o.ask(t, "renew", map[string]any{"discountCode": "EVER"}); res.Text(t, "details.reason") != "used_up" {
		t.Errorf("renewal = %d %s", res.Status, res.Body)
	}
}

// A repeated request with the same Idempotency-Key is one.
func TestChangesAndRenewalsAreIdempotent(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	o := owns(t, a, "small")
	for what, body := range map[string]map[string]any{"change": tierOf("large"), "renew": {}} {
		var ids []string
		for range 2 {
			r := testkit.Post(o.token, ownLicenses+"/"+o.id+"/"+what, body)
			r.Header = http.Header{"Idempotency-Key": {"key-" + what}}
			ids = append(ids, a.Do(t, r).Text(t, "orderId"))
		}
		if ids[0] == "" || ids[0] != ids[1] {
			t.Errorf("%s made the orders %v", what, ids)
		}
	}
	if got := len(a.Do(t, testkit.Get(o.token, orders)).Get(t, "orders").([]any)); got != 3 {
		t.Errorf("%d orders, want 3", got)
	}
}

// With live payments, a change of what is paid once waits for its page, one at a time.
func TestAChangeThatIsPaidOnAPage(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	o := owns(t, a, "once")
	if res := o.ask(t, "change", tierOf("twice")); res.Status != 409 {
		t.Errorf("the change of an unpaid license = %d %s", res.Status, res.Body)
	}
	bought := testkit.Sale{OrderID: o.order, Key: o.key}
	a.MustDeliver(t, bought.Paid())
	change := func() testkit.Sale {
		t.Helper()
		res := o.must(t, "change", tierOf("twice"))
		if res.Text(t, "paymentUrl") == "" {
			t.Fatalf("change = %s", res.Body)
		}
		return testkit.Sale{OrderID: res.Text(t, "orderId"), Key: o.key}
	}
	first := change()
	for what, body := range map[string]map[string]any{"change": tierOf("same"), "renew": {}} {
		if res := o.ask(t, what, body); res.Status != 409 || what == "change" && res.Text(t, "details.orderId") != first.OrderID {
			t.Errorf("a second %s = %d %s", what, res.Status, res.Body)
		}
	}
	o.is(t, "once", 1, time.Time{})
	a.MustDeliver(t, first.Expired())
	second := change()
	a.MustDeliver(t, first.Paid()) // too late: it is refunded
	o.is(t, "once", 1, time.Time{})
	a.MustDeliver(t, second.Paid())
	a.MustDeliver(t, second.Paid())
	o.is(t, "twice", 3, time.Time{})
	if got := a.StoredOrder(t, first.OrderID); got.Status() != "cancelled" || got.RefundedAt.IsZero() {
		t.Errorf("the late payment: %+v", got)
	}
	// The provider refunds what issued the license: what followed goes back, too.
	a.MustDeliver(t, bought.Refunded())
	if got := a.StoredOrder(t, second.OrderID); got.Status() != "refunded" {
		t.Errorf("the change is %s", got.Status())
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", o.key, "x.example"), "revoked")
}

// An open order of a license that is refunded is cancelled, and what is paid for it all the same goes back.
func TestAnOpenChangeOfARefundedLicense(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	o := owns(t, a, "once")
	a.MustDeliver(t, testkit.Sale{OrderID: o.order}.Paid())
	open := testkit.Sale{OrderID: o.must(t, "change", tierOf("twice")).Text(t, "orderId")}
	o.refund(t, o.order)
	if got := a.StoredOrder(t, open.OrderID); got.Status() != "cancelled" {
		t.Errorf("the change is %s", got.Status())
	}
	a.MustDeliver(t, open.Paid())
	if got := a.StoredOrder(t, open.OrderID); got.Status() != "cancelled" || got.RefundedAt.IsZero() {
		t.Errorf("the late payment: %+v", got)
	}
}

// Only the first payment can be given back by the buyer.
func TestChangesAreNotGivenBack(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	o := owns(t, a, "once")
	if _, err := a.Catalog.ImportBytes(t.Context(), fmt.Appendf(nil, "%s", plans[:len(plans)-3]+", refundDays: 14}]}")); err != nil {
		t.Fatal(err)
	}
	changed := o.must(t, "change", tierOf("twice")).Text(t, "orderId")
	for _, id := range []string{o.order, changed} {
		res := a.Do(t, testkit.Post(o.token, orders+"/"+id+"/refund", nil))
		if res.Status != 409 || res.Text(t, "details.reason") != "not_first" {
			t.Errorf("refund = %d %s", res.Status, res.Body)
		}
		if res := a.Do(t, testkit.Get(o.token, orders+"/"+id)); res.Get(t, "refundableUntil") != nil {
			t.Errorf("order = %s", res.Body)
		}
	}
}

// Owners go on with a product that is not sold any more, and see what they can choose from.
func TestOwnersSeeAProductThatIsNotPublished(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		admin, ada, eve := a.Admin(t, "root").Access, a.Register(t, "ada").Access, a.Register(t, "eve").Access
		a.Buy(t, ada, "yearly")
		list, _ := a.Do(t, testkit.Get(ada, ownLicenses)).Get(t, "licenses").([]any)
		one, _ := list[0].(map[string]any)
		id, _ := one["id"].(string)
		public := a.Do(t, testkit.Get("", testkit.Products+"/mail-pack")).JSON(t)
		a.Do(t, testkit.Request{
			Method: http.MethodPatch, Path: "/api/v1/admin/products/mail-pack", Token: admin, Body: map[string]any{"published": false},
		})
		testkit.WantFlatError(t, a.Do(t, testkit.Get("", testkit.Products+"/mail-pack")), http.StatusNotFound, "NOT_FOUND")
		res := a.Do(t, testkit.Get(ada, ownLicenses+"/"+id+"/product"))
		if diff := cmp.Diff(public["pricingTiers"], res.Get(t, "pricingTiers")); res.Status != http.StatusOK || diff != "" {
			t.Errorf("the product = %d (-public +own):\n%s", res.Status, diff)
		}
		testkit.WantFlatError(t, a.Do(t, testkit.Get(eve, ownLicenses+"/"+id+"/product")), http.StatusNotFound, "NOT_FOUND")
		if res := a.Do(t, testkit.Post(ada, ownLicenses+"/"+id+"/renew", nil)); res.Status != http.StatusOK {
			t.Errorf("renewal = %d %s", res.Status, res.Body)
		}
	})
}
