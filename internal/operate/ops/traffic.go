package ops

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"stoa/internal/run/traffic"
)

// WatchTraffic adds the calls to plugins, and those of the given number of installations with the
// most calls.
func (m *Metrics) WatchTraffic(book *traffic.Book, installations int) {
	m.registry.MustRegister(&trafficCollector{
		book: book, installations: installations,
		calls: prometheus.NewDesc("stoa_plugin_calls_total",
			"Calls to plugins that have ended, by outcome and class of status; without slug those that reached no plugin.",
			[]string{"slug", "outcome", "status"}, nil),
		ofInstallation: prometheus.NewDesc("stoa_plugin_installation_calls_total",
			"The same for the installations that were called most.",
			[]string{"slug", "installation", "outcome", "status"}, nil),
		platform: prometheus.NewDesc("stoa_plugin_platform_seconds",
			"Time that stoa itself took until it handed a call to the plugin, without the client's upload.",
			[]string{"slug"}, nil),
		plugin: prometheus.NewDesc("stoa_plugin_answer_seconds",
			"Time that a plugin took until its answer began, or until it was given up.",
			[]string{"slug"}, nil),
	})
}

// trafficCollector implements prometheus.Collector. Calls are counted in package traffic, because a
// Prometheus counter for each installation would never be dropped.
type trafficCollector struct {
	book          *traffic.Book
	installations int

	calls, ofInstallation, platform, plugin *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *trafficCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.calls
	ch <- c.ofInstallation
	ch <- c.platform
	ch <- c.plugin
}

// Collect implements prometheus.Collector.
func (c *trafficCollector) Collect(ch chan<- prometheus.Metric) {
	for _, p := range c.book.Totals() {
		p.Totals.Each(func(o traffic.Outcome, class int, n uint64) {
			ch <- counter(c.calls, n, p.Slug, o.String(), className(class))
		})
		if p.Slug != "" {
			sendHistogram(ch, c.platform, p.Platform, p.Slug)
			sendHistogram(ch, c.plugin, p.Plugin, p.Slug)
		}
	}
	for _, in := range c.book.Busiest(c.installations) {
		in.Totals.Each(func(o traffic.Outcome, class int, n uint64) {
			ch <- counter(c.ofInstallation, n, in.Slug, in.InstallationID, o.String(), className(class))
		})
	}
}

func counter(desc *prometheus.Desc, n uint64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n), labels...)
}

// className is the name of a status class in metrics.
func className(class int) string {
	if class == 0 {
		return "none"
	}
	return strconv.Itoa(class) + "xx"
}

// sendHistogram sends a histogram unless it is empty.
func sendHistogram(ch chan<- prometheus.Metric, desc *prometheus.Desc, h traffic.Histogram, slug string) {
	below, buckets := uint64(0), make(map[float64]uint64, len(h.Bounds))
	for i, bound := range h.Bounds {
		below += h.Counts[i]
		buckets[bound] = below
	}
	if all := below + h.Counts[len(h.Bounds)]; all > 0 {
		ch <- prometheus.MustNewConstHistogram(desc, all, h.Sum, buckets, slug)
	}
}
