package node

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// errStalled is why a process with a blocked event loop is ended: it answers no
// call and keeps a processor busy.
var errStalled = errors.New("it blocked its event loop")

const (
	// beatsPerStall is how many times within Config.Stall the host's event loop
	// beats, and stoa looks.
	beatsPerStall = 5

	// quietFactor is how many times longer a plugin may block its event loop while no
	// call is waiting for it.
	quietFactor = 6
)

// heart counts the beats of a host program: bytes that its event loop writes at
// regular intervals (nodehost/src/report.js). Waiting for something does not block
// the loop; only a computation does.
type heart struct {
	beats  atomic.Int64 // since the last look
	silent int          // looks in a row without a beat
}

// read counts the bytes from r until it ends.
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

// stalled looks for beats, and reports whether they have been missing for too long.
// It counts looks instead of time: if stoa itself was halted, that is not the
// plugin's fault.
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

// watchHeart calls stalled when the ready child has blocked its event loop for
// limit. It returns after that, or when the child is gone.
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
