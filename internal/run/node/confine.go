package node

import (
	"log/slog"
	"time"
)

const (
	// hotShare is the share of one processor from which on a process counts as hot.
	hotShare = 0.8
	// hotLooks is how many hot looks in a row confine a process, and how many others
	// in a row let it go again.
	hotLooks = 3
)

// processorClock tells how long a process has computed, in all its threads. It fails
// when the process is gone, and on systems that do not tell.
type processorClock func(pid int) (time.Duration, error)

// confinement decides whether a process may use all processors. One that computes
// without pause is confined to one processor, with all others of its kind, so that its
// neighbors keep the rest. The zero value is a process that nobody has looked at.
type confinement struct {
	spent    time.Duration // at the look before
	at       time.Time     // of the look before
	looks    int           // in a row that ask for a change
	confined bool
}

// look takes note that the process has computed for spent until now, confines it or lets
// it go, and returns the share of one processor it has used since the look before. The
// share is of the time that has really passed: on a busy machine looks come late, and a
// process must not seem busier for it.
func (c *confinement) look(pid int, spent time.Duration, now time.Time, log *slog.Logger) float64 {
	share := 0.0
	if !c.at.IsZero() {
		share = float64(spent-c.spent) / float64(now.Sub(c.at))
	}
	c.spent, c.at = spent, now
	hot := share > hotShare
	if hot == c.confined {
		c.looks = 0
		if c.confined {
			confine(pid, true) // threads that are new since the last look
		}
		return share
	}
	if c.looks++; c.looks < hotLooks {
		return share
	}
	c.looks, c.confined = 0, hot
	if confine(pid, hot) {
		log.Warn("plugin computes without end: confined to one processor", slog.Bool("confined", hot))
	}
	return share
}
