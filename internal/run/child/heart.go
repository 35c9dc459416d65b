package child

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// ErrStalled says that stoa killed a child because it blocked its event loop: it
// answered no call and kept a processor busy.
var ErrStalled = errors.New("it blocked its event loop")

const (
	// beatsPerStall is how many signs of life a child writes within Spec.Stall, and how
	// often stoa looks for them.
	beatsPerStall = 5

	// quietFactor is how many times longer a child may block its event loop while no
	// call waits for it.
	quietFactor = 6
)

// heart counts the signs of life of a child: bytes that its event loop writes at
// regular intervals (nodehost/src/report.js). A child that waits for something goes on
// writing them; only a computation blocks the loop.
type heart struct {
	beats  atomic.Int64 // since the last look
	silent int          // looks in a row that found no beat
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
// child's fault.
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

// BeatInterval returns how often a child writes a sign of life that may block its event
// loop for stall.
func BeatInterval(stall time.Duration) time.Duration {
	return max(stall/beatsPerStall, time.Millisecond)
}
