package mail

import (
	"context"
	"sync"
	"time"
)

const (
	roundWorkers = 4                // pieces of work done at the same time
	roundPoll    = 15 * time.Second // how often each of them looks for work that nobody announced
)

// Rounds does work that waits in the database, such as mails. Replicas share it, and none of it is lost
// when a process dies. The zero value is ready for use; whoever calls Start must call Close, and may call
// Start again. It is safe for concurrent use.
type Rounds struct {
	all    sync.WaitGroup // the goroutines of Start
	mu     sync.Mutex
	cancel context.CancelFunc
	wake   chan struct{} // nil unless started
	busy   Pending       // workers that are busy, and calls of Wake they have not seen yet
}

// Start calls next in the background until Close is called or ctx is done: now, whenever Wake is called,
// and every few seconds, each time as long as it reports that more may be due. The functions beside are
// called once; they must return when their ctx is done.
func (r *Rounds) Start(ctx context.Context, next func(context.Context) (more bool), beside ...func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	wake := make(chan struct{}, roundWorkers)
	r.cancel, r.wake = cancel, wake
	for i := range roundWorkers {
		// They look one after another: mostly there is nothing, and one look tells.
		first := time.Duration(i+1) * roundPoll / roundWorkers
		r.all.Go(func() { r.work(ctx, next, wake, first) })
	}
	for _, f := range beside {
		r.all.Go(func() { f(ctx) })
	}
	r.mu.Unlock()
	r.Wake()
}

// Close stops the work and returns when what is in progress is finished. It may be called twice, and
// without Start.
func (r *Rounds) Close() {
	r.mu.Lock()
	if r.cancel != nil {
		r.cancel()
	}
	wake := r.wake
	r.wake = nil
	r.mu.Unlock()
	r.all.Wait()
	for { // what nobody saw any more
		select {
		case <-wake: // never ready if it is nil
			r.busy.End()
		default:
			return
		}
	}
}

// Wake starts the work that is due now and does not wait for it. Call it after a transaction that added
// some. It does nothing unless r was started.
func (r *Rounds) Wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy.Start()
	select {
	case r.wake <- struct{}{}: // never ready if it is nil
	default: // every worker has been woken already
		r.busy.End()
	}
}

// Idle waits until everything that was due when Wake was called has been tried. It returns nil, or the
// error of ctx.
func (r *Rounds) Idle(ctx context.Context) error { return r.busy.Idle(ctx) }

// work is the loop of one worker. It looks after first for work that nobody announced, and then again
// and again.
func (r *Rounds) work(
	ctx context.Context, next func(context.Context) bool, wake <-chan struct{}, first time.Duration,
) {
	due := time.Now().Add(first)
	look := time.NewTimer(first)
	defer look.Stop()
	for {
		select {
		case <-wake: // Wake has counted this worker as busy
		case <-look.C:
			for ; time.Until(due) <= 0; due = due.Add(roundPoll) { // at its turn, however late it is now
			}
			look.Reset(time.Until(due))
			r.busy.Start()
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil && next(ctx) {
		}
		r.busy.End()
	}
}

// Limits of a mail that waits in the database.
const (
	SendLimit = 20 * time.Second   // for one attempt, including the database
	SendLease = 2 * time.Minute    // for how long others leave it alone: several times SendLimit, because clocks differ
	SendLife  = 3 * 24 * time.Hour // how long it is tried
)

// sendPauses are the waits after each failed attempt. The last one repeats.
var sendPauses = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}

// SendPause returns how long to wait after so many failed attempts, from 1.
func SendPause(attempts int) time.Duration { return sendPauses[min(attempts, len(sendPauses))-1] }
