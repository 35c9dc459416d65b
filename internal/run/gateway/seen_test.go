package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/gateway"
	"stoa/internal/run/traffic"
	"stoa/internal/testkit/waittest"
)

// ended collects the calls that the gateway reports as ended.
type ended struct{ list chan gateway.Ended }

func (k *kit) watch() *ended {
	e := &ended{make(chan gateway.Ended, 8)}
	k.Ended = func(_ *http.Request, x gateway.Ended) { e.list <- x }
	return e
}

func (e *ended) next(tb testing.TB) gateway.Ended {
	tb.Helper()
	return waittest.Next(tb, "the end of a call", e.list)
}

func TestACallIsCountedByItsOutcome(t *testing.T) {
	t.Parallel()
	status := func(status int) func(*kit) {
		return func(k *kit) {
			k.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		}
	}
	set := func(change func(in *plugin.Installed)) func(*kit) { return func(k *kit) { k.finder.change(change) } }
	for _, tt := range []struct {
		name, target string
		body         io.Reader
		prepare      func(k *kit)
		outcome      traffic.Outcome
		class        int
		found        bool
	}{
		{"an answer", "/api/x", nil, status(204), traffic.OK, 2, true},
		{"the plugin's 404", "/api/x", nil, status(404), traffic.OK, 4, true},
		{"the plugin's 503", "/api/x", nil, status(503), traffic.PluginError, 5, true},
		{"an unknown instance", "/api/x?installation=us", nil, nil, traffic.NotFound, 4, false},
		{"a refused path", "/api/..%2fx", nil, nil, traffic.NotFound, 4, false},
		{"a missing permission", "/api/x", nil, set(func(in *plugin.Installed) {
			in.Package.Manifest.RoutePermissions = []plugin.RoutePermission{
				{Method: "*", Path: "/api/*", Permission: "orders:write"},
			}
		}), traffic.Permission, 4, true},
		{"a body that is too large", "/api/x", bodyOf(11 << 20), nil, traffic.Refused, 4, true},
		{"a closed port", "/api/x", nil, set(func(in *plugin.Installed) {
			in.Package.Manifest.ExternalBaseURL = "http://127.0.0.1:1"
		}), traffic.Unreachable, 5, true},
		{"a slow answer", "/api/x", nil, func(k *kit) {
			k.answer = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			k.finder.change(func(in *plugin.Installed) { in.Package.Settings.TimeoutMs = 1 })
		}, traffic.Timeout, 5, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			if tt.prepare != nil {
				tt.prepare(k)
			}
			watch := k.watch()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.front.URL+tt.target, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if res, err := k.client.RoundTrip(r); err == nil { // a refused upload may fail
				_ = res.Body.Close()
			}
			got := watch.next(t)
			if got.Outcome != tt.outcome || got.Status/100 != tt.class || (got.InstallationID != "") != tt.found {
				t.Errorf("%v, status %d, installation %q; want %v, %dxx", got.Outcome, got.Status, got.InstallationID,
					tt.outcome, tt.class)
			}
			report := k.Memory.Traffic.Plugin("pay", k.Now())
			if counted := report.Hour.Calls == 1; counted != tt.found {
				t.Errorf("%d calls of the plugin", report.Hour.Calls)
			}
		})
	}
}

func TestAnAnswerThatBreaksOffIsCountedAsBrokenOff(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "part")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	watch := k.watch()
	res := k.do(t, "GET", "/api/x", nil, nil)
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the answer is complete")
	}
	if got := watch.next(t); got.Outcome != traffic.BrokenOff || got.Status != 200 || got.Bytes != 4 {
		t.Errorf("%v, %d, %d bytes", got.Outcome, got.Status, got.Bytes)
	}
}

func TestAClientThatLeavesIsNoError(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	arrived := make(chan struct{})
	k.answer = func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}
	watch := k.watch()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.front.URL+"/api/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if res, err := k.client.RoundTrip(r); err == nil {
			_ = res.Body.Close()
		}
	})
	<-arrived
	leave()
	wg.Wait()
	got := watch.next(t)
	if got.Outcome != traffic.ClientGone || got.Status != 0 {
		t.Errorf("%v, %d", got.Outcome, got.Status)
	}
	if hour := k.Memory.Traffic.All(k.Now()).Hour; hour.Calls != 1 || hour.Errors != 0 {
		t.Errorf("%d calls, %d errors", hour.Calls, hour.Errors)
	}
}

