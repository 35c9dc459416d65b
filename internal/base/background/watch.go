package background

import (
	"sync"
	"time"
)

// Watch looks at something again and again while a call lasts, such as at the rights of its caller. It is
// a timer and has a goroutine only while it looks, so it is cheap for many calls at once. NewWatch makes it.
type Watch struct {
	look func() (next time.Duration)

	looking sync.Mutex // held during a look
	timer   *time.Timer
	stopped bool // no look may begin
}

// NewWatch calls look after first, and then again after the time that each look returns; 0 ends it. Looks
// never overlap. The call stops the watch when it ends.
func NewWatch(first time.Duration, look func() (next time.Duration)) *Watch {
	w := &Watch{look: look}
	w.looking.Lock() // the timer may fire before w knows it
	defer w.looking.Unlock()
	w.timer = time.AfterFunc(first, w.turn)
	return w
}

// Stop ends the watch. It waits for a look that is running, so the look's context should end before; no
// look begins after it. A look must not call it.
func (w *Watch) Stop() {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.stopped = true
	w.timer.Stop()
}

func (w *Watch) turn() {
	w.looking.Lock()
	defer w.looking.Unlock()
	if w.stopped {
		return
	}
	if next := w.look(); next > 0 {
		w.timer.Reset(next)
	}
}
