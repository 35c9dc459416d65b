package gateway

import "time"

const (
	// grace is how long a client may take before its body must have come at the least
	// rate.
	grace = 10 * time.Second
	// idle is how long a client may pause while it sends a body or reads an answer. The
	// whole answer has no limit: streams may last.
	idle = 30 * time.Second
)

// pace is how much longer a body may be waited for. It begins with the grace; waiting
// uses it up, and each byte earns the time that it takes at the least rate. So who sends
// more slowly than that is ended, while who was quick may pause, at most for idle. Only
// waiting counts: what the plugin takes to read is not the client's fault.
type pace struct {
	rate int64 // bytes per second; 0 means any
	left time.Duration
}

// newPace returns the pace of a body that has to come at that rate.
func newPace(rate int64) pace { return pace{rate: rate, left: grace} }

// allowed returns how long the next bytes may take.
func (p *pace) allowed() time.Duration {
	if p.rate <= 0 {
		return idle
	}
	return p.left
}

// count notes n bytes that were waited for.
func (p *pace) count(n int, waited time.Duration) {
	if p.rate > 0 {
		earned := time.Duration(float64(n) / float64(p.rate) * float64(time.Second))
		p.left = min(p.left-waited+earned, idle)
	}
}
