package ops_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/operate/ops"
)

func TestHandlerServesMetricsAndProfiles(t *testing.T) {
	t.Parallel()

	m := ops.NewMetrics("1.2.3")
	m.ObserveRequest("GET /auth/me", http.StatusOK, 3*time.Millisecond)
	m.ObserveRequest("", http.StatusNotFound, time.Millisecond)
	m.Count(ops.Verifies, "valid")
	m.Count(ops.Verifies, "valid")
	m.WatchProcesses(func() int { return 3 })
	m.WatchDroppedLines(func() map[string]int64 { return map[string]int64{"loud": 5} })
	h := m.Handler()

	tests := []struct {
		path string
		want []string
	}{
		{"/metrics", []string{
			`stoa_http_request_duration_seconds_count{route="GET /auth/me",status="200"} 1`,
			`stoa_http_request_duration_seconds_count{route="none",status="404"} 1`,
			`stoa_build_info{version="1.2.3"} 1`,
			"go_goroutines",
			`stoa_verifies_total{outcome="valid"} 2`,
			"stoa_plugin_processes 3",
			`stoa_plugin_dropped_lines_total{slug="loud"} 5`,
		}},
		{"/debug/pprof/", []string{"goroutine"}},
	}
	for _, tt := range tests {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.path, nil))
		if rec.Code != http.StatusOK {
			t.Errorf("%s: status = %d, want 200", tt.path, rec.Code)
		}
		for _, want := range tt.want {
			if !strings.Contains(rec.Body.String(), want) {
				t.Errorf("%s: no %q in the answer", tt.path, want)
			}
		}
	}
}
