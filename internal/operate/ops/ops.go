// Package ops provides metrics in the Prometheus format and Go's profiler. They are
// served on a separate listener (contract 1.10), because both reveal more than clients
// should know.
package ops

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/pprof"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics collects the metrics of one process. It is safe for concurrent use.
type Metrics struct {
	// ReadLimit is how long a scrape waits for each of the functions that read something for it. NewMetrics sets two
	// seconds. It must not change after the first scrape.
	ReadLimit time.Duration

	registry *prometheus.Registry
	requests *prometheus.HistogramVec

	counters map[string]*prometheus.CounterVec // by the name of what they count

	// known caches the series of requests, because looking one up by its labels takes longer than
	// observing.
	mu    sync.RWMutex
	known map[series]prometheus.Observer
}

// series are the labels of a series of requests.
type series struct {
	route  string
	status int
}

// The subjects of Count, each counted by outcome.
const (
	Orders      = "orders"      // purchases and what became of their orders
	Activations = "activations" // of licenses
	Verifies    = "verifies"    // of licenses
	Mails       = "mails"       // attempts to send one
	Webhooks    = "webhooks"    // deliveries of payment providers
)

// counted are the help texts of the subjects of Count.
var counted = map[string]string{
	Orders:      "Orders by what happened to them: pending, paid, refunded, cancelled.",
	Activations: "Requests to activate a license, by outcome: activated, refused.",
	Verifies:    "Requests to verify a license, by outcome: valid, or the reason in X-License-Code.",
	Mails:       "Attempts to send a mail, by outcome: sent, failed, refused.",
	Webhooks:    "Deliveries of payment providers, by outcome: accepted, refused, failed.",
}

// alerted are the outcomes that alerts use.
var alerted = map[string][]string{
	Mails:    {"sent", "failed"},
	Webhooks: {"accepted", "failed"},
}

// NewMetrics returns metrics of requests, the Go runtime and the process.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		ReadLimit: 2 * time.Second,
		registry:  prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "stoa_http_request_duration_seconds",
			Help:    "Time from the request's head to the end of the answer, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "status"}),
		counters: make(map[string]*prometheus.CounterVec),
		known:    make(map[series]prometheus.Observer),
	}
	for what, help := range counted {
		m.counters[what] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stoa_" + what + "_total", Help: help},
			[]string{"outcome"})
		for _, outcome := range alerted[what] { // an alert sees the first failure only after a 0
			m.counters[what].WithLabelValues(outcome)
		}
		m.registry.MustRegister(m.counters[what])
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "stoa_build_info", Help: "Always 1; the version is in the label.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ObserveRequest counts one answered request. route is a pattern, never a path, which
// would make a series for every product and plugin.
func (m *Metrics) ObserveRequest(route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	at := series{route, status}
	m.mu.RLock()
	o, ok := m.known[at]
	m.mu.RUnlock()
	if !ok {
		o = m.requests.WithLabelValues(route, strconv.Itoa(status))
		m.mu.Lock()
		m.known[at] = o
		m.mu.Unlock()
	}
	o.Observe(took.Seconds())
}

// Count counts an outcome of what, a constant of this package. There must be few outcomes of each.
func (m *Metrics) Count(what, outcome string) { m.counters[what].WithLabelValues(outcome).Inc() }

// WatchPool adds the statistics of a database's connection pool.
func (m *Metrics) WatchPool(name string, pool *sql.DB) {
	m.registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
}

// WatchProcesses adds the number of running plugin processes.
func (m *Metrics) WatchProcesses(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "stoa_plugin_processes", Help: "Processes of internal plugins that run.",
	}, func() float64 { return float64(count()) }))
}

// WatchDroppedLines adds how many lines plugins printed that the log did not take, by slug.
func (m *Metrics) WatchDroppedLines(read func() map[string]int64) {
	m.registry.MustRegister(&dropped{read: read, desc: prometheus.NewDesc("stoa_plugin_dropped_lines_total",
		"Lines that an internal plugin printed beyond what its log takes.", []string{"slug"}, nil)})
}

// dropped is a prometheus.Collector.
type dropped struct {
	read func() map[string]int64
	desc *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (d *dropped) Describe(ch chan<- *prometheus.Desc) { ch <- d.desc }

// Collect implements prometheus.Collector.
func (d *dropped) Collect(ch chan<- prometheus.Metric) {
	for slug, lines := range d.read() {
		ch <- prometheus.MustNewConstMetric(d.desc, prometheus.CounterValue, float64(lines), slug)
	}
}

// WatchBodies adds the bytes of memory that request bodies take.
func (m *Metrics) WatchBodies(used func() int64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "stoa_request_body_bytes", Help: "Memory taken by request bodies; STOA_BODY_MEMORY bounds it.",
	}, func() float64 { return float64(used()) }))
}

// WatchLostRecords adds how many records of calls were lost before they reached the log.
func (m *Metrics) WatchLostRecords(lost func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "stoa_access_log_lost_total",
		Help: "Records of calls to plugins that were lost, because what reads the log did not keep up.",
	}, func() float64 { return float64(lost()) }))
}

// reading returns the context of one read.
func (m *Metrics) reading() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), m.ReadLimit)
}

// WatchHealth adds whether external plugins are healthy, by slug. read is called at each scrape;
// when it fails, the metric is left out.
func (m *Metrics) WatchHealth(read func(ctx context.Context) (map[string]bool, error)) {
	m.registry.MustRegister(&healths{of: m, read: read, desc: prometheus.NewDesc("stoa_plugin_healthy",
		"Whether an external plugin's /health answered well when it was asked last: 1 or 0.", []string{"slug"}, nil)})
}

// healths is a prometheus.Collector.
type healths struct {
	of   *Metrics
	read func(ctx context.Context) (map[string]bool, error)
	desc *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (h *healths) Describe(ch chan<- *prometheus.Desc) { ch <- h.desc }

// Collect implements prometheus.Collector.
func (h *healths) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := h.of.reading()
	defer cancel()
	all, err := h.read(ctx)
	if err != nil {
		return // the database is down, which other metrics show
	}
	for slug, healthy := range all {
		value := 0.0
		if healthy {
			value = 1
		}
		ch <- prometheus.MustNewConstMetric(h.desc, prometheus.GaugeValue, value, slug)
	}
}

// Gatherer returns the collected metrics, for other exporters.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Handler serves /metrics and /debug/pprof.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
