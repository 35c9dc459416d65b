package telemetry_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"stoa/internal/app"
	"stoa/internal/operate/telemetry"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/redistest"
	"stoa/internal/testkit/waittest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The tests are not parallel: OpenTelemetry is configured by the environment.

func sending(_ testing.TB, cfg *app.Config) { cfg.Telemetry = true }

const (
	parentTrace = "0af7651916cd43dd8448eb211c80319c"
	parentSpan  = "b7ad6b7169203331"
	sampled     = "00-" + parentTrace + "-" + parentSpan + "-01"
)

// ofTrace matches a span by name and trace.
func ofTrace(name, id string) func(*tracepb.Span) bool {
	return func(s *tracepb.Span) bool { return s.Name == name && traceID(s) == id }
}

// A call to a plugin is one trace, from the client's part to the plugin's: the parts know one
// another, the log and the error answer name the trace, and the metrics arrive beside it.
func TestACallIsOneTrace(t *testing.T) {
	rc := newReceiver(t)
	var log logtest.Buffer
	e := testkit.New(t, sending, func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() }).InstallEcho(t, nil)
	e.Do(t, testkit.Request{
		Method: "GET", Path: testkit.EchoPath + "/api/a/b?q=1",
		Header: http.Header{"Traceparent": {sampled}, "Tracestate": {"vendor=1"}},
	})
	edge := rc.wait(t, "the request", ofTrace("GET /api/v1/shop/plugins/{slug}/api/{path...}", parentTrace))
	if spanID(edge) == "" || fmt.Sprintf("%x", edge.ParentSpanId) != parentSpan {
		t.Errorf("the request is not part of the client's span: %x", edge.ParentSpanId)
	}
	gate := rc.wait(t, "the gateway", below(edge, "gateway"))
	if got := attributes(gate.Attributes); got["stoa.plugin.slug"] != "echo" || got["stoa.installation.id"] != e.ID ||
		got["stoa.outcome"] != "ok" || got["stoa.caller"] != "shop" {
		t.Errorf("the gateway's span says %v", got)
	}
	plugin := rc.wait(t, "the plugin", below(gate, "plugin"))
	var reached *http.Request
	for r := e.Reached(); r != nil; r = e.Reached() { // hooks come, too
		if strings.HasPrefix(r.RequestURI, "/api/") {
			reached = r
		}
	}
	if reached == nil || reached.Header.Get("Traceparent") != "00-"+parentTrace+"-"+spanID(plugin)+"-01" ||
		reached.Header.Get("Tracestate") != "vendor=1" {
		t.Errorf("the plugin did not get its part of the trace: %v", reached)
	}
	if !strings.Contains(log.String(), "traceId="+parentTrace) {
		t.Error("the log does not name the trace")
	}

	res := e.Do(t, testkit.Request{
		Method: "GET", Path: "/api/marketplace/products/nothing", Header: http.Header{"Traceparent": {sampled}},
	})
	if got := res.Header.Get("X-Trace-Id"); res.Status != http.StatusNotFound || got != parentTrace {
		t.Errorf("an error names the trace %q", got)
	}
	about := rc.wait(t, "the product", ofTrace("GET /api/marketplace/products/{slug}", parentTrace))
	query := rc.wait(t, "a statement", below(about, "SELECT "))
	if got := attributes(query.Attributes); got["db.system.name"] != "sqlite" || got["db.operation.name"] != "SELECT" ||
		got["db.collection.name"] == "" {
		t.Errorf("the statement's span says %v", got)
	}
	rc.mu.Lock()
	resource := attributes(rc.resource)
	rc.mu.Unlock()
	if got := resource; got["service.name"] != "stoa" || got["service.version"] == "" {
		t.Errorf("the resource is %v", got)
	}
	waittest.Until(t, "the metrics", func() error {
		rc.mu.Lock()
		defer rc.mu.Unlock()
		if rc.metrics["stoa_http_request_duration_seconds"] == 0 {
			return fmt.Errorf("only %v arrived", rc.metrics)
		}
		return nil
	})
}

