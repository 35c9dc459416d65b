package backup

import (
	"slices"
	"sync"
	"time"

	"stoa/internal/store"
)

// Missed holds the jobs that were due and failed while the database could not be written, so that the
// database has no record of the failure. Each process remembers its own. The zero value is empty. It
// is safe for concurrent use.
type Missed struct {
	mu    sync.Mutex
	known []store.BackupJob  // as they were read last
	jobs  map[string]failure // by kind
}

type failure struct {
	at     time.Time
	reason string
}

// add remembers that a job failed. It reports whether it is the first time in a while.
func (m *Missed) add(kind, reason string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs == nil {
		m.jobs = make(map[string]failure)
	}
	was, known := m.jobs[kind]
	if known && now.Sub(was.at) < retryAfter {
		return false
	}
	m.jobs[kind] = failure{now, reason}
	return true
}

// forget is called when the database has a newer result of the job.
func (m *Missed) forget(kind string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.jobs, kind)
}

// read remembers what the database knows.
func (m *Missed) read(known []store.BackupJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = known
}

// Known returns what the database knew when it last answered this process.
func (m *Missed) Known() []store.BackupJob {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.known)
}

// due reports whether a job is due at now, by what the database knew when it last answered.
func (m *Missed) due(kind string, every time.Duration, now time.Time) bool {
	return slices.ContainsFunc(m.Known(), func(j store.BackupJob) bool {
		return j.Kind == kind && now.Sub(j.OKAt) >= every
	})
}

// Amend returns what the database knows of a job, with a later failure that it does not know.
func (m *Missed) Amend(j store.BackupJob) store.BackupJob {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f, is := m.jobs[j.Kind]; is && f.at.After(j.OKAt) && f.at.After(j.FailedAt) {
		j.FailedAt, j.Error = f.at, f.reason
	}
	return j
}
