package system

import (
	"context"
	"sync"
	"time"
)

// Part is a dependency of stoa, and whether it works.
type Part struct {
	Name    string
	OK      bool
	Message string    // what is wrong, or a remark on a part that works
	Since   time.Time // when this process saw it enter this state
}

// Check tests whether a part works. message is a remark on a part that does; the error says what is
// wrong, without secrets.
type Check struct {
	Name string
	Run  func(ctx context.Context) (message string, err error)
}

// checkTimeout is how long a check may take. A part that does not answer in time does not work.
const checkTimeout = 3 * time.Second

const tooLate = "It did not answer in time."

// Monitor runs checks concurrently, and remembers since when parts are in their state. Now and
// Checks are required. It is safe for concurrent use.
type Monitor struct {
	Now    func() time.Time
	Checks []Check

	mu     sync.Mutex
	states map[string]Part
}

// Health returns the state of all parts, in the order of the checks.
func (m *Monitor) Health(ctx context.Context) []Part {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	results := make([]chan Part, len(m.Checks))
	for i, c := range m.Checks {
		results[i] = make(chan Part, 1)
		go func() {
			p := Part{Name: c.Name}
			message, err := c.Run(ctx)
			if p.OK, p.Message = err == nil, message; err != nil {
				p.Message = err.Error()
			}
			if err != nil && ctx.Err() != nil {
				p.Message = tooLate
			}
			results[i] <- p
		}()
	}
	parts := make([]Part, len(m.Checks))
	for i, c := range m.Checks {
		select {
		case parts[i] = <-results[i]:
		case <-ctx.Done():
			select {
			case parts[i] = <-results[i]: // in time, before another part was late
			default:
				parts[i] = Part{Name: c.Name, Message: tooLate}
			}
		}
		parts[i].Since = m.since(parts[i])
	}
	return parts
}

// since records the state of a part and returns when it entered it.
func (m *Monitor) since(p Part) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, known := m.states[p.Name]
	if !known || was.OK != p.OK {
		p.Since = m.Now().UTC().Truncate(time.Millisecond)
		if m.states == nil {
			m.states = make(map[string]Part)
		}
		m.states[p.Name] = p
		return p.Since
	}
	return was.Since
}
