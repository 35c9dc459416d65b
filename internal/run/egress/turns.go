package egress

import (
	"sync"
	"time"

	"stoa/internal/base/pace"
)

// How often a plugin may make stoa do something for it through its network: per second, and in a
// burst. A plugin that exceeds this waits for its turn. The limits of the platform API (contract 7.1)
// are far lower, but a refusal costs stoa as much as an answer.
const (
	callsPerSec, callsBurst = 100, 600 // calls of the platform API, refused ones too
	connsPerSec, connsBurst = 200, 600 // connections to the platform API and to granted hosts
)

// turns give turns at a rate. It is safe for concurrent use; nil gives one at once.
type turns struct {
	mu     sync.Mutex
	bucket *pace.Bucket
	now    func() time.Time
	after  func(time.Duration) <-chan time.Time
}

func newTurns(rate, burst float64) *turns {
	return &turns{bucket: pace.NewBucket(rate, burst, time.Now()), now: time.Now, after: time.After}
}

// wait returns true when it is the caller's turn. If ended is closed before, it returns false, and the
// turn is another's.
func (t *turns) wait(ended <-chan struct{}) bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	until := t.bucket.Take(1, t.now())
	t.mu.Unlock()
	if until <= 0 {
		return true
	}
	select {
	case <-t.after(until):
		return true
	case <-ended:
		t.mu.Lock()
		t.bucket.Return(1)
		t.mu.Unlock()
		return false
	}
}
