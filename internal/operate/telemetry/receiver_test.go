package telemetry_test

import (
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	colmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"stoa/internal/testkit/waittest"
)

// receiver accepts and decodes OTLP, as a collector does.
type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	spans    []*tracepb.Span
	resource []*commonpb.KeyValue
	metrics  map[string]int // how often each was sent
	raw      strings.Builder
	hang     chan struct{} // if set, answers wait for it to be closed
}

// newReceiver starts a receiver and points the environment at it.
func newReceiver(t *testing.T) *receiver {
	t.Helper()
	rc := &receiver{metrics: make(map[string]int)}
	rc.Server = httptest.NewServer(rc)
	t.Cleanup(rc.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", rc.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "200")
	return rc
}

// ServeHTTP implements http.Handler.
func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rc.hang != nil {
		<-rc.hang
	}
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	data, err := io.ReadAll(body)
	if err == nil {
		err = rc.take(r.URL.Path, data)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (rc *receiver) take(path string, data []byte) error {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.raw.Write(data)
	if path == "/v1/metrics" {
		var m colmetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		for _, r := range m.ResourceMetrics {
			for _, s := range r.ScopeMetrics {
				for _, one := range s.Metrics {
					rc.metrics[one.Name]++
				}
			}
		}
		return nil
	}
	var m coltrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &m); err != nil {
		return err
	}
	for _, r := range m.ResourceSpans {
		rc.resource = r.Resource.Attributes
		for _, s := range r.ScopeSpans {
			rc.spans = append(rc.spans, s.Spans...)
		}
	}
	return nil
}

// all returns the spans that have arrived.
func (rc *receiver) all() []*tracepb.Span {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return append([]*tracepb.Span(nil), rc.spans...)
}

// wait returns the first span that matches, or fails the test.
func (rc *receiver) wait(t *testing.T, what string, is func(*tracepb.Span) bool) *tracepb.Span {
	t.Helper()
	var found *tracepb.Span
	waittest.Until(t, "a span of "+what, func() error {
		var seen strings.Builder
		for _, s := range rc.all() {
			if is(s) {
				found = s
				return nil
			}
			fmt.Fprintf(&seen, "\n%x %x < %x %s %v", s.TraceId, s.SpanId, s.ParentSpanId, s.Name, attributes(s.Attributes))
		}
		return errors.New(seen.String())
	})
	return found
}

// named matches a span by its name.
func named(name string) func(*tracepb.Span) bool {
	return func(s *tracepb.Span) bool { return s.Name == name }
}

// below matches a span by the beginning of its name and its parent.
func below(parent *tracepb.Span, name string) func(*tracepb.Span) bool {
	return func(s *tracepb.Span) bool {
		return strings.HasPrefix(s.Name, name) && string(s.ParentSpanId) == string(parent.SpanId)
	}
}

func attributes(list []*commonpb.KeyValue) map[string]string {
	all := make(map[string]string)
	for _, kv := range list {
		if v := kv.Value.GetStringValue(); v != "" {
			all[kv.Key] = v
		} else {
			all[kv.Key] = kv.Value.String()
		}
	}
	return all
}

func traceID(s *tracepb.Span) string { return hex.EncodeToString(s.TraceId) }
func spanID(s *tracepb.Span) string  { return hex.EncodeToString(s.SpanId) }
