package shop_test

import (
	"fmt"
	"net/http"
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

func TestDevelopmentInstancesAreCounted(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t, churning(1)) // which does not concern them

	key := a.BuyKey(t, "", "free")
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
	)
	for i := range 8 {
		wg.Go(func() {
			for j := range 126 { // eight more than there may be
				if res := a.Activate(t, key, fmt.Sprintf("d%d-%d.test", i, j)); res.Status == http.StatusOK {
					taken.Add(1)
				} else {
					testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() != 1000 {
		t.Errorf("%d development instances, want 1000", taken.Load())
	}
	if res := a.Activate(t, key, "prod.example.com"); res.Status != http.StatusOK {
		t.Errorf("the seat is not free: %d %s", res.Status, res.Body)
	}
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
						default: // somebody else has the seat
							testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
						}
					}
				})
			}
			wg.Wait()
			if taken.Load() != 24 || refused.Load() == 0 { // one of the 25 was the keeper's
				t.Errorf("%d instances took the seat and %d were told to wait, want 24", taken.Load(), refused.Load())
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
