package shop_test

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

func churning(limit int) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { cfg.LicenseChurn = limit }
}

func TestDevelopmentInstancesNeedNoSeat(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		key := a.BuyKey(t, ada.Access, "free") // one seat
		for _, instance := range []string{"localhost", "Localhost:3000", "shop.test", "prod.example.com", "shop.test"} {
			if res := a.Activate(t, key, instance); res.Status != http.StatusOK {
				t.Errorf("activate %s = %d %s", instance, res.Status, res.Body)
			}
		}
		for _, instance := range []string{"localhost.evil.com", "other.example.com"} {
			testkit.WantFlatError(t, a.Activate(t, key, instance), 400, "ACTIVATION_FAILED")
		}
		res := a.Verify(t, "mail-pack", key, "localhost:3000")
		if res.Get(t, "valid") != true || res.Get(t, "license.currentInstances") != 1.0 {
			t.Errorf("verify = %d %s", res.Status, res.Body)
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "localhost:3001"), "not_activated")

		own := a.Do(t, testkit.Get(ada.Access, ownLicenses)).JSON(t)["licenses"].([]any)[0].(map[string]any)
		if own["currentInstances"] != 1.0 || own["developmentInstances"] != 3.0 {
			t.Errorf("the owner sees %v and %v, want 1 and 3", own["currentInstances"], own["developmentInstances"])
		}
		if res := a.Deactivate(t, key, "localhost"); res.Get(t, "license.currentInstances") != 1.0 {
			t.Errorf("deactivate = %s", res.Body)
		}
	})
}

// Names below .test cost nothing and anybody can serve them: they are no way
// around the seats of a license, however many ask at once.
func TestDevelopmentInstancesAreAtMostFivePerSeat(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		a := testkit.NewShop(t, append(options, churning(1))...)          // which does not concern them
		for tier, want := range map[string]int32{"free": 5, "once": 15} { // of one seat and of three
			key := a.BuyKey(t, "", tier)
			var (
				wg    sync.WaitGroup
				taken atomic.Int32
			)
			for i := range 8 {
				wg.Go(func() {
					for j := range 7 {
						if res := a.Activate(t, key, fmt.Sprintf("shop%d-%d.customer.test", i, j)); res.Status == http.StatusOK {
							taken.Add(1)
						} else {
							testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
						}
					}
				})
			}
			wg.Wait()
			if taken.Load() != want {
				t.Errorf("%s: %d development instances, want %d", tier, taken.Load(), want)
			}
			if res := a.Activate(t, key, "prod.example.com"); res.Status != http.StatusOK {
				t.Errorf("%s: the seat is not free: %d %s", tier, res.Status, res.Body)
			}
			// Those that are there go on, and count among the five.
			testkit.WantFlatError(t, a.Activate(t, key, "staging.prod.example.com"), 400, "ACTIVATION_FAILED")
		}
	})
}

// named checks how an instance is named in the answers about it.
func named(t *testing.T, a *testkit.App, key, instance string, development bool) {
	t.Helper()
	var want any // absent
	if development {
		want = true
	}
	for name, res := range map[string]testkit.Response{
		"activate": a.Activate(t, key, instance),
		"verify":   a.Verify(t, "mail-pack", key, instance),
		"lease": a.Fetch(t, testkit.Products+"/mail-pack/license/lease?"+
			url.Values{"licenseKey": {key}, "instanceId": {instance}}.Encode()),
	} {
		if res.Status != http.StatusOK || res.Get(t, "development") != want {
			t.Errorf("%s %s = %d %s, want development: %v", name, instance, res.Status, res.Body, want)
		}
	}
}

func TestStagingAddressesOfAnActivatedDomainNeedNoSeat(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "free") // one seat
		named(t, a, key, "localhost:3000", true)
		named(t, a, key, "Shop.Example.com", false)
		named(t, a, key, "staging.shop.example.com", true)
		named(t, a, key, "DEV.shop.example.com.:8443", true)

		for _, instance := range []string{
			"test.shop.example.com",            // the third
			"staging.shop.example.com:80",      // another spelling is another address
			"staging.other.example.com",        // of a domain without a seat
			"staging.example.com",              // above the domain
			"staging.staging.shop.example.com", // of one that has no seat itself
			"a.staging.shop.example.com", "www.shop.example.com", "stagingshop.example.com", "staging-shop.example.com",
		} {
			testkit.WantFlatError(t, a.Activate(t, key, instance), 400, "ACTIVATION_FAILED")
		}
		a.Deactivate(t, key, "staging.shop.example.com")
		named(t, a, key, "test.shop.example.com", true)
	})
}

// Moving the seat from domain to domain leaves no site behind that needs no seat.
func TestStagingAddressesGoWithTheirDomain(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		key := a.BuyKey(t, ada.Access, "free")
		named(t, a, key, "localhost", true)
		for i := range 4 {
			domain := fmt.Sprintf("shop%d.example.com", i)
			for _, instance := range []string{domain, "staging." + domain, "dev." + domain} {
				if res := a.Activate(t, key, instance); res.Status != http.StatusOK {
					t.Fatalf("activate %s = %d %s", instance, res.Status, res.Body)
				}
			}
			a.Deactivate(t, key, domain)
			for _, instance := range []string{domain, "staging." + domain, "dev." + domain} {
				testkit.WantRefused(t, a.Verify(t, "mail-pack", key, instance), "not_activated")
			}
		}
		own := a.Do(t, testkit.Get(ada.Access, ownLicenses)).JSON(t)["licenses"].([]any)[0].(map[string]any)
		if own["currentInstances"] != 0.0 || own["developmentInstances"] != 1.0 {
			t.Errorf("the owner sees %v and %v, want 0 and 1", own["currentInstances"], own["developmentInstances"])
		}
	})
}

