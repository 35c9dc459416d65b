package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// withLeeway lets licenses go on for a day after a paid period.
func withLeeway(_ testing.TB, cfg *app.Config) { cfg.RenewalLeeway = 24 * time.Hour }

// moveTo sets the clock of an App.
func moveTo(a *testkit.App, at time.Time) { a.Clock.Advance(at.Sub(a.Clock.Now())) }

// subscribe sells a monthly license with one activated instance, and returns the end of its term.
func subscribe(t *testing.T, a *testkit.App) (s testkit.Sale, end time.Time) {
	t.Helper()
	s = a.Sell(t, "monthly")
	a.MustDeliver(t, s.Subscribed("evt_", "checkout.session.completed", "paid"))
	a.Activate(t, s.Key, "a.example")
	l, err := a.Licenses.Get(t.Context(), a.StoredOrder(t, s.OrderID).LicenseID)
	if err != nil {
		t.Fatal(err)
	}
	return s, l.License.ExpiresAt
}

// A payment takes the provider a while to collect. Meanwhile the license works everywhere.
func TestALicenseThatAProviderRenewsHasALeeway(t *testing.T) {
	t.Parallel()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		const leeway = 24 * time.Hour
		a, _ := testkit.NewStripeShop(t, append(options, withLeeway)...)
		s, end := subscribe(t, a)

		check := func(name string, works bool) {
			t.Helper()
			status, code, refused := "active", http.StatusOK, ""
			if !works {
				status, code, refused = "expired", http.StatusBadRequest, "expired"
			}
			verified := a.Verify(t, "mail-pack", s.Key, "a.example")
			if got := verified.Header.Get("X-License-Code"); got != refused {
				t.Errorf("%s: verify refuses %q, want %q: %s", name, got, refused, verified.Body)
			}
			activated := a.Do(t, testkit.Post("", "/api/marketplace/products/mail-pack/activate", map[string]any{
				"licenseKey": s.Key, "instanceId": "a.example",
			}))
			if activated.Status != code {
				t.Errorf("%s: activate = %d %s, want %d", name, activated.Status, activated.Body, code)
			}
			admin := a.Admin(t, "root"+status).Access
			list := a.Do(t, testkit.Get(admin, "/api/v1/admin/licenses?status="+status))
			if !strings.Contains(string(list.Body), a.StoredOrder(t, s.OrderID).LicenseID) {
				t.Errorf("%s: not listed as %s: %s", name, status, list.Body)
			}
		}
		moveTo(a, end.Add(leeway-time.Millisecond))
		check("the last moment of the leeway", true)
		moveTo(a, end.Add(leeway))
		check("the end of the leeway", false)
	})
}

// A lease given shortly before the end of the term lasts until the end of the leeway, and no longer.
func TestALeaseCountsTheLeeway(t *testing.T) {
	t.Parallel()
	const leeway = 24 * time.Hour
	a, _ := testkit.NewStripeShop(t, withLeeway)
	s, end := subscribe(t, a)
	lease := func() testkit.Response {
		return a.Do(t, testkit.Get("", "/api/marketplace/products/mail-pack/license/lease?licenseKey="+s.Key+
			"&instanceId=a.example"))
	}
	moveTo(a, end.Add(-time.Minute))
	want := end.Add(leeway).Truncate(time.Second).Format("2006-01-02T15:04:05.000Z")
	if got := lease().Text(t, "expiresAt"); got != want {
		t.Errorf("the lease ends %s, want %s", got, want)
	}
	moveTo(a, end.Add(leeway))
	if res := lease(); res.Header.Get("X-License-Code") != "expired" {
		t.Errorf("after the leeway: %d %s", res.Status, res.Body)
	}
}

