package extension_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// withWorker returns a token of an administrator who installed the internal plugin
// worker with that entry module, and what the install answered.
func withWorker(tb testing.TB, a *testkit.App, entry string) (admin string, res testkit.Response) {
	tb.Helper()
	admin = a.Admin(tb, "root").Access
	manifest := testkit.InternalManifest("worker", "index.js")
	manifest["configSchema"] = map[string]any{
		"mode":   map[string]any{"type": "string"},
		"apiKey": map[string]any{"type": "secret"},
	}
	res = a.Install(tb, admin, "plugin", testkit.PluginArchive(tb, manifest, map[string]string{"index.js": entry}))
	if res.Status != http.StatusCreated {
		tb.Fatalf("install: %d\n%s", res.Status, res.Body)
	}
	return admin, res
}

const worker = "/api/v1/admin/plugins/worker"

func realTime(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now }

func shopGet(a *testkit.App, tb testing.TB, path string) testkit.Response {
	tb.Helper()
	return a.DoUnchecked(tb, testkit.Request{Method: "GET", Path: "/api/v1/shop/plugins/worker/api" + path})
}

func changeInstance(admin, id string, body any) testkit.Request {
	return testkit.Request{Method: "PATCH", Path: worker + "/instances/" + id, Token: admin, Body: body}
}

// A plugin that cannot be loaded is installed, disabled, and says where it fails.
// Every later start says so too, and shoppers get a clean 502.
func TestAPluginThatDoesNotLoadSaysWhere(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin, res := withWorker(t, a,
		"module.exports = async (app, opts) => {\n  if (!opts.mode) throw new Error('no mode')\n  if (opts.mode === "+
			"'bad') null.x\n  app.get('/api/mode', async () => opts.mode)\n}\n")
	id := res.Text(t, "data.defaultInstance.installationId")
	if res.Get(t, "data.defaultInstance.enabled") != false || res.Get(t, "data.defaultInstance.runtime.state") != "idle" {
		t.Errorf("installed: %s", res.Body)
	}
	wantError := func(res testkit.Response, at, message string, line float64) {
		t.Helper()
		got, _ := res.Get(t, at+"runtime.lastError").(map[string]any)
		if got == nil || got["file"] != "index.js" || got["line"] != line ||
			!strings.Contains(got["message"].(string), message) {
			t.Errorf("lastError = %v, want %q at index.js:%v", got, message, line)
		}
	}
	wantError(res, "data.defaultInstance.", "Error: no mode", 2)
	wantError(a.Do(t, testkit.Get(admin, worker+"/instances/"+id)), "data.", "Error: no mode", 2)
	wantAttention(t, a, admin, "worker 1.0.0 does not start, so it is disabled: Error: no mode")
	if list := string(a.Do(t, testkit.Get(admin, worker+"/instances")).Body); !strings.Contains(list, "no mode") {
		t.Errorf("list: %s", list)
	}

	on := a.Do(t, changeInstance(admin, id, map[string]any{"enabled": true, "config": map[string]any{"mode": "bad"}}))
	if on.Get(t, "data.enabled") != true {
		t.Errorf("enabled: %s", on.Body)
	}
	failing := untilFailing(t, a, admin, id) // nobody has called it
	wantError(failing, "data.", "TypeError", 3)
	wantAttention(t, a, admin, "worker 1.0.0: TypeError")
	// A restart forgets the failure, and finds it again.
	a.Do(t, changeInstance(admin, id, map[string]any{"enabled": false}))
	again := a.Do(t, changeInstance(admin, id, map[string]any{"enabled": true}))
	if again.Get(t, "data.enabled") != true {
		t.Errorf("restarted: %s", again.Body)
	}
	wantError(untilFailing(t, a, admin, id), "data.", "TypeError", 3)
	wantAttention(t, a, admin, "worker 1.0.0: TypeError")
	bad := shopGet(a, t, "/mode")
	if bad.Status != http.StatusBadGateway || bad.Text(t, "error.code") != "PLUGIN_UNREACHABLE" ||
		strings.Contains(string(bad.Body), "null") {
		t.Errorf("shoppers get %d %s", bad.Status, bad.Body)
	}

	good := a.Do(t, changeInstance(admin, id, map[string]any{"config": map[string]any{"mode": "good"}}))
	if good.Get(t, "data.runtime.lastError") != nil {
		t.Errorf("another version's failure is shown: %s", good.Body)
	}
	if res := shopGet(a, t, "/mode"); string(res.Body) != "good" {
		t.Errorf("got %d %s", res.Status, res.Body)
	}
	if st := a.Do(t, testkit.Get(admin, worker+"/instances/"+id)); st.Get(t, "data.runtime.state") != "running" {
		t.Errorf("state: %s", st.Body)
	}
}

