package gateway

import "time"

const (
	// grace is how far a body may lag behind the least rate.
	grace = 10 * time.Second
	// idle is how long a client may pause while it sends a body or reads an answer. The
	// whole answer has no time limit: streams may last.
	idle = 30 * time.Second
)

// pace tracks how much longer to wait for a body. It starts with the grace; waiting uses it up,
// and each byte adds the time that it takes at the least rate. So a client that sends more
// slowly is cut off, while one that was ahead may pause, for idle at most. Only time spent
// waiting for the client counts, not the time that the plugin takes to read.
type pace struct {
	rate int64 // bytes per second; 0 means any
	left time.Duration
}

// newPace returns the pace of a body that must arrive at that rate.
func newPace(rate int64) pace { return pace{rate: rate, left: grace} }

// allowed returns how long the next bytes may take.
func (p *pace) allowed() time.Duration {
	if p.rate <= 0 {
		return idle
	}
	return p.left
}

// count records that n bytes arrived after waiting.
func (p *pace) count(n int, waited time.Duration) {
	if p.rate > 0 {
		earned := time.Duration(float64(n) / float64(p.rate) * float64(time.Second))
		p.left = min(p.left-waited+earned, idle)
	}
}
