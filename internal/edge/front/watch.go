package front

import (
	"context"
	"io"
	"sync"
	"time"

	"stoa/internal/edge/stall"
)

// watchAfter is how long a call lasts before its client is watched: most calls end sooner, and need
// no other goroutine.
const watchAfter = 10 * time.Millisecond

// watch reads ahead to notice that the client of a call leaves. It serves one call of its
// connection after the other.
type watch struct {
	conn *conn

	mu     sync.Mutex
	ctx    context.Context //nolint:containedctx // of the current call; nil without one
	cancel context.CancelFunc
	held   io.Closer // closed when the client leaves
	gone   bool
	open   bool // some of the request's body is unread
	due    bool // watchAfter has passed
	timer  *time.Timer

	reader   chan struct{} // closed when the goroutine that reads ahead ends; nil without one
	stopping bool
}

var _ stall.Client = (*watch)(nil)

// begin starts the watch for a call. open says that the request has a body.
func (w *watch) begin(ctx context.Context, cancel context.CancelFunc, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ctx, w.cancel, w.open = ctx, cancel, open
	w.held, w.gone, w.due = nil, false, false
	if w.timer == nil {
		w.timer = time.AfterFunc(watchAfter, w.expire)
		return
	}
	w.timer.Reset(watchAfter)
}

// expire runs when watchAfter has passed. The timer of an earlier call may fire late; then the current
// client is watched sooner.
func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = true
	w.start()
}

// bodyRead is called when the request's body was read to its end.
func (w *watch) bodyRead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = false
	w.start()
}

// start starts to read ahead, if it is time. The caller holds mu.
func (w *watch) start() {
	if w.ctx == nil || !w.due || w.open || w.reader != nil {
		return
	}
	c := w.conn
	if c.r == c.w {
		c.r, c.w = 0, 0
	}
	if c.w == len(c.buf) {
		return // the client sent a full buffer ahead, so it is there
	}
	w.reader = make(chan struct{})
	_ = c.SetReadDeadline(time.Time{})
	go w.readAhead(w.reader)
}

func (w *watch) readAhead(done chan struct{}) {
	defer close(done)
	c := w.conn
	n, err := c.Conn.Read(c.buf[c.w:])
	if c.w += n; n > 0 || err == nil {
		return // there is another request, so the client is there
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopping {
		w.hangUpLocked()
	}
}

// hangUp ends the current call: its client has left.
func (w *watch) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hangUpLocked()
}

func (w *watch) hangUpLocked() {
	if w.ctx == nil || w.gone {
		return
	}
	w.gone = true
	w.cancel()
	if w.held != nil {
		_ = w.held.Close()
	}
}

// end ends the watch for a call. When it returns, no goroutine reads from the connection.
func (w *watch) end() {
	w.mu.Lock()
	w.timer.Stop()
	w.ctx, w.cancel, w.held = nil, nil, nil
	reader := w.reader
	if reader == nil {
		w.mu.Unlock()
		return
	}
	w.stopping = true
	_ = w.conn.SetReadDeadline(time.Unix(1, 0))
	w.mu.Unlock()
	<-reader
	w.mu.Lock()
	w.reader, w.stopping = nil, false
	w.mu.Unlock()
}

// OnHangup implements stall.Client.
func (w *watch) OnHangup(done <-chan struct{}, c io.Closer) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx == nil || w.held != nil || w.gone || done != w.ctx.Done() {
		return false
	}
	w.held = c
	return true
}

// Cancel implements stall.Client.
func (w *watch) Cancel(c io.Closer) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == c {
		w.held = nil
		return !w.gone
	}
	return false
}
