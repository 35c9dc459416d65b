package telemetry_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/redistest"
)

// Every span says what OpenTelemetry's conventions for HTTP and databases ask of its kind, and is
// a part of another that arrives, or begins something. What the conventions ask for and stoa keeps
// to itself is in docs/monitoring.md.
func TestSpansFollowTheConventions(t *testing.T) {
	rc := newReceiver(t)
	redis := redistest.New(t)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer hook.Close()
	a := testkit.NewShop(t, testkit.OnPostgres, sending, func(_ testing.TB, cfg *app.Config) {
		cfg.RateLimits, cfg.RedisURL = true, redis.URL
		cfg.RedisTimeout = time.Minute // a busy machine may be late
	})
	e := a.InstallEcho(t, map[string]any{"lifecycle": map[string]any{"onInstall": true}})
	e.Do(t, testkit.Post(e.Admin.Access, "/api/v1/admin/webhooks", map[string]any{
		"url": hook.URL, "events": []string{"order.*"}, "enabled": true,
	}))
	e.Fetch(t, testkit.EchoPath+"/api/x")
	a.DoUnchecked(t, testkit.Request{Method: "SESAME", Path: "/livez"})
	key := a.BuyKey(t, a.Register(t, "ada").Access, "once")
	a.Activate(t, key, "shop.example.org")

	activation := rc.wait(t, "the activation", func(s *tracepb.Span) bool { return strings.HasSuffix(s.Name, "/activate") })
	undertaking := rc.wait(t, "its transaction", below(activation, "transaction"))
	rc.wait(t, "a statement of the transaction", below(undertaking, "INSERT license_instances"))
	delivered := rc.wait(t, "a hook", named("deliver hook"))
	rc.wait(t, "the hook's request", below(delivered, "plugin"))
	for _, name := range []string{"deliver webhook", "HTTP", "SET", "gateway"} {
		rc.wait(t, name, named(name))
	}
	for _, s := range rc.all() {
		for _, fault := range unconventional(s) {
			t.Errorf("%s (%v) %s: %v", s.Name, s.Kind, fault, attributes(s.Attributes))
		}
		if len(s.ParentSpanId) > 0 {
			rc.wait(t, "the parent of "+s.Name, func(p *tracepb.Span) bool { return string(p.SpanId) == string(s.ParentSpanId) })
		}
	}
}

// unconventional returns how a span violates the conventions.
func unconventional(s *tracepb.Span) (faults []string) {
	said := attributes(s.Attributes)
	need := func(names ...string) {
		for _, name := range names {
			if said[name] == "" {
				faults = append(faults, "has no "+name)
			}
		}
	}
	failed := s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR
	switch {
	case s.Kind == tracepb.Span_SPAN_KIND_SERVER:
		need("http.request.method", "http.response.status_code", "url.scheme", "network.protocol.version")
		method, _, _ := strings.Cut(s.Name, " ")
		if method != said["http.request.method"] && (method != "HTTP" || said["http.request.method"] != "_OTHER") {
			faults = append(faults, "is not named by its method")
		}
	case s.Kind == tracepb.Span_SPAN_KIND_CLIENT && said["db.system.name"] != "":
		need("db.operation.name")
		if !strings.HasPrefix(s.Name, said["db.operation.name"]) {
			faults = append(faults, "is not named by its operation")
		}
	case s.Kind == tracepb.Span_SPAN_KIND_CLIENT && s.Name != "send mail":
		need("http.request.method")
		if !failed {
			need("http.response.status_code")
		}
	case s.Kind == tracepb.Span_SPAN_KIND_CONSUMER && len(s.Links) == 0:
		faults = append(faults, "is not linked to its cause")
	}
	if failed {
		need("error.type")
	}
	return faults
}
