package extension_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// The setting isolation, for all instances of a package (contract 4.8).
func TestInstancesShareAProcessOnDemand(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin, _ := withWorker(t, a, `module.exports = async (app, opts) => {
	  globalThis.apps = (globalThis.apps ?? 0) + 1
	  app.get('/api/who', async (r) => ({ mode: opts.mode, key: r.headers['x-installation-key'], apps: globalThis.apps }))
	}`)
	created := a.Do(t, testkit.Request{Method: "POST", Path: worker + "/instances", Token: admin, Body: map[string]any{
		"instanceKey": "second", "enabled": true, "config": map[string]any{"mode": "b"},
	}})
	if created.Status != http.StatusCreated {
		t.Fatalf("second instance: %d %s", created.Status, created.Body)
	}
	who := func(key string, apps float64) {
		t.Helper()
		res := shopGet(a, t, "/who?installation="+key)
		mode := map[string]any{"second": "b"}[key]
		if res.Get(t, "key") != key || res.Get(t, "mode") != mode || res.Get(t, "apps") != apps {
			t.Errorf("%s answers %s, want mode %v and %v applications in its process", key, res.Body, mode, apps)
		}
	}
	who("default", 1)
	who("second", 1)
	changeSettings(t, a, admin, map[string]any{"isolation": "shared"})
	who("default", 1)
	who("second", 2)
	who("default", 2)
	changeSettings(t, a, admin, map[string]any{"isolation": "instance"})
	who("second", 1)
}

// The setting maxConcurrency: so many calls of an instance run, as many wait, and the next gets a
// Retry-After.
func TestCallsBeyondMaxConcurrencyWait(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin, _ := withWorker(t, a, `module.exports = async (app) => {
	  let running = 0, most = 0
	  app.get('/api/slow', async () => {
	    most = Math.max(most, ++running)
	    await new Promise((resolve) => setTimeout(resolve, 300))
	    running--
	    return { most }
	  })
	}`)
	changeSettings(t, a, admin, map[string]any{"maxConcurrency": 2.0})
	shopGet(a, t, "/slow") // starts it
	// On a busy machine, calls of a round may miss each other, or wait for longer than a call may.
	waittest.Until(t, "a round in which one call of five is refused", func() error {
		var callers sync.WaitGroup
		var refused atomic.Int64
		for range 5 {
			callers.Go(func() {
				res := shopGet(a, t, "/slow")
				switch {
				case res.Status == http.StatusServiceUnavailable:
					refused.Add(1)
					testkit.WantError(t, res, http.StatusServiceUnavailable, "PLUGIN_BUSY")
					if res.Header.Get("Retry-After") != "1" || res.Get(t, "error.details.slug") != "worker" {
						t.Errorf("refused: Retry-After %q, %s", res.Header.Get("Retry-After"), res.Body)
					}
				case res.Status != http.StatusOK || res.Get(t, "most").(float64) > 2:
					t.Errorf("got %d %s", res.Status, res.Body)
				}
			})
		}
		callers.Wait()
		if refused.Load() != 1 {
			return fmt.Errorf("%d calls were refused", refused.Load())
		}
		return nil
	})
	changeSettings(t, a, admin, map[string]any{"maxConcurrency": nil})
}

// keepRunning: scheduled work goes on without a call, and again after a crash.
func TestKeptRunningWithoutACall(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, res := withWorker(t, a,
			"module.exports = async (app) => { setInterval(() => { console.log('tick ' + process.pid) }, 50); "+
				"app.get('/api/die', () => process.exit(1)) }")
		id := res.Text(t, "data.defaultInstance.installationId")
		runtime := func(field string, is func(any) bool) {
			t.Helper()
			waittest.Until(t, "the instance's "+field, func() error {
				got := a.Do(t, testkit.Get(admin, worker+"/instances/"+id)).Get(t, "data.runtime."+field)
				if is(got) {
					return nil
				}
				return fmt.Errorf("%s is %v", field, got)
			})
		}
		state := func(want string) {
			t.Helper()
			runtime("state", func(got any) bool { return got == want })
		}
		state("idle")
		keep := func(on bool) {
			t.Helper()
			res := a.Do(t, testkit.Request{Method: "PATCH", Path: worker, Token: admin, Body: map[string]any{"keepRunning": on}})
			if res.Get(t, "data.settings.keepRunning") != on {
				t.Fatalf("settings: %d %s", res.Status, res.Body)
			}
		}
		keep(true)
		state("running")
		shopGet(a, t, "/die")
		// The first crash delays nothing, so "failing" may be over before anybody looks; the error stays.
		runtime("lastError", func(got any) bool { return got != nil })
		state("running")
		a.Do(t, changeInstance(admin, id, map[string]any{"enabled": false}))
		state("idle")
		a.Do(t, changeInstance(admin, id, map[string]any{"enabled": true}))
		state("running")
		keep(false)
		state("idle")
	})
}

func TestSettingsWithFaultsAreRefusedWithAllOfThem(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, _ := withWorker(t, a, "module.exports = async () => {}")
	res := a.Do(t, testkit.Request{
		Method: "PATCH", Path: worker, Token: admin,
		Body: map[string]any{"allowCookies": 1, "isolation": "none", "memoryMb": 1},
	})
	testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	if issues, _ := res.Get(t, "error.details.issues").([]any); len(issues) != 3 {
		t.Errorf("issues: %s", res.Body)
	}
	testkit.WantError(t, a.Do(t, testkit.Request{Method: "PATCH", Path: worker, Body: map[string]any{}}),
		http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, a.Do(t,
		testkit.Request{Method: "PATCH", Path: "/api/v1/admin/plugins/none", Token: admin, Body: map[string]any{}}),
		http.StatusNotFound, "NOT_FOUND")
}