// The client's upload counts neither as stoa's time nor as the plugin's, and the plugin's time
// does not count as stoa's.
func TestTimesOfStoaAndOfThePluginAreSeparate(t *testing.T) {
	t.Parallel()
	const pause = 50 * time.Millisecond
	k := newKit(t)
	var each time.Duration // of the upload, and then of the plugin
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-time.After(each)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-time.After(pause)
	}
	watch := k.watch()
	waittest.Within(t, "times of stoa and of the plugin", func(limit time.Duration) error {
		each = limit
		pr, pw := io.Pipe()
		go func() {
			<-time.After(each)
			_, _ = io.WriteString(pw, "slow")
			_ = pw.Close()
		}()
		_, _ = io.Copy(io.Discard, k.do(t, "POST", "/api/x", pr, nil).Body)
		got := watch.next(t)
		if got.Platform >= each || got.Plugin < each || got.Plugin >= 2*each ||
			got.Total < got.Platform+got.Plugin+each {
			return fmt.Errorf("stoa %v, plugin %v, in all %v; client and plugin took %v each",
				got.Platform, got.Plugin, got.Total, each)
		}
		return nil
	})
}

func TestEndedNamesCallerPluginAndPath(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.who = reqctx.Caller{Service: "erp"}
	watch := k.watch()
	k.do(t, "GET", "/api/a%2Fb?installation=eu&token=secret", nil, nil)
	got := watch.next(t)
	if got.Slug != "pay" || got.Path != "/api/a%2Fb" || got.InstallationID != "id-eu" || got.Caller != gateway.CallerService {
		t.Errorf("%+v", got)
	}
}

const sentTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

var traceparent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

func TestATraceReachesThePlugin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		sent      http.Header
		continued bool
		state     string
	}{
		{"none", nil, false, ""},
		{"valid", http.Header{"Traceparent": {sentTrace}, "Tracestate": {"a=1"}}, true, "a=1"},
		{"malformed", http.Header{"Traceparent": {sentTrace + "-"}, "Tracestate": {"a=1"}}, false, ""},
		{"twice", http.Header{"Traceparent": {sentTrace, sentTrace}}, false, ""},
		{"in another spelling", http.Header{"traceparent": {sentTrace}}, true, ""},
		{"state alone", http.Header{"Tracestate": {"a=1"}}, false, ""},
		{"malformed state", http.Header{"Traceparent": {sentTrace}, "Tracestate": {"a"}}, true, ""},
	} {
		k := newKit(t)
		watch := k.watch()
		k.do(t, "GET", "/api/x", nil, tt.sent)
		got := k.next(t).Header
		parent := strings.Join(got["Traceparent"], " ")
		if !traceparent.MatchString(parent) || strings.Contains(parent, sentTrace[36:52]) ||
			strings.Contains(parent, sentTrace[3:35]) != tt.continued {
			t.Errorf("%s: traceparent %q", tt.name, parent)
		}
		if state := strings.Join(got["Tracestate"], " "); state != tt.state {
			t.Errorf("%s: tracestate %q, want %q", tt.name, state, tt.state)
		}
		if x := watch.next(t); x.Trace.TraceID() != parent[3:35] || x.Trace.SpanID() != parent[36:52] {
			t.Errorf("%s: reported %s %s, sent %s", tt.name, x.Trace.TraceID(), x.Trace.SpanID(), parent)
		}
	}
}

func TestDeliveriesHaveATrace(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	in, err := k.finder.ByKey(t.Context(), "pay", "default")
	if err != nil {
		t.Fatal(err)
	}
	req := gateway.Request{In: *in, Secrets: secrets, Path: "/__lifecycle/onEnable", Body: []byte("{}"), ID: "h1", Attempt: 1}
	if _, err := k.Deliver(t.Context(), k.Runtimes[plugin.External], req, 0); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(k.next(t).Header["Traceparent"], " "); !traceparent.MatchString(got) {
		t.Errorf("traceparent %q", got)
	}
}