// What stoa sends in the background is a separate trace, linked to the request that caused
// it, on both engines.
func TestDeliveriesAreLinkedToTheirCause(t *testing.T) {
	for _, engine := range []struct {
		name    string
		options []testkit.Option
	}{
		{"SQLite", nil},
		{"PostgreSQL", []testkit.Option{testkit.OnPostgres}},
	} {
		t.Run(engine.name, func(t *testing.T) {
			rc := newReceiver(t)
			received := make(chan string, 16)
			hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				received <- r.Header.Get("Traceparent")
			}))
			defer hook.Close()
			e := testkit.New(t, append(engine.options, sending)...).InstallEcho(t, map[string]any{
				"lifecycle": map[string]any{"onInstall": true},
			})
			install := rc.wait(t, "the installation", named("POST /api/v1/admin/extensions/{kind}/install"))
			delivery := rc.wait(t, "a hook", named("deliver hook"))
			if len(delivery.Links) != 1 || string(delivery.Links[0].TraceId) != string(install.TraceId) ||
				string(delivery.TraceId) == string(install.TraceId) {
				t.Errorf("the hook is not linked to the installation: %v", delivery)
			}
			rc.wait(t, "the plugin's part of a hook", below(delivery, "plugin"))

			res := e.Do(t, testkit.Post(e.Admin.Access, "/api/v1/admin/webhooks", map[string]any{
				"url": hook.URL, "events": []string{"user.*"}, "enabled": true,
			}))
			if res.Status != http.StatusCreated {
				t.Fatal(res.Status)
			}
			e.Do(t, testkit.Request{
				Method: "POST", Path: "/auth/register", Header: http.Header{"Traceparent": {sampled}},
				Body: map[string]any{"username": "ada", "email": "ada@example.com", "password": "secret-1815"},
			})
			message := rc.wait(t, "a webhook", named("deliver webhook"))
			if len(message.Links) != 1 || fmt.Sprintf("%x", message.Links[0].TraceId) != parentTrace {
				t.Errorf("the webhook is not linked to the registration: %v", message)
			}
			if got := waittest.Next(t, "the webhook's call", received); !strings.Contains(got, traceID(message)) {
				t.Errorf("the webhook got the trace %q", got)
			}
		})
	}
}

// Spans leave the machine. Nothing of what a client, a user or an operator keeps to themselves
// does: no secret, no e-mail address, no query, no path as it was sent.
func TestSpansCarryNoSecretsNoMailAddressesNoQueries(t *testing.T) {
	rc := newReceiver(t)
	redis := redistest.New(t)
	a := testkit.NewShop(t, sending, func(_ testing.TB, cfg *app.Config) {
		cfg.RateLimits, cfg.RedisURL, cfg.SMTPPassword = true, redis.URL, "sesame-smtp"
		cfg.RedisTimeout = time.Minute // a busy machine may be late
	})
	e := a.InstallEcho(t, nil)
	user := a.Register(t, "sesameuser")
	key := a.BuyKey(t, user.Access, "once")
	secrets := []string{"sesame", user.Access, user.Refresh, key, e.Admin.Access, "@example", testkit.MasterKey, a.DataDir}
	for _, req := range []testkit.Request{
		testkit.Get(user.Access, testkit.EchoPath+"/api/sesame-path?sesame-query=1&email=x@example.com"),
		testkit.Get("", "/api/v1/shop/plugins/sesame-slug/api/x"),
		testkit.Get("", "/sesame/unknown"),
		testkit.SignIn("sesameuser@example.com", "sesame-wrong"),
		{Method: "POST", Path: "/auth/forgot-password", Body: map[string]any{"email": "sesameuser@example.com"}},
		{Method: "SESAME", Path: "/livez"},
		{
			Method: "GET", Path: "/api/marketplace/products?q=sesame", Header: http.Header{
				"Cookie": {"a=sesame"}, "Tracestate": {"a=b"}, "User-Agent": {"sesame"}, "X-Theme-App-Token": {"sesame"},
			},
		},
		testkit.Get(e.Admin.Access, "/api/v1/admin/users?q=sesame@example.com"),
		testkit.Get(e.Admin.Access, "/api/v1/admin/plugins/echo/secret"),
	} {
		a.DoUnchecked(t, req)
	}
	a.Activate(t, key, "sesame.example.org")
	a.Register(t, "sesameuser2")
	a.DoUnchecked(t, testkit.Post("", "/auth/register", map[string]any{ // the database refuses it
		"username": "sesameuser", "email": "sesameuser@example.com", "password": "sesame-1815",
	}))
	for _, name := range []string{
		"POST /auth/login", "GET /api/v1/admin/plugins/{slug}/secret", "POST /auth/register", "EVAL", "send mail",
		"HTTP",
	} {
		rc.wait(t, name, named(name))
	}
	rc.wait(t, "the last activation", func(s *tracepb.Span) bool { return strings.Contains(s.Name, "activate") })
	time.Sleep(300 * time.Millisecond) // for what follows from it
	rc.mu.Lock()
	defer rc.mu.Unlock()
	for _, secret := range secrets {
		if at := strings.Index(rc.raw.String(), secret); at >= 0 {
			t.Errorf("%q was sent: …%q…", secret, rc.raw.String()[max(0, at-80):at+len(secret)+20])
		}
	}
}

