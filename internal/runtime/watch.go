package runtime

import (
	"sync"
	"time"
)

// Watch waits for a plugin's first byte: it calls a function unless it is
// stopped before a time limit. Time spent waiting for the client is not the
// plugin's, so a Watch can be paused; resuming gives the whole limit anew. It is
// safe for concurrent use.
type Watch struct {
	limit time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// NewWatch returns a running Watch.
func NewWatch(limit time.Duration, expired func()) *Watch {
	return &Watch{limit: limit, timer: time.AfterFunc(limit, expired)}
}

// Pause stops the time.
func (w *Watch) Pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
}

// Resume starts the time anew, unless the Watch was stopped.
func (w *Watch) Resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.timer.Reset(w.limit)
	}
}

// Stop ends the Watch for good.
func (w *Watch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}
