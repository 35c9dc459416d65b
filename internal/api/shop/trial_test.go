package shop_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/message/mail"
	"stoa/internal/testkit"
)

// offerTrials lets the tiers once (3 seats) and monthly (1 seat) of mail-pack be tried.
func offerTrials(tb testing.TB, a *testkit.App, days int) {
	tb.Helper()
	_, err := a.Catalog.ImportBytes(tb.Context(), fmt.Appendf(nil, `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack,
		category: c, shortDescription: s, description: d, icon: /i.svg, pricingTiers: [
		{id: free, name: Free, price: 0},
		{id: once, name: Once, price: 49.90, features: [Mails], maxInstances: 3, trialDays: %d},
		{id: monthly, name: Monthly, price: 5, billingPeriod: monthly, features: [Mails, Support], trialDays: %d}]}]}`, days, days))
	if err != nil {
		tb.Fatal(err)
	}
}

// try is a request to try a tier of mail-pack.
func try(token, tier, email string) testkit.Request {
	body := map[string]any{"tierId": tier}
	if email != "" {
		body["email"] = email
	}
	return testkit.Post(token, testkit.Products+"/mail-pack/trial", body)
}

// tried starts a trial of once and returns the answer, which must be 200.
func tried(tb testing.TB, a *testkit.App, token, email string) testkit.Response {
	tb.Helper()
	res := a.Do(tb, try(token, "once", email))
	if res.Status != http.StatusOK {
		tb.Fatalf("trial = %d %s", res.Status, res.Body)
	}
	return res
}

// buyTrial is a request to buy a tier with the key of a trial.
func buyTrial(token, tier, key string) testkit.Request {
	return testkit.Post(token, testkit.Products+"/mail-pack/purchase",
		map[string]any{"tierId": tier, "paymentMethod": "card", "licenseKey": key})
}

func TestATrialIsALicenseThatEnds(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		offerTrials(t, a, 14)
		root, ada := a.Admin(t, "root").Access, a.Register(t, "ada").Access
		res := tried(t, a, ada, "")
		key, orderID := res.Text(t, "licenseKey"), res.Text(t, "orderId")
		if res.Get(t, "trial") != true || res.Get(t, "paymentUrl") != nil {
			t.Errorf("trial = %s", res.Body)
		}
		ends := a.Clock.Now().Add(14 * 24 * time.Hour)
		for what, o := range map[string]any{
			"its page":       a.Do(t, testkit.Get(ada, orders+"/"+orderID)).JSON(t),
			"my orders":      a.Do(t, testkit.Get(ada, orders)).Get(t, "orders").([]any)[0],
			"administration": a.Do(t, testkit.Get(root, testkit.AdminOrders+"/"+orderID)).Get(t, "data"),
		} {
			got := o.(map[string]any)
			if got["trial"] != true || got["amount"] != 0.0 || got["status"] != "paid" || got["billingPeriod"] != nil {
				t.Errorf("%s shows %v", what, got)
			}
		}
		active := a.Activate(t, key, "shop.example")
		verified := a.Verify(t, "mail-pack", key, "shop.example")
		for _, res := range []testkit.Response{active, verified} {
			if res.Status != 200 || res.Get(t, "trial") != true || res.Text(t, "license.type") != "subscription" ||
				res.Text(t, "license.expiresAt") != ends.UTC().Format("2006-01-02T15:04:05.000Z") || res.Get(t, "license.maxInstances") != 3.0 {
				t.Errorf("answer = %d %s", res.Status, res.Body)
			}
			if strings.Count(string(res.Body), `"trial"`) != 1 {
				t.Errorf("License info has a trial: %s", res.Body)
			}
		}
		id := active.Text(t, "license.id")
		for what, got := range map[string]any{
			"my licenses":    a.Do(t, testkit.Get(ada, "/api/marketplace/licenses/"+id)).Get(t, "trial"),
			"administration": a.Do(t, testkit.Get(root, "/api/v1/admin/licenses/"+id)).Get(t, "data.trial"),
		} {
			if got != true {
				t.Errorf("%s shows trial %v", what, got)
			}
		}
		testkit.WantError(t, a.Do(t, testkit.Post(root, "/api/v1/admin/licenses/"+id+"/renew", `{"periods":1}`)), 409, "CONFLICT")
		a.Clock.Advance(14*24*time.Hour - time.Millisecond)
		if res := a.Verify(t, "mail-pack", key, "shop.example"); res.Get(t, "valid") != true {
			t.Errorf("in the last moment: %s", res.Body)
		}
		a.Clock.Advance(time.Millisecond)
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "shop.example"), "expired")
	})
}

