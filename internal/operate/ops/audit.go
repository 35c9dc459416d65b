package ops

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// AuditLag is the part of the audit log that was not streamed yet.
type AuditLag struct {
	Entries  int64
	Oldest   time.Time // when the oldest of them happened; zero without one
	Failures int64     // attempts that failed since one succeeded
}

// WatchAuditStream adds the lag of the audit stream. read is called at each scrape; when it fails,
// the metrics are left out.
func (m *Metrics) WatchAuditStream(read func(ctx context.Context) (AuditLag, error)) {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	m.registry.MustRegister(&auditCollector{
		of: m, read: read,
		waiting: desc("stoa_audit_stream_waiting_entries",
			"Entries of the audit log that were not sent yet; counted up to 100000."),
		lag: desc("stoa_audit_stream_lag_seconds",
			"Age of the oldest entry of the audit log that was not sent yet; 0 without one."),
		failures: desc("stoa_audit_stream_failures",
			"Attempts to send the audit log that failed since one succeeded."),
	})
}

// auditCollector implements prometheus.Collector. It reads the database: every process reports the
// same.
type auditCollector struct {
	of                     *Metrics
	read                   func(ctx context.Context) (AuditLag, error)
	waiting, lag, failures *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *auditCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.waiting
	ch <- c.lag
	ch <- c.failures
}

// Collect implements prometheus.Collector.
func (c *auditCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := c.of.reading()
	defer cancel()
	l, err := c.read(ctx)
	if err != nil {
		return
	}
	age := 0.0
	if !l.Oldest.IsZero() {
		age = max(0, time.Since(l.Oldest).Seconds())
	}
	ch <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(l.Entries))
	ch <- prometheus.MustNewConstMetric(c.lag, prometheus.GaugeValue, age)
	ch <- prometheus.MustNewConstMetric(c.failures, prometheus.GaugeValue, float64(l.Failures))
}