// The leeway is for payments on their way, not for those that the provider said will not come.
func TestTheLeewayEndsWhenTheProviderDoesNotRenew(t *testing.T) {
	t.Parallel()
	a, _ := testkit.NewStripeShop(t, withLeeway)
	sub := func(s testkit.Sale, kind string, more map[string]any) []byte {
		object := map[string]any{"id": "sub_" + s.OrderID, "metadata": map[string]any{"orderId": s.OrderID}}
		for name, value := range more {
			object[name] = value
		}
		return stripetest.Event("evt_"+kind+s.OrderID, kind, testkit.T0.Add(time.Hour), object)
	}
	failed := func(s testkit.Sale, n string) []byte {
		return s.Invoice("invoice.payment_failed", n, "subscription_cycle", "open", testkit.T0.AddDate(0, 1, 0))
	}
	for _, tt := range []struct {
		name   string
		events func(s testkit.Sale) [][]byte
		want   time.Duration
	}{
		{"nothing was said", func(testkit.Sale) [][]byte { return nil }, 24 * time.Hour},
		{"the payment failed", func(s testkit.Sale) [][]byte { return [][]byte{failed(s, "in_2")} }, 0},
		{"it failed and was paid then", func(s testkit.Sale) [][]byte {
			return [][]byte{failed(s, "in_2"), s.Period(2)}
		}, 24 * time.Hour},
		{"it was paid, and the failure reported late", func(s testkit.Sale) [][]byte {
			return [][]byte{s.Period(2), failed(s, "in_2")}
		}, 24 * time.Hour},
		{"the next one failed", func(s testkit.Sale) [][]byte {
			return [][]byte{s.Period(2), failed(s, "in_3")}
		}, 0},
		{"the first payment failed at first", func(s testkit.Sale) [][]byte {
			return [][]byte{s.Invoice("invoice.payment_failed", "in_1", "subscription_create", "open", testkit.T0)}
		}, 24 * time.Hour},
		{"it will end", func(s testkit.Sale) [][]byte {
			return [][]byte{sub(s, "customer.subscription.updated", map[string]any{"cancel_at_period_end": true})}
		}, 0},
		{"another change", func(s testkit.Sale) [][]byte {
			return [][]byte{sub(s, "customer.subscription.updated", map[string]any{"cancel_at_period_end": false})}
		}, 24 * time.Hour},
		{"it has ended", func(s testkit.Sale) [][]byte {
			return [][]byte{sub(s, "customer.subscription.deleted", nil)}
		}, 0},
		{"it has ended, and the last payment is reported late", func(s testkit.Sale) [][]byte {
			return [][]byte{sub(s, "customer.subscription.deleted", nil), s.Period(2)}
		}, 0},
		{"another subscription has ended", func(s testkit.Sale) [][]byte {
			return [][]byte{sub(s, "customer.subscription.deleted", map[string]any{"id": "sub_other"})}
		}, 24 * time.Hour},
	} {
		s, _ := subscribe(t, a)
		for _, event := range tt.events(s) {
			a.MustDeliver(t, event)
			a.MustDeliver(t, event) // Stripe may deliver twice
		}
		l, err := a.Licenses.Get(t.Context(), a.StoredOrder(t, s.OrderID).LicenseID)
		if err != nil || l.License.Leeway != tt.want {
			t.Errorf("%s: the leeway is %s, want %s (%v)", tt.name, l.License.Leeway, tt.want, err)
		}
	}
}

// A payment at once renews nothing, and an end set by hand is meant as it is.
func TestOnlyPeriodsThatAProviderRenewsHaveALeeway(t *testing.T) {
	t.Parallel()
	shop := testkit.NewShop(t, withLeeway) // payments of tests
	s := shop.Sell(t, "monthly")
	if l, err := shop.Licenses.Get(t.Context(), shop.StoredOrder(t, s.OrderID).LicenseID); err != nil ||
		l.License.Leeway != 0 {
		t.Errorf("a license that nothing renews has a leeway of %s (%v)", l.License.Leeway, err)
	}
	a, _ := testkit.NewStripeShop(t, withLeeway)
	s, _ = subscribe(t, a)
	id := a.StoredOrder(t, s.OrderID).LicenseID
	admin := a.Admin(t, "root").Access
	end := a.Clock.Now().Add(time.Minute).Truncate(time.Second)
	if res := a.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: "/api/v1/admin/licenses/" + id, Token: admin,
		Body: map[string]any{"expiresAt": end.Format(time.RFC3339)},
	}); res.Status != http.StatusOK {
		t.Fatalf("patch = %d %s", res.Status, res.Body)
	}
	moveTo(a, end)
	testkit.WantRefused(t, a.Verify(t, "mail-pack", s.Key, "a.example"), "expired")
}
