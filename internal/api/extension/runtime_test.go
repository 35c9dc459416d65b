package extension_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

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
		strings.Contains(string(bad.Body), ":null") {
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
	  let slow = 0
	  app.get('/api/mode', async () => {
	    await new Promise((resolve) => setTimeout(resolve, 30))
	    return { mode: opts.mode, word: process.env.WORD, slow }
	  })
	  app.get('/api/slow', async () => { slow++; await new Promise((resolve) => setTimeout(resolve, 1000)); return 'done' })
	}`)
	id := res.Text(t, "data.defaultInstance.installationId")
	changeSettings(t, a, admin, map[string]any{"isolation": isolation})
	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var answered atomic.Int64
	for range needtest.Rounds(2, 6) {
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
	waittest.True(t, "the slow call has reached the plugin", func() bool {
		return shopGet(a, t, "/mode").Get(t, "slow") == 1.0
	})
	a.Do(t, changeInstance(admin, id, map[string]any{"enabled": false}))
	if res := shopGet(a, t, "/mode"); res.Status != http.StatusNotFound {
		t.Errorf("a call of a disabled instance: %d", res.Status)
	}
	if res := <-slow; res.Status != http.StatusOK || string(res.Body) != "done" {
		t.Errorf("a call that was running when the instance was disabled: %d %s", res.Status, res.Body)
	}
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