// The sampler of the environment decides, with the client's decision first.
func TestSamplingFollowsTheParentAndTheRatio(t *testing.T) {
	rc := newReceiver(t)
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
	e := testkit.New(t, sending).InstallEcho(t, nil)
	e.Do(t, testkit.Get("", testkit.EchoPath+"/api/unsampled"))
	e.Do(t, testkit.Request{
		Method: "GET", Path: testkit.EchoPath + "/api/sampled", Header: http.Header{"Traceparent": {sampled}},
	})
	rc.wait(t, "the sampled call", ofTrace("plugin", parentTrace))
	for _, s := range rc.all() {
		if traceID(s) != parentTrace {
			t.Errorf("%s was recorded", s.Name)
		}
	}
	for r := e.Reached(); r != nil; r = e.Reached() {
		flags := r.Header.Get("Traceparent")[53:]
		if want := "00"; r.RequestURI == "/api/unsampled" && flags != want {
			t.Errorf("the plugin got flags %s, want %s", flags, want)
		}
	}
}

// A collector that does not answer costs requests nothing, memory little, and a stop at most
// some seconds.
func TestACollectorThatHangsDelaysNoRequest(t *testing.T) {
	rc := newReceiver(t)
	rc.hang = make(chan struct{})
	const queue, batch = 128, 64
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", fmt.Sprint(queue))
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", fmt.Sprint(batch))
	cfg := testkit.Config(t, sending)
	cfg.PublicURL = "http://shop.example"
	cfg.InnerLimit = 0 // as in a shop: the end comes before that of an export
	a, err := app.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	const requests = 3000
	for range requests {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/livez", nil)
		if a.Handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatal(w.Code)
		}
	}
	stopped := make(chan error, 1)
	go func() { stopped <- a.Close(t.Context()) }()
	if err := waittest.Next(t, "a stop that does not wait for the collector", stopped); err != nil {
		t.Error(err)
	}
	close(rc.hang)
	time.Sleep(100 * time.Millisecond)
	if n := len(rc.all()); n > queue+2*batch {
		t.Errorf("%d spans of %d were kept, want %d at the most", n, requests, queue+2*batch)
	}
}

// Without the switch nothing is sent, whatever the environment says.
func TestNothingIsSentUnlessAskedFor(t *testing.T) {
	rc := newReceiver(t)
	a := testkit.New(t)
	a.Fetch(t, "/livez")
	time.Sleep(500 * time.Millisecond)
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.raw.Len() > 0 || len(rc.metrics) > 0 {
		t.Errorf("%d bytes were sent", rc.raw.Len())
	}
}

// A protocol that stoa does not speak is refused at the start, not with each export.
func TestAnUnknownProtocolIsRefused(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	cfg := testkit.Config(t, sending)
	a, err := app.New(t.Context(), cfg)
	if err == nil {
		_ = a.Close(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), telemetry.ErrProtocol.Error()) {
		t.Errorf("err = %v", err)
	}
}

// The last metrics are sent while everything that they tell of can still be read.
func TestStoppingWarnsOfNothing(t *testing.T) {
	newReceiver(t)
	stopsQuietly(t, func() {})
}

// Metrics that are being sent when stoa stops are sent anew.
func TestStoppingWhileMetricsAreSentWarnsOfNothing(t *testing.T) {
	begun, times := make(chan struct{}), new(atomic.Int32)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the request would not be seen
		if times.Add(1) == 1 {
			close(begun)
			<-r.Context().Done()
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "20")
	stopsQuietly(t, func() { waittest.Next(t, "the first metrics", begun) })
	if n := times.Load(); n != 2 {
		t.Errorf("metrics were sent %d times, want once more", n)
	}
}

// stopsQuietly checks that a stoa logs neither warning nor error when it stops, after what ready waits for.
func stopsQuietly(t *testing.T, ready func()) {
	t.Helper()
	var log logtest.Buffer
	t.Run("a stoa that stops", func(t *testing.T) {
		testkit.New(t, sending, func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })
		ready()
		log.Reset()
	})
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			t.Error(line)
		}
	}
}
