package mail

import (
	"context"
	"sync"
)

// Pending counts work that is going on in the background, for those who wait
// until there is none. The zero value counts none. It is safe for concurrent use.
type Pending struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to zero; nil while it is zero
}

// Begin counts a piece of work. It comes before who does it can know of it.
func (p *Pending) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n++; p.idle == nil {
		p.idle = make(chan struct{})
	}
}

// End takes back one Begin.
func (p *Pending) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; p.n == 0 {
		close(p.idle)
		p.idle = nil
	}
}

// Count returns how many pieces of work there are.
func (p *Pending) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// Idle returns nil when there is no work, or the error of ctx.
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
