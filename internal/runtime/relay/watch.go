package relay

import (
	"sync"
	"time"
)

// watch limits the wait for a plugin's answer: it calls a function unless it is
// stopped in time. Time spent waiting for the client does not count: a watch can
// be paused, and resuming starts the whole limit again. It is safe for concurrent
// use.
type watch struct {
	limit time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// newWatch returns a running watch.
func newWatch(limit time.Duration, expired func()) *watch {
	return &watch{limit: limit, timer: time.AfterFunc(limit, expired)}
}

// pause stops the time.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
}

// resume starts the whole limit again, unless the watch was stopped.
func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.timer.Reset(w.limit)
	}
}

// stop ends the watch for good.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}
