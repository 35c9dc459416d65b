package ops

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// BackupRun is the last result of a job: backup or verify. Times are zero if there was none.
type BackupRun struct {
	Job            string
	OK             bool      // whether the last run succeeded
	OKAt, FailedAt time.Time // of the last run that did, and that did not
	Bytes          int64     // of the archive
	Took           time.Duration
}

// WatchBackups adds the results of backups and of their verification. read is called at each scrape. Jobs that never ran
// have no metrics.
func (m *Metrics) WatchBackups(read func(ctx context.Context) []BackupRun) {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, []string{"job"}, nil) }
	m.registry.MustRegister(&backupCollector{
		of: m, read: read,
		ok:   desc("stoa_backup_ok", "1 if the last run of the job (backup, verify) succeeded, else 0."),
		okAt: desc("stoa_backup_last_success_timestamp_seconds", "When the last run that succeeded ended."),
		failedAt: desc("stoa_backup_last_failure_timestamp_seconds",
			"When the last run that failed ended."),
		bytes: desc("stoa_backup_size_bytes", "Size of the archive of the last run that succeeded."),
		took:  desc("stoa_backup_duration_seconds", "Time that the last run that succeeded took."),
	})
}

// backupCollector implements prometheus.Collector. It reads the database at each scrape: every
// process reports what any of them has done.
type backupCollector struct {
	of                              *Metrics
	read                            func(ctx context.Context) []BackupRun
	ok, okAt, failedAt, bytes, took *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *backupCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.ok, c.okAt, c.failedAt, c.bytes, c.took} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *backupCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := c.of.reading()
	defer cancel()
	for _, r := range c.read(ctx) {
		gauge := func(d *prometheus.Desc, v float64) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, r.Job)
		}
		if !r.OKAt.IsZero() || !r.FailedAt.IsZero() {
			ok := 0.0
			if r.OK {
				ok = 1
			}
			gauge(c.ok, ok)
		}
		if !r.OKAt.IsZero() {
			gauge(c.okAt, float64(r.OKAt.UnixMilli())/1000)
			gauge(c.bytes, float64(r.Bytes))
			gauge(c.took, r.Took.Seconds())
		}
		if !r.FailedAt.IsZero() {
			gauge(c.failedAt, float64(r.FailedAt.UnixMilli())/1000)
		}
	}
}
