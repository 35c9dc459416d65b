package market_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

func TestAnotherStoaBuysALicense(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newStripeMarket(t, options...)
		res := m.Send(t, handoffs, wish("once", map[string]any{"from": "a later release"}))
		id := res.Text(t, "handoffId")
		if want := m.URL + "/checkout/mail-pack/once?handoff=" + id; res.Text(t, "checkoutUrl") != want ||
			res.Text(t, "expiresAt") != at(m, time.Hour) {
			t.Errorf("handoff = %s", res.Body)
		}
		shown := m.Fetch(t, handoffs+"/"+id)
		if shown.Text(t, "instance") != "b.example.org" || shown.Text(t, "productSlug") != "mail-pack" || shown.Text(t, "tierId") != "once" ||
			shown.Text(t, "returnUrl") != "https://b.example.org/console/markets?operation=1" {
			t.Errorf("GET = %s", shown.Body)
		}
		wantState(t, m, id, "open until "+at(m, time.Hour))
		wantStatus(t, m.claim(t, id), http.StatusAccepted, "")

		m.Clock.Advance(59 * time.Minute)
		sale := m.ordered(t, "once", id)
		if sale.URL == "" {
			t.Error("nothing is to be paid")
		}
		wantState(t, m, id, "pending until "+at(m, 14*24*time.Hour))
		wantStatus(t, m.claim(t, id), http.StatusAccepted, "")

		m.MustDeliver(t, sale.Paid())
		if !strings.HasPrefix(m.state(t, id), "paid until ") {
			t.Errorf("state = %s", m.state(t, id))
		}
		claimed := m.claim(t, id)
		wantStatus(t, claimed, http.StatusOK, "")
		wantState(t, m, id, "claimed until "+at(m, 24*time.Hour))
		key := claimed.Text(t, "licenseKey")
		if res := m.Activate(t, key, "b.example.org"); res.Status != http.StatusOK {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
		m.Clock.Advance(24*time.Hour - time.Millisecond)
		if again := m.claim(t, id); again.Status != http.StatusOK || again.Text(t, "licenseKey") != key {
			t.Errorf("the claim again = %d %s", again.Status, again.Body)
		}
		m.Clock.Advance(time.Millisecond)
		wantStatus(t, m.claim(t, id), http.StatusGone, "HANDOFF_EXPIRED")
		if !strings.HasPrefix(m.state(t, id), "expired until ") {
			t.Errorf("state = %s", m.state(t, id))
		}
	})
}

func wantStatus(tb testing.TB, res testkit.Response, status int, code string) {
	tb.Helper()
	if code != "" {
		wantRefusal(tb, res, status, code)
	} else if res.Status != status {
		tb.Errorf("answer = %d %s, want %d", res.Status, res.Body, status)
	}
}

func wantState(tb testing.TB, m market, id, want string) {
	tb.Helper()
	if got := m.state(tb, id); got != want {
		tb.Errorf("state = %s, want %s", got, want)
	}
}

// at returns a time from now as the API writes it.
func at(m market, later time.Duration) string {
	return m.Clock.Now().Add(later).UTC().Format("2006-01-02T15:04:05.000Z")
}

func TestAHandoffIsOverAfterAnHour(t *testing.T) {
	t.Parallel()

	m := newStripeMarket(t)
	id := m.begin(t, "once", nil)
	m.Clock.Advance(time.Hour - time.Millisecond)
	wantStatus(t, m.claim(t, id), http.StatusAccepted, "")
	late := m.begin(t, "once", nil)
	m.Clock.Advance(time.Millisecond)
	wantStatus(t, m.claim(t, id), http.StatusGone, "HANDOFF_EXPIRED")
	wantStatus(t, m.Do(t, order("", "once", id)), http.StatusGone, "HANDOFF_EXPIRED")
	m.ordered(t, "once", late)
}

