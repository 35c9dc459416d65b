package mail

import (
	"context"
	"sync"
)

// Pending counts pieces of background work, and lets callers wait until none is left. The zero
// value is ready for use. It is safe for concurrent use.
type Pending struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to zero; nil while it is zero
}

// Start counts a piece of work. Call it before handing the work to another goroutine.
func (p *Pending) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n++; p.idle == nil {
		p.idle = make(chan struct{})
	}
}

// End ends a piece of work.
func (p *Pending) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; p.n == 0 {
		close(p.idle)
		p.idle = nil
	}
}

// Count returns how many pieces of work are not finished.
func (p *Pending) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// Idle waits until no work is left and returns nil, or returns the error of ctx.
func (p *Pending) Idle(ctx context.Context) error {
	p.mu.Lock()
	idle := p.idle
	p.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
