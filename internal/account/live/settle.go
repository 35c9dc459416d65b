package live

import (
	"context"
	"sync"
	"time"
)

const (
	firstPause = 2 * time.Millisecond
	pause      = 20 * time.Millisecond
	retry      = time.Second // after the database stopped to tell
)

// Settle returns when no process answers from memory what was so before the rows that are committed by
// now: when each has taken them, or after the time of a lease. A process that waits for so long for
// others removes them, because their leases have ended.
//
// It goes on if ctx is done: what it waits for must have happened before the answer.
func (m *Memory[V]) Settle(ctx context.Context) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*Lease)
	defer cancel()
	number, err := m.renew(ctx, false)
	for wait := firstPause; err == nil; wait = min(2*wait, pause) {
		var behind bool
		if behind, err = m.log.Behind(ctx, m.reader, number); err == nil && !behind {
			return
		}
		left := Lease - time.Since(began)
		if err != nil || left <= 0 {
			break
		}
		time.Sleep(min(wait, left))
	}
	if left := Lease - time.Since(began); left > 0 { // who is behind is not known
		time.Sleep(left)
	}
	_ = m.log.Drop(ctx, m.reader, number) // else the next one waits, too
}

// Keep renews the lease while somebody uses the memory, until ctx is done.
func (m *Memory[V]) Keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wanted:
		}
		m.keepWhileUsed(ctx)
	}
}

// keepWhileUsed renews the lease until nobody has used the memory for a while, and gives it up.
func (m *Memory[V]) keepWhileUsed(ctx context.Context) {
	defer m.leave(context.WithoutCancel(ctx))
	ctx, stop := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer stop()
	heard := make(chan struct{}, 1)
	listening.Go(func() { m.listen(ctx, heard) })
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for unused := 0; unused < unusedTicks; {
		m.renewInTime(ctx)
		select {
		case <-ctx.Done():
			return
		case <-heard:
			continue
		case <-tick.C:
		}
		if unused++; m.used.Swap(false) {
			unused = 0
		}
	}
}

// renewInTime renews the lease, unless the database takes longer than the lease would last.
func (m *Memory[V]) renewInTime(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, Lease)
	defer cancel()
	_, _ = m.renew(ctx, true) // else the lease ends, and the database is asked
}

// listen passes on what the database tells.
func (m *Memory[V]) listen(ctx context.Context, heard chan<- struct{}) {
	for ctx.Err() == nil {
		_ = m.log.Listen(ctx, func() {
			select {
			case heard <- struct{}{}:
			default:
			}
		})
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
	}
}