// A debit may take days. What is paid too late is the buyer's, who sees the key in the receipt.
func TestAPendingPaymentHasTwoWeeks(t *testing.T) {
	t.Parallel()

	m := newStripeMarket(t)
	timely, late := m.begin(t, "once", nil), m.begin(t, "once", nil)
	first := m.ordered(t, "once", timely)
	m.ordered(t, "once", late)
	m.MustDeliver(t, paysLater(first))
	m.Clock.Advance(14*24*time.Hour - time.Millisecond)
	wantStatus(t, m.claim(t, timely), http.StatusAccepted, "")
	m.MustDeliver(t, first.Session("evt_", "checkout.session.async_payment_succeeded", "paid"))
	m.Clock.Advance(time.Millisecond)
	wantStatus(t, m.claim(t, timely), http.StatusOK, "")
	wantStatus(t, m.claim(t, late), http.StatusGone, "HANDOFF_EXPIRED")
	wantStatus(t, m.Do(t, order("", "once", late)), http.StatusGone, "HANDOFF_EXPIRED")
}

// Whoever never asks for the key finds it for two weeks after the payment.
func TestAPaidHandoffWaitsTwoWeeksForItsClaim(t *testing.T) {
	t.Parallel()

	m := newMarket(t) // with test payments
	id, lost := m.begin(t, "once", nil), m.begin(t, "free", nil)
	m.ordered(t, "once", id)
	m.ordered(t, "free", lost)
	m.Clock.Advance(14*24*time.Hour - time.Millisecond)
	wantStatus(t, m.claim(t, id), http.StatusOK, "")
	m.Clock.Advance(time.Millisecond)
	wantStatus(t, m.claim(t, id), http.StatusOK, "")
	wantStatus(t, m.claim(t, lost), http.StatusGone, "HANDOFF_EXPIRED")
}

func TestAHandoffTakesOneOrderThatIsNotCancelled(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newStripeMarket(t, options...)
		id := m.begin(t, "once", nil)
		first := m.ordered(t, "once", id)
		wantStatus(t, m.Do(t, order("", "once", id)), http.StatusConflict, "CONFLICT")
		m.MustDeliver(t, first.Expired())
		wantState(t, m, id, "open until "+at(m, time.Hour))
		second := m.ordered(t, "once", id)
		m.MustDeliver(t, second.Paid())
		wantStatus(t, m.claim(t, id), http.StatusOK, "")
		wantStatus(t, m.Do(t, order("", "once", id)), http.StatusConflict, "CONFLICT")
	})
}

func TestAHandoffIsForOneTierOfOneProduct(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	id := m.begin(t, "once", nil)
	wantStatus(t, m.Do(t, order("", "monthly", id)), http.StatusBadRequest, "PURCHASE_FAILED")
	wantStatus(t, m.Do(t, testkit.Post("", testkit.Products+"/bare/purchase",
		map[string]any{"tierId": "only", "paymentMethod": "card", "handoffId": id})), http.StatusBadRequest, "PURCHASE_FAILED")
	wantStatus(t, m.Do(t, order("", "once", "nobodys")), http.StatusNotFound, "NOT_FOUND")
	wantStatus(t, m.Do(t, order("", "once", "Not an id")), http.StatusNotFound, "NOT_FOUND")
	wantState(t, m, id, "open until "+at(m, time.Hour))
	both := order("", "once", id)
	both.Body = map[string]any{"tierId": "once", "paymentMethod": "card", "handoffId": id, "licenseKey": m.BuyKey(t, "", "once")}
	wantStatus(t, m.Do(t, both), http.StatusBadRequest, "VALIDATION_ERROR")
}

// A license that was refunded works nowhere, so there is no key to give.
func TestARefundEndsAHandoff(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	before, after, revoked := m.begin(t, "once", nil), m.begin(t, "once", nil), m.begin(t, "once", nil)
	orders := map[string]string{}
	for _, id := range []string{before, after, revoked} {
		orders[id] = m.ordered(t, "once", id).OrderID
	}
	wantStatus(t, m.claim(t, after), http.StatusOK, "")
	for _, id := range []string{before, after} {
		if res := m.Refund(t, m.admin, orders[id]); res.Status != http.StatusOK {
			t.Fatalf("refund = %d %s", res.Status, res.Body)
		}
		wantStatus(t, m.claim(t, id), http.StatusGone, "HANDOFF_EXPIRED")
		wantStatus(t, m.Do(t, order("", "once", id)), http.StatusGone, "HANDOFF_EXPIRED")
	}
	license := m.StoredOrder(t, orders[revoked]).LicenseID
	if res := m.Do(t, testkit.Post(m.admin, "/api/v1/admin/licenses/"+license+"/revoke", nil)); res.Status != http.StatusOK {
		t.Fatalf("revoke = %d %s", res.Status, res.Body)
	}
	wantStatus(t, m.claim(t, revoked), http.StatusGone, "HANDOFF_EXPIRED")
}