func TestWhatCannotBeTried(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	offerTrials(t, a, 90)
	ada := a.Register(t, "ada").Access
	const path = testkit.Products + "/mail-pack/trial"
	for _, tt := range []struct {
		what    string
		request testkit.Request
		code    string
	}{
		{"an unknown tier", try(ada, "gold", ""), "PURCHASE_FAILED"},
		{"a tier without trial", try(ada, "free", ""), "PURCHASE_FAILED"},
		{"an unknown product", testkit.Post(ada, testkit.Products+"/none/trial", `{"tierId":"once"}`), "PURCHASE_FAILED"},
		{"a hidden product", testkit.Post(ada, testkit.Products+"/hidden/trial", `{"tierId":"only"}`), "PURCHASE_FAILED"},
		{"no tier", testkit.Post(ada, path, `{}`), "VALIDATION_ERROR"},
		{"a guest without an address", try("", "once", ""), "VALIDATION_ERROR"},
		{"a guest with two addresses", try("", "once", "a@b.example, c@d.example"), "VALIDATION_ERROR"},
		{"a user with no address at all", try(ada, "once", "ada"), "VALIDATION_ERROR"},
		{"an unknown field", testkit.Post(ada, path, `{"tierId":"once","days":90}`), "VALIDATION_ERROR"},
	} {
		if res := a.Do(t, tt.request); res.Status != 400 || res.Text(t, "error") != tt.code {
			t.Errorf("%s: %d %s", tt.what, res.Status, res.Body)
		}
	}
	if got := a.Do(t, testkit.Get(ada, orders)).Get(t, "orders").([]any); len(got) != 0 {
		t.Errorf("orders = %v", got)
	}
}

func TestEachCustomerTriesAProductOnce(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	offerTrials(t, a, 14)
	ada := a.Register(t, "ada") // ada@example.com
	tried(t, a, ada.Access, "other@example.com")
	for what, request := range map[string]testkit.Request{
		"the account":                  try(ada.Access, "monthly", "third@example.com"),
		"its address":                  try("", "once", "ADA@EXAMPLE.com"),
		"the address it gave":          try("", "monthly", "other@example.COM"),
		"an account with that address": try(a.Register(t, "other").Access, "once", ""),
	} {
		testkit.WantFlatError(t, a.Do(t, request), 409, "TRIAL_USED")
		_ = what
	}
	tried(t, a, "", "ada+1@example.com") // another mailbox

	key := testkit.Request{
		Method: http.MethodPost, Path: testkit.Products + "/mail-pack/trial",
		Body: `{"tierId":"once","email":"eve@example.com"}`, Header: http.Header{"Idempotency-Key": {"one"}},
	}
	first, again := a.Do(t, key), a.Do(t, key)
	if first.Status != 200 || !cmp.Equal(first.JSON(t), again.JSON(t)) {
		t.Errorf("repeated: %s, %s", first.Body, again.Body)
	}
}