// wantAttention waits until the overview tells of a failing instance with that text.
func wantAttention(tb testing.TB, a *testkit.App, admin, text string) {
	tb.Helper()
	waittest.Until(tb, "attention", func() error {
		body := string(a.Do(tb, testkit.Get(admin, "/api/v1/admin/overview")).Body)
		if strings.Contains(body, `"instance.failing"`) && strings.Contains(body, text) {
			return nil
		}
		return errors.New(body)
	})
}

// untilFailing waits until an instance is shown as failing, with the reason.
func untilFailing(tb testing.TB, a *testkit.App, admin, id string) (shown testkit.Response) {
	tb.Helper()
	waittest.Until(tb, "the failure", func() error {
		shown = a.Do(tb, testkit.Get(admin, worker+"/instances/"+id))
		if shown.Get(tb, "data.runtime.state") == "failing" && shown.Get(tb, "data.runtime.lastError") != nil {
			return nil
		}
		return errors.New(string(shown.Body))
	})
	return shown
}

// A cause may be mended without a change of instance or package. What a process says that works
// since then is more than what the one before it said.
func TestALastErrorThatIsOverSaysSo(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin, res := withWorker(t, a, `module.exports = async (app) => {
	  if (!process.env.TOKEN) throw new Error('no token')
	  app.get('/api/ok', async () => 'ok')
	}`)
	id := res.Text(t, "data.defaultInstance.installationId")
	shown := func() testkit.Response { return a.Do(t, testkit.Get(admin, worker+"/instances/"+id)) }
	a.Do(t, changeInstance(admin, id, map[string]any{"enabled": true}))
	failing := untilFailing(t, a, admin, id)
	if failing.Get(t, "data.runtime.lastError.over") != nil {
		t.Errorf("failing: %s", failing.Body)
	}
	a.Do(t, testkit.Request{Method: "PATCH", Path: worker, Token: admin, Body: map[string]any{
		"environment": map[string]any{"TOKEN": "x"},
	}})
	waittest.Until(t, "its start", func() error {
		if shopGet(a, t, "/ok").Status == http.StatusOK {
			return nil
		}
		return errors.New(string(shown().Body))
	})
	running := shown()
	if running.Get(t, "data.runtime.state") != "running" || running.Get(t, "data.runtime.lastError.over") != true ||
		running.Text(t, "data.runtime.lastError.message") != "Error: no token" ||
		running.Text(t, "data.runtime.since") <= running.Text(t, "data.runtime.lastError.at") {
		t.Errorf("running: %s", running.Body)
	}
}

func changeSettings(tb testing.TB, a *testkit.App, admin string, settings map[string]any) {
	tb.Helper()
	res := a.Do(tb, testkit.Request{Method: "PATCH", Path: worker, Token: admin, Body: settings})
	for name, want := range settings {
		if got := res.Get(tb, "data.settings."+name); got != want {
			tb.Fatalf("%s is %v, want %v: %d %s", name, got, want, res.Status, res.Body)
		}
	}
}

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
		t.Errorf("%d calls were refused, want 1", refused.Load())
	}
	changeSettings(t, a, admin, map[string]any{"maxConcurrency": nil})
}

// What was running finishes what it is answering: a changed config, changed
// settings and a disabled instance drop no request.
func TestChangesDropNoRequest(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"instance", "shared"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			changesDropNoRequest(t, isolation)
		})
	}
}

