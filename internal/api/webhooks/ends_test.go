package webhooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/shop/license"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// Each end of a term is published once, when the leeway is over too, however many processes look for it.
func TestEndsOfLicensesArePublishedOnce(t *testing.T) {
	t.Parallel()

	const sales = 120 // more than one transaction takes
	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.NewShop(t, options...)
		want := make(map[string]int)
		var renewed string
		for i := range sales {
			bought := a.Buy(t, "", "monthly")
			id := a.StoredOrder(t, bought.Text(t, "orderId")).LicenseID
			want["license.expired "+id]++
			if i == 0 {
				renewed = id
				want["license.expired "+id]++
				want["license.renewed "+id]++
			}
		}
		events(t, a)
		a.Clock.Advance(32 * 24 * time.Hour)
		publish := func() {
			t.Helper()
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := a.Licenses.PublishEnds(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		publish()
		if _, err := a.Licenses.Renew(t.Context(), renewed, license.Renewal{Periods: 1}, nil); err != nil {
			t.Fatal(err)
		}
		publish()
		a.Clock.Advance(32 * 24 * time.Hour)
		publish()
		got := make(map[string]int)
		for _, e := range events(t, a) {
			got[e.Type+" "+e.Data["licenseId"]]++
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("events (-got +want):\n%s", diff)
		}
	})
}

// While a provider renews a license, its end is that of the leeway.
func TestAnEndIsPublishedAfterTheLeeway(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t, func(_ testing.TB, cfg *app.Config) { cfg.RenewalLeeway = 24 * time.Hour })
	sale := a.Sell(t, "monthly")
	a.MustDeliver(t, sale.Subscribed("evt_1", "checkout.session.completed", "paid"))
	a.MustDeliver(t, sale.Period(2))
	published := func() (types []string) {
		t.Helper()
		if err := a.Licenses.PublishEnds(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, e := range events(t, a) {
			types = append(types, e.Type)
		}
		return types
	}
	if got := strings.Join(published(), " "); got != "order.paid license.issued license.renewed" {
		t.Errorf("paid twice: %s", got)
	}
	l, err := a.Licenses.Get(t.Context(), a.StoredOrder(t, sale.OrderID).LicenseID)
	if err != nil {
		t.Fatal(err)
	}
	a.Clock.Advance(l.License.ExpiresAt.Add(24*time.Hour - time.Millisecond).Sub(a.Clock.Now()))
	if got := published(); got != nil {
		t.Errorf("in the leeway: %v", got)
	}
	a.Clock.Advance(time.Millisecond)
	if got := fmt.Sprint(published()); got != "[license.expired]" {
		t.Errorf("after the leeway: %v", got)
	}
}

// What ended while no stoa ran is published by the next one.
func TestAServerTellsEndsByItself(t *testing.T) {
	t.Parallel()

	quiet := func(_ testing.TB, cfg *app.Config) { cfg.Deliver = false }
	a := testkit.NewShop(t, quiet)
	a.Buy(t, "", "monthly")
	events(t, a)
	next := testkit.New(t, testkit.Upkeep, func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL = a.DataDir + "/stoa.db"
		now := cfg.Now
		cfg.Now = func() time.Time { return now().AddDate(0, 2, 0) }
	})
	waittest.True(t, "an event", func() (has bool) {
		err := next.DB.Conn().Read.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM events)`).Scan(&has)
		return err == nil && has
	})
	if got := events(t, next); len(got) != 1 || got[0].Type != "license.expired" {
		t.Errorf("events %v", got)
	}
}

// An order is cancelled by an administrator or by its payment page, and published once.
func TestCancelledOrdersAreTold(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	admin := a.Admin(t, "root").Access
	for name, cancel := range map[string]func(testkit.Sale){
		"by an administrator": func(s testkit.Sale) {
			for range 2 {
				if res := a.Cancel(t, admin, s.OrderID); res.Status != http.StatusOK {
					t.Errorf("cancel: %d %s", res.Status, res.Body)
				}
			}
		},
		"by the page": func(s testkit.Sale) {
			a.MustDeliver(t, s.Expired())
			a.MustDeliver(t, s.Expired())
		},
	} {
		sale := a.Sell(t, "once")
		events(t, a)
		cancel(sale)
		o := a.StoredOrder(t, sale.OrderID)
		want := []recorded{{"order.cancelled", map[string]string{
			"orderId": o.ID, "licenseId": o.LicenseID, "productId": o.ProductID,
		}}}
		if diff := cmp.Diff(events(t, a), want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}