// Whatever the state, a wrong secret learns that the handoff exists, and nothing else.
func TestAWrongSecretTellsNothing(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	open, paid, claimed, over := m.begin(t, "once", nil), m.begin(t, "once", nil), m.begin(t, "once", nil), m.begin(t, "once", nil)
	m.ordered(t, "once", paid)
	m.ordered(t, "once", claimed)
	m.claim(t, claimed)
	m.Refund(t, m.admin, m.ordered(t, "once", over).OrderID)
	other, _ := secret(2)
	right, hash := secret(1)
	var first string
	for _, id := range []string{open, paid, claimed, over} {
		for _, text := range []string{other, right + "A", right[:42], "x", hash, strings.Repeat("A", 100_000)} {
			res := m.claimWith(t, id, text)
			wantRefusal(t, res, http.StatusForbidden, "FORBIDDEN")
			if first == "" {
				first = string(res.Body)
			}
			if string(res.Body) != first {
				t.Errorf("%s: %s, want %s", id, res.Body, first)
			}
		}
	}
	wantStatus(t, m.claimWith(t, "nobodys", right), http.StatusNotFound, "NOT_FOUND")
	wantStatus(t, m.claimWith(t, open, ""), http.StatusBadRequest, "VALIDATION_ERROR")
	wantStatus(t, m.claim(t, paid), http.StatusOK, "")
}

