package rewrap

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/trust/seal"
)

const (
	// lateSettle is how long after a process switched to the new key a value that it sealed with
	// the old one may still be committed: longer than any transaction takes.
	lateSettle = 30 * time.Second
	// resealRetry is the time from a failed attempt to reseal to the next.
	resealRetry = 10 * time.Second
)

// missed reports whether a rewrap may have ended without this process, which sealed with the old
// key until now: the rewrap has finished, or the process did not report for so long that it may
// have counted as gone. This happens to a process that was paused (SIGSTOP, a suspended machine) or
// cut off from the database.
func (m *Member) missed(s state) bool {
	// Both clocks: the monotonic clock may stop while a machine is suspended, the other may be set
	// back.
	away := max(time.Since(m.reportedAt), time.Now().Round(0).Sub(m.reportedAt.Round(0)))
	return s.rewrap == nil || away > seenWithin/2
}

// reseal seals again what this process sealed with an old key after the rewrap had passed. It does
// so twice: by the second time, everything that was in progress at the first has been committed.
func (m *Member) reseal(ctx context.Context, old *seal.Key) {
	m.Log.WarnContext(ctx, "this process was away while the master key was replaced: "+
		"values that it sealed with the old one meanwhile are sealed again", slog.String("old", old.ID()))
	p := &pass{rewrap: Rewrap{DB: m.DB}, old: old, alone: true}
	for _, wait := range []time.Duration{0, lateSettle} {
		for {
			if m.pause(ctx, wait) != nil {
				return
			}
			p.next = m.Keys.Known()[0] // a later one, if there was another rewrap
			_, err := p.run(ctx)
			if err == nil {
				break
			}
			m.Log.WarnContext(ctx, "values that are sealed with the old master key could not be sealed again",
				slog.Any("err", err))
			wait = resealRetry
		}
	}
	m.Log.InfoContext(ctx, "all values are sealed with the new master key", slog.Int("sealed", p.changed))
}
