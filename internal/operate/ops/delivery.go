package ops

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Backlog is the number of waiting deliveries of a lane, and their age.
type Backlog struct {
	Lane    string
	Waiting int64
	Oldest  time.Time // when the oldest of it was recorded; zero without one
}

// WatchDeliveries adds the backlogs of hooks, events and webhooks. read is called at each scrape;
// when it fails, the metrics are left out.
func (m *Metrics) WatchDeliveries(read func(ctx context.Context) ([]Backlog, error), now func() time.Time) {
	m.registry.MustRegister(&backlogCollector{
		of: m, read: read, now: now,
		waiting: prometheus.NewDesc("stoa_deliveries_waiting",
			"Hooks, events and webhooks that were not delivered yet, by lane (plugins, webhooks).", []string{"lane"}, nil),
		oldest: prometheus.NewDesc("stoa_deliveries_oldest_seconds",
			"Age of the oldest of them; 0 without one.", []string{"lane"}, nil),
	})
}

// backlogCollector implements prometheus.Collector. It reads the database: every process reports
// the same.
type backlogCollector struct {
	of              *Metrics
	read            func(ctx context.Context) ([]Backlog, error)
	now             func() time.Time
	waiting, oldest *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *backlogCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.waiting
	ch <- c.oldest
}

// Collect implements prometheus.Collector.
func (c *backlogCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := c.of.reading()
	defer cancel()
	list, err := c.read(ctx)
	if err != nil {
		return // the database is down, which other metrics show
	}
	for _, b := range list {
		age := 0.0
		if !b.Oldest.IsZero() {
			age = max(0, c.now().Sub(b.Oldest).Seconds())
		}
		ch <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(b.Waiting), b.Lane)
		ch <- prometheus.MustNewConstMetric(c.oldest, prometheus.GaugeValue, age, b.Lane)
	}
}
