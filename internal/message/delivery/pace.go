package delivery

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// pace spreads sends over time. The zero value is ready for use.
type pace struct {
	mu   sync.Mutex
	next time.Time // when the next send may start, without bursts
}

// wait waits until another send may start, or ctx ends.
func (p *pace) wait(ctx context.Context) {
	delay := p.reserve(time.Now())
	if delay <= 0 {
		return
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// reserve takes the next slot and returns the time until then.
func (p *pace) reserve(now time.Time) time.Duration {
	every := time.Second / time.Duration(maxPerSecond*runtime.GOMAXPROCS(0))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.Before(now) {
		p.next = now
	}
	p.next = p.next.Add(every)
	return p.next.Sub(now) - paceAhead*every
}
