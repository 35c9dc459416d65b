package ops

import "github.com/prometheus/client_golang/prometheus"

// Space is the room on the disk of a place, in bytes.
type Space struct {
	Place      string
	Free, Size uint64
}

// WatchStorage adds the room that is left, and whether this process can write. Both are asked for at
// each scrape.
func (m *Metrics) WatchStorage(spaces func() []Space, writes func() bool) {
	m.registry.MustRegister(&spaceCollector{
		spaces: spaces,
		free: prometheus.NewDesc("stoa_disk_free_bytes",
			"Room on the disk of the database (SQLite), the files and temporary files.", []string{"place"}, nil),
		size: prometheus.NewDesc("stoa_disk_size_bytes", "Size of that disk.", []string{"place"}, nil),
	}, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "stoa_writing_ok", Help: "1 while this process can write to the database and the data folder, else 0.",
	}, func() float64 {
		if writes() {
			return 1
		}
		return 0
	}))
}

// spaceCollector is a prometheus.Collector.
type spaceCollector struct {
	spaces     func() []Space
	free, size *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *spaceCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.free; ch <- c.size }

// Collect implements prometheus.Collector.
func (c *spaceCollector) Collect(ch chan<- prometheus.Metric) {
	for _, s := range c.spaces() {
		ch <- prometheus.MustNewConstMetric(c.free, prometheus.GaugeValue, float64(s.Free), s.Place)
		ch <- prometheus.MustNewConstMetric(c.size, prometheus.GaugeValue, float64(s.Size), s.Place)
	}
}
