package ops_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/operate/ops"
	"stoa/internal/run/traffic"
)

func scrape(tb testing.TB, m *ops.Metrics) string {
	tb.Helper()
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(tb.Context(), http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		tb.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestMetricsOfCallsToPlugins(t *testing.T) {
	t.Parallel()
	m, book := ops.NewMetrics("1.2.3"), traffic.NewBook()
	m.WatchTraffic(book, 1)
	busy, rare := book.Installation("pay", "i-busy"), book.Installation("pay", "i-rare")
	done := traffic.Call{
		At: time.Now(), Outcome: traffic.OK, Status: 204, Platform: 80 * time.Microsecond, Plugin: 7 * time.Millisecond,
		Reached: true,
	}
	busy.Count(done)
	busy.Count(done)
	busy.Count(traffic.Call{At: time.Now(), Outcome: traffic.Timeout, Status: 504, Plugin: time.Minute, Reached: true})
	rare.Count(traffic.Call{At: time.Now(), Outcome: traffic.ClientGone})
	book.Refuse(traffic.Call{At: time.Now(), Outcome: traffic.NotFound, Status: 404})

	got := scrape(t, m)
	for _, want := range []string{
		`stoa_plugin_calls_total{outcome="ok",slug="pay",status="2xx"} 2`,
		`stoa_plugin_calls_total{outcome="timeout",slug="pay",status="5xx"} 1`,
		`stoa_plugin_calls_total{outcome="client_gone",slug="pay",status="none"} 1`,
		`stoa_plugin_calls_total{outcome="not_found",slug="",status="4xx"} 1`,
		`stoa_plugin_installation_calls_total{installation="i-busy",outcome="ok",slug="pay",status="2xx"} 2`,
		`stoa_plugin_platform_seconds_bucket{slug="pay",le="5e-05"} 2`,
		`stoa_plugin_platform_seconds_bucket{slug="pay",le="0.0001"} 4`,
		`stoa_plugin_answer_seconds_bucket{slug="pay",le="0.005"} 0`,
		`stoa_plugin_answer_seconds_bucket{slug="pay",le="0.01"} 2`,
		`stoa_plugin_answer_seconds_bucket{slug="pay",le="30"} 2`,
		`stoa_plugin_answer_seconds_bucket{slug="pay",le="+Inf"} 3`,
		`stoa_plugin_answer_seconds_count{slug="pay"} 3`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(got, "i-rare") {
		t.Error("more installations than asked for")
	}
}

// A shop may have 100,000 installations, and clients may name whatever they like.
func TestMetricsOfCallsHaveFewSeries(t *testing.T) {
	t.Parallel()
	m, book := ops.NewMetrics("1.2.3"), traffic.NewBook()
	m.WatchTraffic(book, 100)
	for i := range 100_000 {
		c := traffic.Call{At: time.Now(), Outcome: traffic.OK, Status: 200, Reached: true}
		book.Installation(fmt.Sprint("plugin-", i%20), fmt.Sprint(i)).Count(c)
		book.Refuse(traffic.Call{At: time.Now(), Outcome: traffic.NotFound, Status: 404})
	}
	series := 0
	for line := range strings.SplitSeq(scrape(t, m), "\n") {
		if strings.HasPrefix(line, "stoa_plugin_") {
			series++
		}
	}
	// 20 plugins with one outcome and two histograms, 100 installations, one for the unknown.
	if most := 20*(1+16+18) + 100 + 1; series > most {
		t.Errorf("%d series, want %d at the most", series, most)
	}
}
