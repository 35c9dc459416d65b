package extension_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// What the service of an external plugin says of its health is shown with its instances,
// and calls go on.
func TestHealthOfExternalPluginsIsShown(t *testing.T) {
	t.Parallel()
	var status, probes, calls atomic.Int64
	status.Store(http.StatusOK)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			probes.Add(1)
			w.WriteHeader(int(status.Load()))
			return
		}
		calls.Add(1)
	}))
	t.Cleanup(srv.Close)
	const every = 50 * time.Millisecond
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.HealthInterval = every })
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("far", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	path := "/api/v1/admin/plugins/far/instances/" + fmt.Sprint(res.Get(t, "data.defaultInstance.installationId"))
	shown := func() testkit.Response { return a.Do(t, testkit.Get(admin, path)) }
	becomes := func(what, want string) (res testkit.Response) {
		t.Helper()
		waittest.Until(t, what, func() error {
			a.Clock.Advance(2 * every) // the next probe is due
			if res = shown(); res.Get(t, "data.runtime.state") != want {
				return fmt.Errorf("not %s: %s", want, res.Body)
			}
			return nil
		})
		return res
	}
	well := becomes("healthy", "running")
	since := well.Get(t, "data.runtime.since")
	for range 3 { // one after the other: what was not asked for long is unknown
		before := probes.Load()
		a.Clock.Advance(2 * every)
		waittest.True(t, "the next probe", func() bool { return probes.Load() > before })
	}
	if got := shown().Get(t, "data.runtime.since"); got != since {
		t.Errorf("healthy since %v, then since %v", since, got)
	}

	status.Store(http.StatusInternalServerError)
	ill := becomes("500", "unhealthy")
	if message, _ := ill.Get(t, "data.runtime.lastError.message").(string); !strings.Contains(message, "500") {
		t.Errorf("lastError = %q", message)
	}
	if over := ill.Get(t, "data.runtime.lastError.over"); over != nil {
		t.Errorf("over: %v", over)
	}
	if res := a.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/far/api/x")); res.Status != 200 || calls.Load() != 1 {
		t.Errorf("a call while unhealthy = %d", res.Status)
	}
	waittest.Until(t, "the metrics to show it", func() error { // they leave out what is late
		a.Clock.Advance(2 * every) // a probe that began before may have said otherwise last
		metrics := httptest.NewRecorder()
		a.OpsHandler().ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
		if !strings.Contains(metrics.Body.String(), `stoa_plugin_healthy{slug="far"} 0`) {
			return errors.New(metrics.Body.String())
		}
		return nil
	})

	status.Store(http.StatusNotFound) // the platform answers in its place
	again := becomes("404", "running")
	if over := again.Get(t, "data.runtime.lastError.over"); over != true {
		t.Errorf("healthy again: %s", again.Body)
	}

	a.Do(t, testkit.Patch(admin, path, map[string]any{"enabled": false}))
	if got := shown().Get(t, "data.runtime.state"); got != "unknown" {
		t.Errorf("a disabled instance is %v", got)
	}
	wantNotAsked(t, a, &probes, every)
}

// wantNotAsked checks that a plugin is asked for its health no more, but for one probe that was on its way.
func wantNotAsked(t *testing.T, a *testkit.App, probes *atomic.Int64, every time.Duration) {
	t.Helper()
	asked, calm := probes.Load(), 0 // some may have been on their way
	waittest.True(t, "no more probes", func() bool {
		time.Sleep(every / 5)
		now := probes.Load()
		if calm++; now != asked {
			asked, calm = now, 0
		}
		return calm == 20
	})
	for range 20 {
		a.Clock.Advance(2 * every)
		time.Sleep(every / 5)
	}
	if now := probes.Load(); now > asked+1 { // one may have been on its way for longer
		t.Errorf("a plugin without an enabled instance was asked %d times", now-asked)
	}
}

// Two replicas ask as often as one.
func TestOneReplicaAsksForHealth(t *testing.T) {
	t.Parallel()
	var probes atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { probes.Add(1) }))
	t.Cleanup(srv.Close)
	var shared app.Config
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.HealthInterval = 50 * time.Millisecond
		shared = *cfg
	})
	replica := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL, cfg.DataDir, cfg.MasterKey = shared.DatabaseURL, shared.DataDir, shared.MasterKey
		cfg.HealthInterval = shared.HealthInterval
	})
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("far", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	path := "/api/v1/admin/plugins/far/instances/" + fmt.Sprint(res.Get(t, "data.defaultInstance.installationId"))
	for _, process := range []*testkit.App{a, replica} {
		waittest.Until(t, "the state running", func() error {
			if state := process.Do(t, testkit.Get(admin, path)).Get(t, "data.runtime.state"); state != "running" {
				return fmt.Errorf("the state is %v", state)
			}
			return nil
		})
	}
	time.Sleep(200 * time.Millisecond) // the clock stands still: nothing is due
	if n := probes.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}
