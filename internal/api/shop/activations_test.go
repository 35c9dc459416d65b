package shop_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit"
)

func TestDeactivatingFreesASeat(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "free") // one seat
		a.Activate(t, key, "a.example")
		testkit.WantFlatError(t, a.Activate(t, key, "b.example"), 400, "ACTIVATION_FAILED")

		first := a.Deactivate(t, key, " A.Example ")
		again := a.Deactivate(t, key, "a.example")
		never := a.Deactivate(t, key, "never.example")
		for _, res := range []testkit.Response{first, again, never} {
			if res.Status != http.StatusOK || res.Get(t, "license.currentInstances") != 0.0 ||
				res.Text(t, "license.licenseKey") != key {
				t.Errorf("deactivate = %d %s", res.Status, res.Body)
			}
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "a.example"), "not_activated")
		if res := a.Activate(t, key, "b.example"); res.Status != http.StatusOK ||
			res.Get(t, "license.currentInstances") != 1.0 {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
	})
}

func TestWhatNoLongerWorksCanBeDeactivated(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	root := a.Admin(t, "root")

	expired, revoked := a.BuyKey(t, "", "monthly"), a.BuyKey(t, "", "monthly")
	a.Activate(t, expired, "a.example")
	id := a.UseLicense(t, revoked)
	a.Clock.Advance(40 * 24 * time.Hour)
	a.Do(t, testkit.Post(root.Access, "/api/v1/admin/licenses/"+id+"/revoke", nil))
	for key, instance := range map[string]string{expired: "a.example", revoked: "first.example"} {
		res := a.Deactivate(t, key, instance)
		if res.Status != http.StatusOK || res.Get(t, "license.currentInstances") != 0.0 ||
			res.Text(t, "license.status") == "active" {
			t.Errorf("deactivate = %d %s", res.Status, res.Body)
		}
	}
}

func TestDeactivateRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")
	bare := a.Send(t, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"card"}`)
	other := bare.Text(t, "licenseKey")

	for _, tt := range []struct {
		name, slug string
		body       any
		status     int
		code       string
		issues     string
	}{
		{"nothing", "mail-pack", `{}`, 400, "VALIDATION_ERROR", "licenseKey instanceId"},
		{
			"long instance", "mail-pack",
			map[string]any{"licenseKey": key, "instanceId": strings.Repeat("ä", 254)},
			400, "VALIDATION_ERROR", "instanceId",
		},
		{"unknown product", "nope", map[string]any{"licenseKey": key, "instanceId": "a"}, 404, "NOT_FOUND", ""},
		{"typo", "mail-pack", map[string]any{"licenseKey": key + "X", "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{
			"unknown key", "mail-pack",
			map[string]any{"licenseKey": testkit.UnknownKey(), "instanceId": "a"},
			400, "ACTIVATION_FAILED", "",
		},
		{
			"key of another product", "mail-pack",
			map[string]any{"licenseKey": other, "instanceId": "a"},
			400, "ACTIVATION_FAILED", "",
		},
	} {
		res := a.Send(t, testkit.Products+"/"+tt.slug+"/deactivate", tt.body)
		testkit.WantFlatError(t, res, tt.status, tt.code)
		if got := testkit.IssuePaths(t, res); got != tt.issues {
			t.Errorf("%s: issues = %q, want %q", tt.name, got, tt.issues)
		}
	}
}

// Seats change hands many times in parallel: there is never one too many, and
// the counter is exact.
func TestSeatsThatChangeHandsStayExact(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "once") // three seats
		var (
			wg   sync.WaitGroup
			held atomic.Int32
		)
		for i := range 12 {
			wg.Go(func() {
				for range 8 {
					instance := fmt.Sprintf("host-%d.example", i)
					res := a.Activate(t, key, instance)
					if res.Status != http.StatusOK {
						testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
						continue
					}
					if n := held.Add(1); n > 3 {
						t.Errorf("%d instances hold a seat", n)
					}
					held.Add(-1)
					if res := a.Deactivate(t, key, instance); res.Status != http.StatusOK {
						t.Errorf("deactivate = %d %s", res.Status, res.Body)
					}
				}
			})
		}
		wg.Wait()
		if got := a.Deactivate(t, key, "none.example").Get(t, "license.currentInstances"); got != 0.0 {
			t.Errorf("currentInstances = %v, want 0: all were freed", got)
		}
	})
}

func TestActivateRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")
	bare := a.Send(t, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"card"}`)
	other := bare.Text(t, "licenseKey")
	typo := key[:len(key)-1] + map[bool]string{true: "0", false: "1"}[key[len(key)-1] != '0']

	tests := []struct {
		name, slug string
		body       any
		status     int
		code       string
		issues     string
	}{
		{"nothing", "mail-pack", `{}`, 400, "VALIDATION_ERROR", "licenseKey instanceId"},
		{
			"wrong types", "mail-pack", `{"licenseKey":5,"instanceId":false}`,
			400, "VALIDATION_ERROR", "licenseKey instanceId",
		},
		{
			"blank instance", "mail-pack",
			map[string]any{"licenseKey": key, "instanceId": " \t "},
			400, "VALIDATION_ERROR", "instanceId",
		},
		{
			"long instance", "mail-pack",
			map[string]any{"licenseKey": key, "instanceId": strings.Repeat("ä", 254)},
			400, "VALIDATION_ERROR", "instanceId",
		},
		{
			"NUL in instance", "mail-pack",
			map[string]any{"licenseKey": key, "instanceId": "a\x00b"},
			400, "VALIDATION_ERROR", "instanceId",
		},
		{"unknown product", "nope", map[string]any{"licenseKey": key, "instanceId": "a"}, 404, "NOT_FOUND", ""},
		{
			"unknown product and no key at all", "nope",
			map[string]any{"licenseKey": "x", "instanceId": "a"},
			404, "NOT_FOUND", "",
		},
		{"no key", "mail-pack", map[string]any{"licenseKey": "x", "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{"typo", "mail-pack", map[string]any{"licenseKey": typo, "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{
			"unknown key", "mail-pack",
			map[string]any{"licenseKey": testkit.UnknownKey(), "instanceId": "a"},
			400, "ACTIVATION_FAILED", "",
		},
		{
			"key of another product", "mail-pack",
			map[string]any{"licenseKey": other, "instanceId": "a"},
			400, "ACTIVATION_FAILED", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Send(t, testkit.Products+"/"+tt.slug+"/activate", tt.body)
			testkit.WantFlatError(t, res, tt.status, tt.code)
			if got := testkit.IssuePaths(t, res); got != tt.issues && tt.issues != "" {
				t.Errorf("issues = %q, want %q", got, tt.issues)
			}
		})
	}
	t.Run("the longest instance", func(t *testing.T) {
		t.Parallel()

		if res := a.Activate(t, a.BuyKey(t, "", "free"), strings.Repeat("ä", 253)); res.Status != http.StatusOK {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
	})
}

func TestActivatingAnInstanceAgainCostsNothing(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "free")
		first := a.Activate(t, key, "a.example")
		again := a.Activate(t, key, "A.EXAMPLE ")
		if string(first.Body) != string(again.Body) || again.Status != http.StatusOK {
			t.Errorf("again = %d %s\nfirst = %s", again.Status, again.Body, first.Body)
		}
		res := a.Activate(t, key, "b.example")
		testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
		if !strings.Contains(res.Text(t, "message"), "maximum number of instances") {
			t.Errorf("message = %q", res.Text(t, "message"))
		}
	})
}

// The promise of the README: a license with three seats never has a fourth.
func TestTheSeatLimitIsExactUnderParallelCalls(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "once") // three seats
		var (
			wg, ready sync.WaitGroup
			granted   atomic.Int32
			start     = make(chan struct{})
		)
		ready.Add(24)
		for i := range 24 {
			wg.Go(func() {
				// Connections first: opening them takes longer than the race.
				a.Verify(t, "mail-pack", key, "warm-up.example")
				ready.Done()
				<-start
				res := a.Activate(t, key, fmt.Sprintf("host-%d.example", i/2)) // each instance twice
				if res.Status == http.StatusOK {
					granted.Add(1)
				} else {
					testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
				}
			})
		}
		ready.Wait()
		close(start)
		wg.Wait()
		// Three instances, each of which activates twice.
		if granted.Load() != 6 {
			t.Errorf("%d calls were granted, want 6", granted.Load())
		}
		valid := 0
		for i := range 12 {
			if a.Verify(t, "mail-pack", key, fmt.Sprintf("host-%d.example", i)).Get(t, "valid") == true {
				valid++
			}
		}
		if valid != 3 {
			t.Errorf("%d instances are valid, want 3", valid)
		}
	})
}
