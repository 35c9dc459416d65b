package relay

import (
	"sync"
	"time"
)

// watch limits the wait for a plugin's answer: it calls a function unless it is stopped in time.
// It never calls it after stop has returned, because the connection that the function would end
// may be another call's by then. Time spent waiting for the client does not count: a watch can be
// paused, and resuming restarts the whole limit. It is safe for concurrent use.
type watch struct {
	limit   time.Duration
	expired func()

	mu      sync.Mutex // held while expired runs
	timer   *time.Timer
	running bool
	stopped bool
}

// newWatch returns a running watch.
func newWatch(limit time.Duration, expired func()) *watch {
	w := &watch{limit: limit, expired: expired, running: true}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.expire)
	return w
}

// expire calls the function, unless the watch was stopped or paused after the timer had fired.
func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		w.running = false
		w.expired()
	}
}

// pause stops the timer.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	w.timer.Stop()
}

// resume restarts the whole limit, unless the watch was stopped.
func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.running = true
		w.timer.Reset(w.limit)
	}
}

// stop ends the watch for good.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped, w.running = true, false
	w.timer.Stop()
}