func TestOnlyWrongSecretsCount(t *testing.T) {
	t.Parallel()

	m := newMarket(t, testkit.Limited)
	id := m.begin(t, "once", nil)
	other, _ := secret(2)
	for range 30 {
		wantStatus(t, m.claim(t, id), http.StatusAccepted, "")
	}
	for range 20 {
		wantStatus(t, m.claimWith(t, id, other), http.StatusForbidden, "FORBIDDEN")
	}
	wantStatus(t, m.claimWith(t, id, other), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
	wantStatus(t, m.claim(t, id), http.StatusAccepted, "")
	m.Clock.Advance(3 * time.Second)
	wantStatus(t, m.claimWith(t, id, other), http.StatusForbidden, "FORBIDDEN")
}

func TestHandoffsAndTrialsOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()

	m := newMarket(t, testkit.Limited)
	for range 20 {
		m.begin(t, "once", nil)
		wantStatus(t, m.Do(t, try("", "")), http.StatusBadRequest, "VALIDATION_ERROR")
	}
	wantStatus(t, m.Send(t, handoffs, wish("once", nil)), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
	wantStatus(t, m.Do(t, try("", "")), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
	m.Clock.Advance(3 * time.Second)
	m.begin(t, "once", nil)
}

func TestWhatAHandoffMayBe(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	long := strings.Repeat("x", 200)
	onB := func(path string, n int) string { return "https://b.example.org/" + path + strings.Repeat("x", n) }
	for _, tt := range []struct {
		name    string
		changes map[string]any
		status  int
		paths   string
	}{
		{"nothing", map[string]any{
			"productSlug": "", "tierId": "", "instance": "", "platformId": "", "returnUrl": "", "secretHash": "",
		}, 400, "productSlug tierId platformId instance returnUrl secretHash"},
		{"other types", map[string]any{"productSlug": 1, "licenseKey": 2}, 400, "productSlug licenseKey"},
		{"a tier with a long name", map[string]any{"tierId": long}, 404, ""},
		{"a tier with a longer name", map[string]any{"tierId": long + "x"}, 400, "tierId"},
		{"a product with a longer name", map[string]any{"productSlug": long + "x"}, 400, "productSlug"},
		{"no such product", map[string]any{"productSlug": "nope"}, 404, ""},
		{"a draft", map[string]any{"productSlug": "hidden", "tierId": "only"}, 404, ""},
		{"no such tier", map[string]any{"tierId": "gold"}, 404, ""},
		{"a long platform id", map[string]any{"platformId": long}, 201, ""},
		{"a longer platform id", map[string]any{"platformId": long + "x"}, 400, "platformId"},
		{"an instance in upper case", map[string]any{"instance": "B.example.org"}, 400, "instance returnUrl"},
		{"an instance with a port", map[string]any{"instance": "b.example.org:443"}, 400, "instance returnUrl"},
		{"a long address", map[string]any{"returnUrl": onB("", 2048-len(onB("", 0)))}, 201, ""},
		{"a longer address", map[string]any{"returnUrl": onB("", 2049-len(onB("", 0)))}, 400, "returnUrl"},
		{"another host", map[string]any{"returnUrl": "https://c.example.org/"}, 400, "returnUrl"},
		{"a host below", map[string]any{"returnUrl": "https://b.example.org.evil.example/"}, 400, "returnUrl"},
		{"a user", map[string]any{"returnUrl": "https://b.example.org@evil.example/"}, 400, "returnUrl"},
		{"http", map[string]any{"returnUrl": "http://b.example.org/"}, 400, "returnUrl"},
		{"a script", map[string]any{"returnUrl": "javascript://b.example.org/%0aalert(1)"}, 400, "returnUrl"},
		{"another port", map[string]any{"returnUrl": "https://b.example.org:8443/"}, 201, ""},
		{"http on loopback", map[string]any{"instance": "localhost", "returnUrl": "http://localhost:8080/x"}, 201, ""},
		{"http on a loopback address", map[string]any{"instance": "::1", "returnUrl": "http://[::1]:8080/x"}, 201, ""},
		{"loopback elsewhere", map[string]any{"instance": "b.example.org", "returnUrl": "http://localhost/x"}, 400, "returnUrl"},
		{"a hash in upper case", map[string]any{"secretHash": strings.Repeat("A", 64)}, 400, "secretHash"},
		{"a short hash", map[string]any{"secretHash": strings.Repeat("a", 63)}, 400, "secretHash"},
		{"no key", map[string]any{"licenseKey": "nonsense"}, 400, "licenseKey"},
		{"the key of a license", map[string]any{"licenseKey": m.BuyKey(t, "", "once")}, 400, "licenseKey"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := m.Send(t, handoffs, wish("once", tt.changes))
			if res.Status != tt.status {
				t.Fatalf("%d %s, want %d", res.Status, res.Body, tt.status)
			}
			if tt.paths != "" && testkit.IssuePaths(t, res) != tt.paths {
				t.Errorf("issues of %s, want %s", testkit.IssuePaths(t, res), tt.paths)
			}
			if tt.status == 404 {
				wantRefusal(t, res, 404, "NOT_FOUND")
			}
		})
	}
}

// One purchase, although it is asked for twice: after a lost answer, or by an impatient buyer.
func TestAPurchaseForAHandoffMayBeRepeated(t *testing.T) {
	t.Parallel()

	m := newStripeMarket(t)
	id := m.begin(t, "once", nil)
	req := order("", "once", id)
	req.Header = http.Header{"Idempotency-Key": {`"one"`}}
	first, again := m.Do(t, req), m.Do(t, req)
	if first.Status != 200 || string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%d %s, then %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	other := order("", "once", id)
	other.Header = http.Header{"Idempotency-Key": {`"two"`}}
	wantStatus(t, m.Do(t, other), http.StatusConflict, "CONFLICT")
	m.MustDeliver(t, testkit.Sale{OrderID: first.Text(t, "orderId")}.Paid())
	wantStatus(t, m.claim(t, id), http.StatusOK, "")
}

func TestWithoutAMarketNobodyBuysForOthers(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	unknown := a.DoUnchecked(t, testkit.Post("", "/api/market/v1/nothing", map[string]any{}))
	for _, req := range []testkit.Request{
		testkit.Post("", handoffs, wish("once", nil)), testkit.Get("", handoffs+"/x"),
		testkit.Post("", handoffs+"/x/claim", map[string]any{"secret": "x"}), try("b.example.org", "ada@example.com"),
	} {
		res := a.DoUnchecked(t, req)
		if res.Status != http.StatusNotFound || string(res.Body) != string(unknown.Body) || res.Header.Get("RateLimit") != "" {
			t.Errorf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
		}
	}
	wantStatus(t, a.Do(t, order("", "once", "nobodys")), http.StatusNotFound, "NOT_FOUND")
}
