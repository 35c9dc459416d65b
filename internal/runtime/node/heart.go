package node

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// errStalled ends a process whose event loop is blocked: it answers nobody and
// keeps a processor busy.
var errStalled = errors.New("the plugin blocked its event loop")

const (
	// beatsPerStall is how often the host's event loop says that it turns, and how
	// often stoa looks, within Config.Stall.
	beatsPerStall = 5

	// quietFactor is how much longer than during a call a plugin may block its
	// event loop while nobody waits for it.
	quietFactor = 6
)

// heart counts the beats of a host program: bytes that its event loop writes at
// regular times (nodehost/src/report.js). What waits for something does not keep
// the loop from turning; only a computation does.
type heart struct {
	beats  atomic.Int64 // since the last look
	silent int          // looks in a row without a beat
}

// read counts what comes from r until it ends.
func (h *heart) read(r io.Reader) {
	var b [64]byte
	for {
		n, err := r.Read(b[:])
		h.beats.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// stalled takes a look. Looks are counted, not time: when stoa itself was halted,
// it must not blame the plugin.
func (h *heart) stalled(busy bool) bool {
	if h.beats.Swap(0) > 0 {
		h.silent = 0
		return false
	}
	h.silent++
	if busy {
		return h.silent >= beatsPerStall
	}
	return h.silent >= beatsPerStall*quietFactor
}

// watchHeart calls stalled when the ready child's event loop has been blocked for
// limit, and returns then or when the child is gone.
func (c *child) watchHeart(limit time.Duration, busy func() bool, stalled func()) {
	look := time.NewTicker(beatInterval(limit))
	defer look.Stop()
	for {
		select {
		case <-c.exited:
			return
		case <-look.C:
		}
		if c.heart.stalled(busy()) {
			stalled()
			return
		}
	}
}

func beatInterval(limit time.Duration) time.Duration {
	return max(limit/beatsPerStall, time.Millisecond)
}