func changesDropNoRequest(t *testing.T, isolation string) {
	t.Helper()
	a := testkit.New(t, realTime)
	admin, res := withWorker(t, a, `module.exports = async (app, opts) => {
	  app.get('/api/mode', async () => { await new Promise((resolve) => setTimeout(resolve, 30)); return { mode: opts.mode, word: process.env.WORD } })
	  app.get('/api/slow', async () => { await new Promise((resolve) => setTimeout(resolve, 1000)); return 'done' })
	}`)
	id := res.Text(t, "data.defaultInstance.installationId")
	changeSettings(t, a, admin, map[string]any{"isolation": isolation})
	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var answered atomic.Int64
	for range 6 {
		callers.Go(func() {
			for ctx.Err() == nil {
				if res := shopGet(a, t, "/mode"); res.Status != http.StatusOK {
					t.Errorf("a request was dropped: %d %s", res.Status, res.Body)
				}
				answered.Add(1)
			}
		})
	}
	for i := range 4 {
		mode := string(rune('a' + i))
		if res := a.Do(t, changeInstance(admin, id,
			map[string]any{"config": map[string]any{"mode": mode}})); res.Status != http.StatusOK {
			t.Fatalf("change: %d %s", res.Status, res.Body)
		}
		if res := shopGet(a, t, "/mode"); res.Text(t, "mode") != mode {
			t.Errorf("after the change to %s: %s", mode, res.Body)
		}
	}
	settings := testkit.Request{
		Method: "PATCH", Path: worker, Token: admin,
		Body: map[string]any{"environment": map[string]any{"WORD": "swordfish"}},
	}
	if res := a.Do(t, settings); res.Status != http.StatusOK || strings.Contains(string(res.Body), "swordfish") {
		t.Errorf("settings: %d %s", res.Status, res.Body)
	}
	if res := shopGet(a, t, "/mode"); res.Text(t, "word") != "swordfish" {
		t.Errorf("after the change of the settings: %s", res.Body)
	}
	stop()
	callers.Wait()
	t.Logf("%d requests were answered meanwhile", answered.Load())

	slow := make(chan testkit.Response, 1)
	go func() { slow <- shopGet(a, t, "/slow") }()
	for running := false; !running; { // until the slow call has reached the plugin
		res := a.Do(t, testkit.Get(admin, worker+"/instances/"+id))
		running = res.Get(t, "data.runtime.state") == "running"
	}
	time.Sleep(100 * time.Millisecond)
	a.Do(t, changeInstance(admin, id, map[string]any{"enabled": false}))
	if res := shopGet(a, t, "/mode"); res.Status != http.StatusNotFound {
		t.Errorf("a call of a disabled instance: %d", res.Status)
	}
	if res := <-slow; res.Status != http.StatusOK || string(res.Body) != "done" {
		t.Errorf("a call that was running when the instance was disabled: %d %s", res.Status, res.Body)
	}
}

func TestLogsOfAnInstance(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin, res := withWorker(t, a, `module.exports = async (app, opts) => {
	  console.log('printed with ' + opts.apiKey)
	  app.get('/api/say', async (req) => { req.log.warn('said ' + req.query.word); return 'ok' })
	  app.get('/api/throw', async () => {
	    throw new Error('thrown')
	  })
	}`)
	id := res.Text(t, "data.defaultInstance.installationId")
	a.Do(t, changeInstance(admin, id, map[string]any{"config": map[string]any{"apiKey": "swordfish-1"}}))
	logs := worker + "/instances/" + id + "/logs"
	shopGet(a, t, "/say?word=one")
	requestID := shopGet(a, t, "/throw").Header.Get("X-Request-Id")

	follow, _ := http.NewRequestWithContext(t.Context(), "GET", a.URL+logs+"?follow=true", nil)
	follow.Header.Set("Authorization", "Bearer "+admin)
	stream, err := a.Client.Do(follow)
	if err != nil || stream.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("follow: %v, %v", stream, err)
	}
	defer stream.Body.Close()
	events := make(chan map[string]any, 100)
	go func() {
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var entry map[string]any
				if json.Unmarshal([]byte(data), &entry) != nil {
					t.Errorf("event: %s", data)
				}
				events <- entry
			}
		}
	}()
	await := func(message string) map[string]any {
		t.Helper()
		for {
			select {
			case e := <-events:
				if text, _ := e["message"].(string); strings.Contains(text, message) {
					return e
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("no event says %q", message)
			}
		}
	}
	if e := await("printed with"); e["message"] != "printed with [secret]" || e["source"] != "plugin" ||
		e["level"] != "info" {
		t.Errorf("printed: %v", e)
	}
	if e := await("plugin process ready"); e["source"] != "stoa" {
		t.Errorf("ready: %v", e)
	}
	if e := await("said one"); e["level"] != "warn" {
		t.Errorf("logged: %v", e)
	}
	if e := await("failed to answer"); e["level"] != "error" || e["file"] != "index.js" || e["line"] != 5.0 ||
		e["requestId"] != requestID || !strings.Contains(e["error"].(string), "Error: thrown") {
		t.Errorf("an exception: %v", e)
	}
	shopGet(a, t, "/say?word=two") // while it is followed
	last := await("said two")

	kept := a.Do(t, testkit.Get(admin, logs))
	items, _ := kept.Get(t, "data.items").([]any)
	if len(items) < 5 || strings.Contains(string(kept.Body), "swordfish") {
		t.Errorf("kept: %s", kept.Body)
	}
	number := strconv.FormatInt(int64(last["number"].(float64)), 10)
	after := a.Do(t, testkit.Get(admin, logs+"?after="+number))
	if got, _ := after.Get(t, "data.items").([]any); len(got) != 0 {
		t.Errorf("after %s: %s", number, after.Body)
	}
	for query, want := range map[string]string{
		"after=x&follow=maybe":       "follow wrong_type, after wrong_type",
		"after=-1":                   "after out_of_range",
		"level=error&page=2":         "level unknown_value, page unknown_value",
		"follow=true&level=error":    "level unknown_value",
		"after=99999999999999999999": "after out_of_range",
	} {
		refused := a.Do(t, testkit.Get(admin, logs+"?"+query))
		testkit.WantError(t, refused, http.StatusBadRequest, "VALIDATION_ERROR")
		var got []string
		for _, is := range refused.Get(t, "error.details.issues").([]any) {
			got = append(got, fmt.Sprintf("%s %s", is.(map[string]any)["path"], is.(map[string]any)["code"]))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: faults %v, want %s", query, got, want)
		}
	}
	testkit.WantError(t, a.Do(t,
		testkit.Get(admin, worker+"/instances/0fced972-3a2a-4a47-8f11-f7ea107fb2b8/logs?follow=true")), http.StatusNotFound,
		"NOT_FOUND")
	testkit.WantError(t, a.Do(t, testkit.Get("", logs)), http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, a.Do(t, testkit.Get(a.Register(t, "ada").Access, logs)), http.StatusForbidden, "FORBIDDEN")
}

