package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

	"stoa/internal/base/errs"
)

// ErrBusy means that an instance has as many running calls as its package's maxConcurrency
// allows, and as many waiting ones.
var ErrBusy = errs.New(errs.Busy, "PLUGIN_BUSY", "The plugin is busy. Try again shortly.")

const (
	// turnWait is how long a call waits for others of its instance to end.
	turnWait = time.Second

	// busyRetry is the Retry-After of a refused call.
	busyRetry = time.Second
)

// turns limits how many calls of an installation run at the same time. Calls beyond that wait,
// first come first served. It holds only installations that have a limit and a call. It is safe
// for concurrent use. The zero value is ready.
type turns struct {
	mu   sync.Mutex
	busy map[string]*line // by installation id
}

// line holds the calls of one installation.
type line struct {
	most    int // as of the last call
	running int
	waiting []chan struct{} // each is closed when its call may run
}

// take waits until a call of the installation may run; at most most of them run at once. It
// returns ErrBusy if as many wait already, if the wait takes too long, or if ctx is done. The
// caller calls leave when the call is over.
func (t *turns) take(ctx context.Context, id string, most int) (leave func(), err error) {
	if most <= 0 {
		return func() {}, nil
	}
	turn := t.enter(id, most)
	if turn == nil {
		return nil, ErrBusy.After(busyRetry)
	}
	leave = func() { t.leave(id) }
	select {
	case <-turn: // the usual case needs no timer
		return leave, nil
	default:
	}
	timer := time.NewTimer(turnWait)
	defer timer.Stop()
	select {
	case <-turn:
		return leave, nil
	case <-timer.C:
		err = ErrBusy.After(busyRetry)
	case <-ctx.Done():
		err = ErrBusy.After(busyRetry).Because(ctx.Err())
	}
	if !t.giveUp(id, turn) {
		leave() // its turn came meanwhile
	}
	return nil, err
}

// enter adds a call, and returns a channel that is closed when it may run; nil if too
// many wait.
func (t *turns) enter(id string, most int) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.busy[id]
	if l == nil {
		if t.busy == nil {
			t.busy = make(map[string]*line)
		}
		l = &line{}
		t.busy[id] = l
	}
	l.most = most
	turn := make(chan struct{})
	switch {
	case l.running < most && len(l.waiting) == 0:
		l.running++
		close(turn)
	case len(l.waiting) < most:
		l.waiting = append(l.waiting, turn)
		l.next() // the bound may have been raised
	default:
		return nil
	}
	return turn
}

// leave ends a running call.
func (t *turns) leave(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.busy[id]
	l.running--
	l.next()
	t.forget(id, l)
}

// giveUp removes a waiting call. It returns false if the call runs already.
func (t *turns) giveUp(id string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.busy[id]
	i := slices.Index(l.waiting, turn)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	t.forget(id, l)
	return true
}

func (t *turns) forget(id string, l *line) {
	if l.running == 0 && len(l.waiting) == 0 {
		delete(t.busy, id)
	}
}

// next starts waiting calls while there is room.
func (l *line) next() {
	for l.running < l.most && len(l.waiting) > 0 {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.running++
	}
}