// However many ask at once, on two replicas, one trial of a product is given for each mailbox.
func TestATrialIsGivenOnceHoweverManyAsk(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		offerTrials(t, a, 14)
		ada := a.Register(t, "ada").Access
		var given atomic.Int32
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				request := try("", "once", "ada@example.com")
				if i%3 == 0 {
					request = try(ada, "once", "")
				}
				switch res := []*testkit.App{a, b}[i%2].Do(t, request); res.Status {
				case http.StatusOK:
					given.Add(1)
				case http.StatusConflict:
				default:
					t.Errorf("trial = %d %s", res.Status, res.Body)
				}
			})
		}
		all.Wait()
		var licenses int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM licenses`).Scan(&licenses); err != nil {
			t.Fatal(err)
		}
		if given.Load() != 1 || licenses != 1 {
			t.Errorf("%d trials were given, %d licenses made", given.Load(), licenses)
		}
	})
}

func TestAHostRunsOneTrial(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		offerTrials(t, a, 14)
		first := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
		second := tried(t, a, "", "ada+1@example.com").Text(t, "licenseKey")
		want := func(key, instance string, status int) {
			t.Helper()
			res := a.Activate(t, key, instance)
			reason, _ := res.Get(t, "details.reason").(string)
			if res.Status != status || status == 400 && reason != "trial_used" {
				t.Errorf("activate at %s = %d %s", instance, res.Status, res.Body)
			}
		}
		want(first, "shop.example:8080", 200)
		want(first, "shop.example", 200)
		want(second, "Shop.Example.", 400)
		want(second, "shop.example.:443", 400)
		a.Deactivate(t, first, "shop.example:8080")
		a.Deactivate(t, first, "shop.example")
		want(second, "shop.example", 400)
		want(first, "shop.example", 200) // its own host
		want(second, "other.example", 200)
		for _, key := range []string{first, second} { // neither takes the host
			want(key, "localhost", 200)
		}
		want(first, "staging.shop.example", 200)
		want(second, "staging.shop.example", 200) // of another domain: not a staging address, but nobody took the host
		paid := a.BuyKey(t, "", "once")
		want(paid, "shop.example", 200)
		bought := a.Do(t, buyTrial("", "once", second))
		if bought.Status != 200 {
			t.Fatalf("purchase = %s", bought.Body)
		}
		want(second, "shop.example", 200) // a paid license does not ask
	})
}

// mailsOf returns the subjects of mails.
func mailsOf(list []mail.Message) (subjects []string) {
	for _, m := range list {
		subjects = append(subjects, m.To+": "+m.Subject)
	}
	return subjects
}

func TestCustomersHearOfTheirTrials(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		offerTrials(t, a, 14)
		a.Admin(t, "root")
		a.Mails(t)
		key := tried(t, a, "", "ada@example.com").Text(t, "licenseKey")
		tried(t, a, "", "bob@example.com")
		other := tried(t, a, "", "eve@example.com").Text(t, "licenseKey")
		hear := func(what string, want ...string) {
			t.Helper()
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := a.Orders.MailTrials(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			list := a.Mails(t)
			got := mailsOf(list)
			if len(got) != len(want) {
				t.Fatalf("%s: mails %q, want %q", what, got, want)
			}
			for _, w := range want {
				if !strings.Contains(strings.Join(got, "\n"), w) {
					t.Errorf("%s: mails %q, want %q", what, got, want)
				}
			}
		}
		hear("at once", "ada@example.com: Your trial of Mail Pack", "bob@", "eve@")
		if res := a.Do(t, buyTrial("", "once", other)); res.Status != 200 {
			t.Fatalf("purchase = %s", res.Body)
		}
		hear("once bought")
		a.Clock.Advance(11*24*time.Hour - time.Millisecond)
		hear("before three days before the end")
		id := a.UseLicense(t, key)
		moved := a.Clock.Now().Add(10 * 24 * time.Hour).Truncate(time.Second)
		root := a.Login(t, "root").Access
		a.Do(t, testkit.Patch(root, "/api/v1/admin/licenses/"+id, map[string]any{"expiresAt": moved.UTC().Format(time.RFC3339)}))
		a.Clock.Advance(time.Millisecond)
		hear("three days before the end", "bob@example.com: Your trial of Mail Pack ends soon")
		hear("again")
		a.Clock.Advance(3 * 24 * time.Hour)
		hear("at the end", "bob@example.com: Your trial of Mail Pack has ended")
		a.Clock.Advance(moved.Add(-24*time.Hour + time.Millisecond).Sub(a.Clock.Now()))
		hear("with less than a day left")
		a.Clock.Advance(moved.Sub(a.Clock.Now()))
		hear("at the moved end", "ada@example.com: Your trial of Mail Pack has ended")
		a.Clock.Advance(90 * 24 * time.Hour)
		hear("long after")
	})
}

func TestAShortTrialIsNotAnnounced(t *testing.T) {
	t.Parallel()

	for days, want := range map[int]int{3: 0, 4: 1} {
		a := testkit.NewShop(t)
		offerTrials(t, a, days)
		tried(t, a, "", "ada@example.com")
		a.Clock.Advance(time.Duration(days)*24*time.Hour - 25*time.Hour)
		a.Mails(t)
		if err := a.Orders.MailTrials(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := a.Mails(t); len(got) != want {
			t.Errorf("a trial of %d days has %d mails before its end, want %d", days, len(got), want)
		}
	}
}
