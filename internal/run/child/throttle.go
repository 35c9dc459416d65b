package child

import (
	"log/slog"
	"time"
)

const (
	// hotShare is the share of one processor above which a process counts as hot.
	hotShare = 0.8
	// hotLooks is how many hot looks in a row confine a process to one processor, and how
	// many other looks in a row release it.
	hotLooks = 3
)

// ProcessorClock returns how long a process has computed, in all its threads, until at.
// It fails when the process is gone, and on systems that do not count.
type ProcessorClock func(pid int) (spent time.Duration, at time.Time, err error)

// throttle decides whether a process may use all processors. One that computes without
// pause is confined to one processor, together with all others of its kind, so that
// other processes keep the rest. The zero value has not looked at its process yet.
type throttle struct {
	spent    time.Duration // processor time at the last look
	at       time.Time     // of the last look
	looks    int           // in a row that ask for a change
	confined bool
}

// look records that the process has computed for spent until now, confines it or
// releases it, and returns the share of one processor that it used since the last look.
// The share is of the time that has really passed: on a busy machine looks come late, and
// that must not make a process seem busier.
func (t *throttle) look(pid int, spent time.Duration, now time.Time, log *slog.Logger) float64 {
	share := 0.0
	if !t.at.IsZero() {
		share = float64(spent-t.spent) / float64(now.Sub(t.at))
	}
	t.spent, t.at = spent, now
	hot := share > hotShare
	if hot == t.confined {
		t.looks = 0
		if t.confined {
			confine(pid, true) // threads that are new since the last look
		}
		return share
	}
	if t.looks++; t.looks < hotLooks {
		return share
	}
	t.looks, t.confined = 0, hot
	if confine(pid, hot) {
		log.Warn("plugin computes without end: confined to one processor", slog.Bool("confined", hot))
	}
	return share
}