// However many ask for staging addresses while the domain comes and goes, there
// are never more than two, and none without the domain.
func TestStagingAddressesAreExactUnderConcurrency(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		a := testkit.NewShop(t, append(options, churning(0))...)
		ada := a.Register(t, "ada")
		key := a.BuyKey(t, ada.Access, "free")
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 20 {
				a.Activate(t, key, "shop.example.com")
				a.Deactivate(t, key, "shop.example.com")
			}
			a.Activate(t, key, "shop.example.com")
		})
		for i := range 6 {
			wg.Go(func() {
				for j := range 20 {
					label := []string{"staging", "dev", "test"}[i%3]
					instance := fmt.Sprintf("%s.shop.example.com:%d", label, 1+i*100+j)
					a.Activate(t, key, instance) // with the domain's seat, without, or refused
					if j%2 == 0 {
						a.Deactivate(t, key, instance)
					}
				}
			})
		}
		wg.Wait()
		a.Activate(t, key, "shop.example.com")
		own := a.Do(t, testkit.Get(ada.Access, ownLicenses)).JSON(t)["licenses"].([]any)[0].(map[string]any)
		res := a.Do(t, testkit.Get(ada.Access, "/api/marketplace/licenses/"+own["id"].(string)+"/activations?limit=100"))
		seats, development := 0, 0
		for _, item := range res.JSON(t)["activations"].([]any) {
			if item.(map[string]any)["development"] == true {
				development++
			} else {
				seats++
			}
		}
		if seats > 1 || development > 2 || own["currentInstances"] != float64(seats) ||
			own["developmentInstances"] != float64(development) {
			t.Errorf("%d seats and %d staging addresses, counted as %v and %v: %s",
				seats, development, own["currentInstances"], own["developmentInstances"], res.Body)
		}
	})
}

func TestDevelopmentInstancesAreConfigured(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t,
		func(_ testing.TB, cfg *app.Config) { cfg.DevInstances = []string{"*.staging.example.com"} })
	key := a.BuyKey(t, "", "free")
	for _, instance := range []string{"a.staging.example.com", "localhost"} {
		if res := a.Activate(t, key, instance); res.Status != http.StatusOK {
			t.Errorf("activate %s = %d %s", instance, res.Status, res.Body)
		}
	}
	testkit.WantFlatError(t, a.Activate(t, key, "b.test"), 400, "ACTIVATION_FAILED")

	none := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.DevInstances = []string{"none"} })
	key = none.BuyKey(t, "", "free")
	named(t, none, key, "shop.example.com", false)
	for _, instance := range []string{"localhost", "staging.shop.example.com"} {
		testkit.WantFlatError(t, none.Activate(t, key, instance), 400, "ACTIVATION_FAILED")
	}

	for _, set := range []func(*app.Config){
		func(cfg *app.Config) { cfg.DevInstances = []string{"*"} },
		func(cfg *app.Config) { cfg.LicenseChurn = -1 },
		func(cfg *app.Config) { cfg.LicenseChurn = 1_000_001 },
	} {
		cfg := testkit.Config(t)
		set(&cfg)
		if a, err := app.New(t.Context(), cfg); err == nil {
			t.Error("a setting that cannot be meant was taken")
			_ = a.Close(t.Context())
		}
	}
}

// One seat is freed and taken by many in parallel: as many get it as the churn
// limit allows, and not one more.
func TestTheChurnLimitIsExact(t *testing.T) {
	t.Parallel()

	for name, options := range map[string][]testkit.Option{
		"SQLite": {churning(24)}, "PostgreSQL": {churning(24), testkit.OnPostgres},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.NewShop(t, options...)
			key := a.BuyKey(t, "", "free")
			a.Activate(t, key, "keeper.example.com")

			var (
				wg      sync.WaitGroup
				taken   atomic.Int32
				refused atomic.Int32
			)
			a.Deactivate(t, key, "keeper.example.com")
			for i := range 8 {
				wg.Go(func() {
					for range 200 {
						instance := fmt.Sprintf("host-%d.example.com", i)
						switch res := a.Activate(t, key, instance); res.Status {
						case http.StatusOK:
							taken.Add(1)
							a.Deactivate(t, key, instance)
						case http.StatusTooManyRequests:
							refused.Add(1)
							testkit.WantFlatError(t, res, 429, "RATE_LIMIT_EXCEEDED")
							if got := res.Header.Get("Retry-After"); got != "3600" {
								t.Errorf("Retry-After = %q, want an hour", got)
							}
							return
						default: // another instance has the seat
							testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
						}
					}
				})
			}
			wg.Wait()
			if taken.Load() != 24 || refused.Load() == 0 { // one of the 25 was the keeper's
				t.Errorf("%d instances took the seat and %d were asked to wait, want 24", taken.Load(), refused.Load())
			}

			a.Clock.Advance(time.Hour)
			if res := a.Activate(t, key, "keeper.example.com"); res.Status != http.StatusOK {
				t.Errorf("an hour later = %d %s", res.Status, res.Body)
			}
			// The instance that has the seat is never asked to wait.
			if res := a.Activate(t, key, "keeper.example.com"); res.Status != http.StatusOK {
				t.Errorf("again = %d %s", res.Status, res.Body)
			}
			a.Deactivate(t, key, "keeper.example.com")
			testkit.WantFlatError(t, a.Activate(t, key, "keeper.example.com"), 429, "RATE_LIMIT_EXCEEDED")
		})
	}
}
