package http1

import (
	"context"
	"net"
	"sync"
	"time"
)

const (
	// maxIdlePerAddr is the most idle connections to one address.
	maxIdlePerAddr = 256
	maxIdle        = 4096 // of a Pool
)

// Pool keeps connections for further requests. NewPool makes one. It is safe for
// concurrent use.
type Pool struct {
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
	idle time.Duration

	mu      sync.Mutex
	waiting map[string][]*Conn // by address, the most recently used at the end
	count   int                // of waiting
	sweeper *time.Timer        // nil while no connection waits
}

// NewPool returns a Pool of connections that dial makes. It closes those that were idle for the
// given time, which must be shorter than the idle timeout of the servers.
func NewPool(dial func(ctx context.Context, network, addr string) (net.Conn, error), idle time.Duration) *Pool {
	return &Pool{dial: dial, idle: idle, waiting: make(map[string][]*Conn)}
}

// Reuse returns the most recently used connection to addr, or nil. Send finds out whether it is
// still open.
func (p *Pool) Reuse(addr string) *Conn {
	for {
		c := p.pop(addr)
		if c == nil {
			return nil
		}
		if time.Since(c.since) < p.idle {
			return c
		}
		_ = c.Close()
	}
}

// Dial returns a new connection to addr. The error is that of the function the Pool was
// made with.
func (p *Pool) Dial(ctx context.Context, addr string) (*Conn, error) {
	conn, err := p.dial(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: conn, pool: p, addr: addr, wire: newWire(conn)}, nil
}

func (p *Pool) pop(addr string) *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.waiting[addr]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	list[len(list)-1] = nil
	// An empty list stays: it is likely to be filled again. sweep removes it.
	p.waiting[addr] = list[:len(list)-1]
	p.count--
	return c
}

func (p *Pool) put(c *Conn) {
	c.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.waiting[c.addr]
	if len(list) >= maxIdlePerAddr || p.count >= maxIdle {
		_ = c.Close()
		return
	}
	p.waiting[c.addr] = append(list, c)
	p.count++
	if p.sweeper == nil {
		p.sweeper = time.AfterFunc(p.idle, p.sweep)
	}
}

// sweep closes the connections that were idle too long.
func (p *Pool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for addr, list := range p.waiting {
		old := 0
		for old < len(list) && time.Since(list[old].since) >= p.idle {
			_ = list[old].Close()
			old++
		}
		p.count -= old
		if list = list[old:]; len(list) == 0 {
			delete(p.waiting, addr)
		} else {
			p.waiting[addr] = append([]*Conn(nil), list...)
		}
	}
	if p.count == 0 {
		p.sweeper = nil
		return
	}
	p.sweeper.Reset(p.idle)
}

// CloseIdle closes the idle connections.
func (p *Pool) CloseIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.waiting {
		for _, c := range list {
			_ = c.Close()
		}
	}
	clear(p.waiting)
	p.count = 0
	if p.sweeper != nil {
		p.sweeper.Stop()
		p.sweeper = nil
	}
}