// keepRunning: scheduled work goes on without a call, and again after a crash.
func TestKeptRunningWithoutACall(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, res := withWorker(t, a,
			"module.exports = async (app) => { setInterval(() => { console.log('tick ' + process.pid) }, 50); "+
				"app.get('/api/die', () => process.exit(1)) }")
		id := res.Text(t, "data.defaultInstance.installationId")
		state := func(want string) {
			t.Helper()
			deadline := time.Now().Add(2 * time.Minute)
			for got := any(nil); got != want; {
				if got = a.Do(t, testkit.Get(admin, worker+"/instances/"+id)).Get(t,
					"data.runtime.state"); time.Now().After(deadline) {
					t.Fatalf("state %v, want %s", got, want)
				}
				time.Sleep(20 * time.Millisecond)
			}
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
		state("failing")
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

// The headers that describe the client's connection to a plugin come from stoa, never from the client,
// and a plugin's rate limit counts the client.
func TestPluginsKnowTheClient(t *testing.T) {
	t.Parallel()

	entry := "module.exports = async (app) => { app.get('/api/who', async (r) => ({ ip: r.ip, protocol: r.protocol, " +
		"host: r.host, ips: r.ips.length, raw: r.headers['x-forwarded-port'] ?? null })) }"
	forged := http.Header{
		"X-Forwarded-For": {"198.51.100.1, 203.0.113.9"}, "X_Forwarded_For": {"198.51.100.2"}, "X-Forwarded-Proto": {"https"},
		"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Port": {"1"}, "Forwarded": {"for=198.51.100.3"},
	}
	for name, tt := range map[string]struct {
		trusted      []netip.Prefix
		ip, protocol string
	}{
		"no proxy":      {nil, "127.0.0.1", "http"},
		"trusted proxy": {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "203.0.113.9", "https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.New(t, realTime, func(_ testing.TB, cfg *app.Config) { cfg.TrustedProxies = tt.trusted })
			withWorker(t, a, entry)
			res := a.DoUnchecked(t, testkit.Request{Method: "GET", Path: "/api/v1/shop/plugins/worker/api/who", Header: forged})
			want := map[string]any{
				"ip": tt.ip, "protocol": tt.protocol, "host": strings.TrimPrefix(a.URL, "http://"),
				"ips": 2.0, "raw": nil,
			}
			if diff := cmp.Diff(want, res.JSON(t)); diff != "" {
				t.Errorf("%d (-want +got):\n%s", res.Status, diff)
			}
		})
	}
}
